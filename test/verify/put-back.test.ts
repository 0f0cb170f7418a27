import { expect, test } from 'vitest'
import { customersPath } from '../mock.ts'
import { inEach, lying } from './lies.ts'
import { mockTarget, verified } from './mock-target.ts'

const configurationOf = (customer: string) =>
  `${customersPath}/${encodeURIComponent(customer)}/configuration/accessible-lists`
const only1002 = { permitAll: false, permittedLists: [1002] }

/** A target whose customers all have a configuration: one list of the customer to whom verify turns. */
async function restrictedTarget() {
  const { mock, fetch } = await mockTarget()
  const demo = mock.as('demo')
  const { json } = await demo.get(customersPath)
  for (const { name } of json._embedded['svc:accessible-customers'])
    await demo.put(
      configurationOf(name),
      name === 'harbour-group' ? only1002 : { permitAll: true, permittedLists: [] },
    )
  return { fetch, permitted: async () => (await demo.get(configurationOf('harbour-group'))).json }
}

test('verify changes no configuration of which it cannot read what it permits', async () => {
  const { fetch, permitted } = await restrictedTarget()
  const before = await permitted()
  const silent = inEach('configuration', it => {
    delete it.permitAll
  })
  const { created } = await verified(lying(fetch, silent), { allowWrites: true })
  expect(created.filter(it => it.includes('configuration'))).toEqual([])
  expect(await permitted()).toEqual(before)
})

test('verify puts a configuration back also where the first try is answered 5xx', async () => {
  const { fetch, permitted } = await restrictedTarget()
  let tries = 0
  const { created } = await verified(
    async (url, init) =>
      init.body === JSON.stringify(only1002) && ++tries === 1
        ? new Response('', { status: 503 })
        : fetch(url, init),
    { allowWrites: true },
  )
  expect(tries).toBe(2)
  expect(created.filter(it => it.includes('configuration'))).toEqual([
    'accessible-lists configuration of "harbour-group", put back as it was',
  ])
  expect(await permitted()).toMatchObject(only1002)
})
