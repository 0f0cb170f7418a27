import { describe, expect, it } from 'vitest'
import { findSections } from '../../src/pages/documentation-search.ts'

const placesFor = (question: string) =>
  findSections(question).sections.map(({ document, anchor }) => `${document}#${anchor}`)

const waits = 'client-guide.md#repeat-or-not-and-how-long-to-wait'

describe('a search of the documentation', () => {
  it.each([
    // Questions as people ask them.
    ['my client times out', 'client-guide.md'],
    ['how long to wait between retries', waits],
    ['how do I use it over https', 'https.md'],
    ['how do I make two tests independent', 'testing-recipes.md'],
    ['two tests independent', 'testing-recipes.md'],
    ['mailing that is not approved yet', 'content.md#what-is-in-it'],
    ['mailing not approved yet', 'content.md#what-is-in-it'],
    ['Pauses do not grow', 'conduct.md#r16'],
    ['move the clock', 'control.md'],
    ['unapproved mailing', 'content.md#what-is-in-it'],
    ['connection reset by peer', 'troubleshooting.md#no-response'],
    ['EADDRINUSE', 'troubleshooting.md#start-a-port-or-an-address-already-in-use'],
    ['simulate a rate limit', waits],
    ['freeze time in a test', 'control.md#time'],
    ['how do I stop the clock', 'control.md#time'],
    ['what was really sent', 'control.md#what-was-asked-and-what-was-really-sent'],
    ['what should I do when the sending stays pending', 'client-guide.md'],
    ['how many times should I retry', 'client-guide.md'],
    ['client killed during send', 'client-guide.md#around-the-attempts'],
    ['client gets html instead of json', waits],
    ['connection refused', waits],
    ['run tests in parallel', 'testing-recipes.md#tests-at-the-same-time-in-parallel-a-space-for-each'],
    ['reset the state between tests', 'testing-recipes.md'],
    ['clean state before each test', 'testing-recipes.md'],
    ['run with junit', 'testing-java.md'],
    ['use jest', 'testing-javascript.md'],
    ['fake timers', 'library.md#fake-timers'],
    ['start with docker compose', 'container.md#docker-compose'],
    ['test fails in CI but passes locally', 'failures.md'],
    ['unexpected 401', 'client-guide.md'],
    ['self-signed certificate not trusted', 'https.md'],
    ['change the port', 'settings.md'],
    ['load my own data', 'content.md'],
    ['password of the demo user', 'connect.md'],
    ['copy data from the real service', 'pull.md'],
    ['approve a mailing', 'control.md#mailings-in-the-editor'],
    ['how do I see which requests my client made', 'pages.md'],
    ['how do I write my own scenario', 'scenarios.md'],
    ['how to get a list of all scenarios', 'scenarios.md'],
    ['simulate network failure', 'scenarios.md'],
    ['run several instances behind a load balancer', 'scaling.md'],
    ['anonymise customer data', 'pull.md#anonymised'],
    ['gitlab pipeline', 'container.md#gitlab-ci'],
    ['proxy returns 502', 'troubleshooting.md#proxies'],
    ["how can I see the judge's verdict", 'conduct.md'],
    ['how does the exam work', 'exam.md'],
    ['power failure', 'durability.md'],
    ['two workers', 'two-workers.md'],
    // Words.
    ['sent twice', 'client-guide.md'],
    ['retry after timeout', 'client-guide.md'],
    ['idempotency key', 'client-guide.md'],
    ['duplicate', 'client-guide.md'],
    ['duplicate newsletter', 'client-guide.md'],
    ['how long to wait', waits],
    ['backoff', waits],
    ['429', waits],
    ['503', waits],
    ['reset', waits],
    ['reset a space', 'control.md#spaces-make-reset-remove'],
    ['retry', 'client-guide.md'],
    ['timeout', 'client-guide.md'],
    ['rate limit', waits],
    ['throttle', waits],
    ['ECONNRESET', waits],
    ['rate-limit', 'dials.md#rate-limit'],
    ['r18', 'conduct.md#r18'],
    ['isolation', 'testing-recipes.md'],
    ['sandbox', 'README.md#as-a-developer-with-the-mock-as-a-local-backend'],
    ['flaky test', 'troubleshooting.md#no-message'],
    ['docker', 'container.md'],
    ['github actions', 'container.md#github-actions'],
    ['CI', 'container.md'],
    ['python', 'testing-python.md'],
    ['java client', 'testing-java.md'],
    ['pact', 'pact.md'],
    ['capsule', 'failures.md'],
    ['private space', 'control.md#spaces-make-reset-remove'],
    ['restart keeps data', 'content.md#data-and-restarts'],
    ['https', 'https.md'],
    ['https certificate', 'https.md'],
    ['proxy', 'troubleshooting.md#proxies'],
    ['port in use', 'troubleshooting.md#start-a-port-or-an-address-already-in-use'],
    // Questions of newcomers.
    ['proved nothing', 'exam.md#cases-that-proved-nothing-inconclusive'],
    ['inconclusive', 'exam.md#cases-that-proved-nothing-inconclusive'],
    ['move time in tests', 'testing-recipes.md#time-in-tests-nothing-sleeps'],
    ['advance clock', 'control.md#time'],
    ['fast forward', 'control.md#time'],
    ['parallel tests', 'testing-recipes.md#tests-at-the-same-time-in-parallel-a-space-for-each'],
    ['run tests at the same time', 'testing-recipes.md#tests-at-the-same-time-in-parallel-a-space-for-each'],
    ['reset between tests', 'testing-recipes.md'],
    ['double send', 'client-guide.md'],
    ['sent twice after timeout', 'client-guide.md'],
    ['simulate 503', 'scenarios.md#scenarios'],
    ['slow response', 'scenarios.md#scenarios'],
    ['drop connection', 'scenarios.md#scenarios'],
    ['basic auth wrong password', 'troubleshooting.md#no-message'],
    ['which port', 'connect.md#address-port-user-and-password'],
    ['seed data', 'content.md#your-own-content'],
    ['own fixtures', 'content.md#your-own-content'],
    ['pact provider state', 'pact.md'],
    ['record real service', 'pull.md'],
    ['self signed certificate', 'https.md#clients-that-trust-the-ca'],
    ['clock skew', 'exam.md#what-is-played'],
    ['schedule in the past', waits],
    ['retry-after header', waits],
    ['how long to retry', 'client-guide.md'],
    ['when to give up', waits],
    ['what is indeterminate', waits],
    ['new id after failed', waits],
    ['json logs', 'settings.md'],
    ['kotlin', 'testing-recipes.md#go-c-ruby-kotlin-and-other-languages'],
    ['playwright', 'library.md#a-mock-in-another-process'],
    ['openapi file', 'contract-testing.md#the-openapi-files-and-a-client-from-them'],
    ['java junit', 'testing-java.md'],
    ['phpunit', 'testing-php.md'],
    ['pytest', 'testing-recipes.md'],
    // There are none: the page says what there is instead.
    ['webhook', 'fidelity.md#6-events'],
    ['go client', 'testing-recipes.md#go-c-ruby-kotlin-and-other-languages'],
    // What every failed test says.
    ['suspected', 'conduct.md#suspected-what-it-means'],
    ['what does SUSPECTED mean', 'conduct.md#suspected-what-it-means'],
    // A heading with the words of the question, and no section with a rare word.
    ['port already in use', 'troubleshooting.md#start-a-port-or-an-address-already-in-use'],
    ['port 4025 is already in use', 'troubleshooting.md#start-a-port-or-an-address-already-in-use'],
    ['address already in use', 'troubleshooting.md#start-a-port-or-an-address-already-in-use'],
    ['new transaction id after timeout', 'conduct.md#r02'],
    ['known failure', 'known-findings.md'],
    ['ignore known failure', 'known-findings.md'],
    ['allow failing test temporarily', 'known-findings.md'],
    ['quarantine', 'known-findings.md'],
    ['is FAILED final', waits],
    ['client crashes and restarts', 'exam.md#a-client-that-crashes-and-restarts'],
    ['restart my client', 'exam.md#a-client-that-crashes-and-restarts'],
    ['what is a space', 'control.md#spaces-make-reset-remove'],
    // Everyday words.
    ['disable persistence', 'settings.md'],
    ['turn off persistence', 'settings.md'],
    ["don't persist data", 'settings.md'],
    ['don’t persist data', 'settings.md'],
    ['latency', 'scenarios.md'],
    ['chaos', 'scenarios.md'],
    ['inject fault', 'scenarios.md'],
    ['anonymize', 'pull.md'],
    ['anonymized', 'pull.md'],
    ['CORS', 'control.md#who-may-call-it'],
    ['does it send real emails', 'content.md#it-sends-no-real-emails'],
    ['never sends mail', 'content.md#it-sends-no-real-emails'],
    ['pagination', 'content.md#your-own-content'],
    ['schedule a sending for later', 'client-guide.md#around-the-attempts'],
    ['scheduleDate', 'client-guide.md#around-the-attempts'],
    // What the mock should do, and not what the client has to do.
    ['how to simulate a timeout', 'scenarios.md'],
    ['simulate timeout', 'scenarios.md'],
    ['make the service time out', 'scenarios.md'],
    ['how do I make the mock time out', 'scenarios.md'],
    ['return 503', 'scenarios.md'],
    ['curl example create sending', 'connect.md#curl-an-example-that-creates-a-sending'],
    ['junit xml report', 'run-report.md'],
  ])('a search for "%s" shows the page for it first', (question, place) => {
    const [first] = placesFor(question)
    expect(place.includes('#') ? first : first!.split('#')[0]).toBe(place)
  })

  it('a search shows the row or the paragraph that fits best', () => {
    const [first] = findSections('EADDRINUSE').sections
    expect(first!.excerpt).toContain('Port in use, often by a mock that still runs: stop it.')
  })

  it('a search shows words of each section, also of one that has the words only in its heading', () => {
    const { sections } = findSections('tests')
    expect(sections.length).toBeGreaterThan(20)
    expect(sections.filter(({ excerpt }) => excerpt.trim() === '')).toEqual([])
  })

  it('a search leaves out sections that have the words by chance', () => {
    const { sections, more } = findSections('retry-after header')
    expect(sections.length + more).toBeLessThan(20)
  })

  it('a search leaves out sections of a document that is about the words, if they do not have them', () => {
    expect(placesFor('duplicate')).toContain('getting-started.md#getting-started')
    expect(placesFor('duplicate')).not.toContain('getting-started.md#1-start-the-mock')
  })

  it.each([
    ['aprove', 'approve'],
    ['sedn', 'send'],
  ])('a search for "%s", which is nowhere, offers the near word "%s"', (word, near) => {
    expect(findSections(word)).toMatchObject({ sections: [], meant: near })
  })

  it.each([
    ['behavior', 'behaviour'],
    ['anonymizing', 'anonymising'],
    ["doesn't retry", 'does not retry'],
  ])('a search for "%s" finds what one for "%s" does', (one, other) => {
    expect(placesFor(one)).not.toEqual([])
    expect(placesFor(one)).toEqual(placesFor(other))
  })

  it.each(["isn't zebra", 'chasm'])(
    'a search for "%s" offers no words that are far from it, and no pieces',
    question => {
      expect(findSections(question).meant).toBeUndefined()
    },
  )

  it.each(['', '  ', '???'])('a search for "%s" finds nothing', question => {
    expect(findSections(question)).toEqual({ sections: [], more: 0, hasAll: false, meant: undefined })
  })

  it('a search whose words are in no section together shows those with the telling words first', () => {
    const { hasAll, sections } = findSections('idempotency key zebra')
    expect(hasAll).toBe(false)
    expect(sections[0]!.document).toBe('client-guide.md')
  })
})
