import { describe, expect, it } from 'vitest'
import { customersPath, ids, startMock, synchronizationPath, type TestMock } from '../../mock.ts'
import { staged } from '../stage.ts'
import { explained } from './explained.ts'

describe('a refusal', () => {
  const sendings = synchronizationPath(ids.ready, '/sendings')

  it.each<[string, (mock: TestMock) => Promise<unknown>, RegExp, RegExp]>([
    [
      'of a mailing without an approved version',
      mock => mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), {}),
      /^Not ready for sending: .*; approve it .*\. The mailing must be approved before a sending is created \(3\/3\)\.$/,
      new RegExp(
        `have the mailing approved, or use a synchronization whose readyForSending is true, such as ${ids.ready}`,
      ),
    ],
    [
      'of a date in the past',
      mock => mock.as('demo').post(sendings, { scheduleDate: '2020-01-01T00:00:00Z' }),
      /scheduleDate.*not in the future.*See section 4\.1 and 7\/2\.$/,
      /give a scheduleDate in the future of the space's clock/,
    ],
    [
      'of a date without a time zone',
      mock => mock.as('demo').post(sendings, { scheduleDate: '2030-01-01T00:00:00' }),
      /scheduleDate: .* See section 4\.1\.$/,
      /with its time zone, such as 2030-01-31T09:30:00Z/,
    ],
    [
      'of a transaction ID with other characters',
      mock => mock.as('demo').post(sendings, { transactionId: 'a b' }),
      /transactionId: .*See 7\/3 and section 8\.$/,
      /1 to 100 letters, digits, dots, colons, hyphens or underscores/,
    ],
    [
      'of a transaction ID that names a scenario that there is not',
      mock => mock.as('demo').post(sendings, { transactionId: 'mock:nothing:1' }),
      /there is no scenario "nothing".*Names of scenarios are ours\.$/,
      /name a scenario that there is/,
    ],
    [
      'of what is no JSON',
      mock => mock.as('demo').post(sendings, '{'),
      /^Malformed request body: .* Bodies are application\/hal\+json \(section 4\)\.$/,
      /\{\} is the least/,
    ],
    [
      'of another media type',
      mock => mock.as('demo').post(sendings, '{}', { 'content-type': 'text/plain' }),
      /^Unsupported media type: /,
      /Content-Type: application\/hal\+json/,
    ],
    [
      'of a change without the right to it',
      mock => mock.as('demo-viewer').post(sendings, {}),
      /^Missing right: .*"write"/,
      /use a user with this right/,
    ],
    [
      'of an ID that there is not',
      mock => mock.as('demo').get(synchronizationPath(ids.unknown)),
      /^Not found: There is no mailing synchronization [0-9a-f-]{36}\. The document leaves open how such a request is refused \(section 7\)\.$/,
      new RegExp(`use a mailing synchronization that there is, such as ${ids.ready}`),
    ],
    [
      'of both filters being false',
      mock => mock.as('demo').get('/mailings?hasDraft=false&isApproved=false'),
      /See section 4\.12 and 7\/4\.$/,
      /do not ask for both/,
    ],
    [
      'of a method that there is not',
      mock => mock.as('demo').send('DELETE', '/mailings'),
      /^Method not allowed: /,
      /a method that the Allow header lists/,
    ],
    [
      'of a wrong password',
      mock => mock.as('demo').get('/mailings', { authorization: `Basic ${btoa('demo:wrong')}` }),
      /^Unauthorized: .*See 5\/1\.$/,
      /send Authorization: Basic/,
    ],
  ])(
    '%s has its reason first, with the section of it, and what would be accepted',
    async (_, ask, why, accepted) => {
      const mock = await startMock()
      await ask(mock)
      const explanation = await explained(mock)
      expect(explanation.why[0]).toMatch(why)
      expect(explanation.told.join(' ')).not.toContain(explanation.why[0])
      expect(explanation.change[0]).toMatch(/^To be accepted: /)
      expect(explanation.change[0]).toMatch(accepted)
      expect(explanation.done.join(' ')).toMatch(/nothing was changed|Nothing was done/)
    },
  )

  it.each([
    [
      'of a sending',
      synchronizationPath(ids.failedTwice, '/sendings/none'),
      /use a sending that there is, such as \S+/,
    ],
    [
      'where there are none',
      synchronizationPath(ids.draftOnly, '/sendings/none'),
      /there are no sendings of this synchronization so far; create one first/,
    ],
    [
      'of a test profile',
      synchronizationPath(ids.ready, '/preview?testProfileId=1'),
      /use a test profile that there is, such as 7001/,
    ],
    ['of a mailing', '/mailings/none', /use a mailing that there is, such as \S+/],
    ['of a customer', `${customersPath}/nobody`, /use a customer that there is, such as .*Maison%20Orane/],
    ['of a list', `${customersPath}/lindenau/lists/1`, /use a list that there is, such as 2001/],
    [
      'of a part that is not there yet',
      synchronizationPath(ids.draftOnly, '/mailing-uploads/latest'),
      /ask for it once it is there; what the path names is there already/,
    ],
    ['of a path with a slip', '/mailing', /use a path that there is; the nearest is \/mailings/],
    [
      'of a longer path with a slip',
      synchronizationPath(ids.ready, '/sending').replace('synchron', 'sychron'),
      new RegExp(`the nearest is ${synchronizationPath(ids.ready, '/sendings')}`),
    ],
    [
      'of a path of more than 100 characters with a slip',
      synchronizationPath(ids.ready, '/sendings').replace('zations', 'sations'),
      new RegExp(`the nearest is ${synchronizationPath(ids.ready, '/sendings')}`),
    ],
    [
      'of a path unlike any other',
      '/something/else',
      /use a path of the service; they begin with \/mailings or .*; GET \/_mock\/operations lists them/,
    ],
  ])('to find something tells what is near: %s', async (_, target, sentence) => {
    const mock = await startMock()
    expect((await mock.as('demo').get(target)).status).toBe(404)
    const { why, change } = await explained(mock)
    expect(why[0]).toMatch(/^Not found: There is no /)
    expect(change[0]).toMatch(sentence)
  })

  const forms = ['full', 'minimal', 'plain-json', 'text', 'empty'] as const

  it.each<[string, (mock: TestMock) => Promise<unknown>]>([
    [
      'of a mailing without an approved version',
      mock => mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), {}),
    ],
    ['of a transaction ID', mock => mock.as('demo').post(sendings, { transactionId: 'a b' })],
    ['of a date', mock => mock.as('demo').post(sendings, { scheduleDate: '2020-01-01T00:00:00Z' })],
    ['of an unknown scenario', mock => mock.as('demo').post(sendings, {}, { 'x-mock-scenario': 'no-such' })],
    ['of an ID that there is not', mock => mock.as('demo').get('/mailings/nowhere')],
  ])('%s is explained by the problem itself, whatever form its body has', async (_, ask) => {
    const explanations = await Promise.all(
      forms.map(async form => {
        const mock = await startMock({
          dials: { 'error-body': form },
          scenario: name => {
            throw new Error(`There is no scenario "${name}"`)
          },
        })
        await ask(mock)
        const { summary, why, change } = await explained(mock)
        return [summary, why[0], change[0]]
      }),
    )
    for (const explanation of explanations) expect(explanation).toEqual(explanations[0])
  })

  it.each([
    ['/mailings/nowhere', /^Not found: There is no mailing nowhere/],
    ['/mailings?hasDraft=perhaps', /^Validation failed: hasDraft: /],
  ])('a refusal is explained also where HEAD leaves the body out: %s', async (target, sentence) => {
    const mock = await startMock()
    await mock.as('demo').send('HEAD', target)
    expect((await explained(mock)).why[0]).toMatch(sentence)
  })

  it.each([
    [
      'of a method',
      (mock: TestMock) => mock.as('demo').send('DELETE', '/mailings'),
      'DELETE is not a method of this address: answered 405. It has GET, HEAD, OPTIONS.',
    ],
    [
      'of no refusal, but a question for the methods',
      (mock: TestMock) => mock.as('demo').send('OPTIONS', '/mailings'),
      'OPTIONS asks for the methods of this address: answered 204. It has GET, HEAD, OPTIONS.',
    ],
    [
      'of an ID that there is not',
      (mock: TestMock) => mock.as('demo').get('/mailings/none'),
      'getMailing: answered 404. Not found: There is no mailing none.',
    ],
    [
      'of a wrong password',
      (mock: TestMock) => mock.as('demo').get('/mailings', { authorization: `Basic ${btoa('demo:wrong')}` }),
      'listMailings: answered 401. Unauthorized: User or password is wrong.',
    ],
  ])('%s gives its reason in the summary', async (_, ask, summary) => {
    const mock = await startMock()
    await ask(mock)
    expect((await explained(mock)).summary).toBe(summary)
  })

  it('a refusal that a dial binds to its transaction ID says to use another one', async () => {
    const mock = await startMock({ dials: { 'rejected-transaction': 'bound' } })
    await mock.as('demo').post(sendings, { transactionId: 'T', scheduleDate: '2020-01-01T00:00:00Z' })
    await mock.as('demo').post(sendings, { transactionId: 'T' })
    for (const number of [1, 2])
      expect((await explained(mock, number)).change[0]).toMatch(
        /^To be accepted: give a scheduleDate .*, and use another transactionId: the dial rejected-transaction binds this one\.$/,
      )
  })

  it('of a wrong password names the users that there are, and the ID that its client got', async () => {
    const mock = await startMock({ hints: true })
    const wrong = { authorization: `Basic ${btoa('demo:wrong')}` }
    const told = (await mock.as('demo').get('/mailings', wrong)).headers.get('x-mock-request-id')
    const { told: words, change } = await explained(mock)
    expect(told).toBe('u-1')
    expect(words).toContain('To its client it is request u-1.')
    expect(change[0]).toMatch(/^To be accepted: .+\. Users there are: demo \(password demo\), /)
  })

  it('of a scenario that there is not says so', async () => {
    const { mock, act } = await staged([])
    await act.post({}, { 'x-mock-scenario': 'no-such' })
    const { why, change } = await explained(mock)
    expect(why[0]).toContain('no scenario "no-such"')
    expect(why[1]).toContain(
      'names the scenario "no-such" in X-Mock-Scenario, but there is none of that name',
    )
    expect(change[0]).toContain('name a scenario that there is')
  })
})
