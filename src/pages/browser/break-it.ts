import { call, noAnswer } from './calls.ts'

/** What a client says at its end. */
type Belief = 'sent' | 'not-sent' | 'unknown'

interface Told {
  readonly status: number
  readonly state: unknown
}

/** Requests to create the sending as a user; undefined when no response comes in time. */
type Send = (transactionId: string) => Promise<Told | undefined>

/** A second of the page is a minute for the clients. */
const rate = 60
/** Time that a client waits for a response, and pauses before it asks again. Milliseconds. */
const patience = 600
const pause = 300

const form = document.querySelector<HTMLFormElement>('[data-break-it]')
const { breakIt: home, user, password, path } = form?.dataset ?? {}
const { root } = document.body.dataset

const newId = () => `order-${crypto.getRandomValues(new Uint32Array(1))}`

/** Makes a transaction ID for each request, and takes every status below 400 for "sent". */
async function wrongClient(send: Send): Promise<Belief> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const told = await send(newId())
    if (told && told.status < 400) return 'sent'
    await new Promise(done => setTimeout(done, pause))
  }
  return 'not-sent'
}

/** Repeats one transaction ID until the state is CREATED; only after FAILED it takes a new one, and it stops where the outcome is unknown. */
async function rightClient(send: Send, storedId: string): Promise<Belief> {
  let transactionId = storedId
  for (let attempt = 1; attempt <= 8; attempt++) {
    const told = await send(transactionId)
    if (told?.state === 'CREATED') return 'sent'
    if (told?.state === 'INDETERMINATE_FAILURE') return 'unknown'
    if (told?.state === 'FAILED') transactionId = newId()
    await new Promise(done => setTimeout(done, pause))
  }
  return 'unknown'
}

async function prepare(client: string, scenario: unknown): Promise<Send> {
  const address = `${root}/spaces/${encodeURIComponent(`${home}+break-it-${client}`)}`
  const { isDone, refusal } = await call('PUT', address, { scenario, clock: { rate } })
  if (!isDone) throw new Error(refusal)
  const credentials = btoa(`${user}+break-it-${client}:${password}`)
  return async transactionId => {
    try {
      const response = await fetch(root!.replace(/\/_mock$/, '') + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/hal+json', Authorization: `Basic ${credentials}` },
        body: JSON.stringify({ transactionId }),
        credentials: 'omit',
        signal: AbortSignal.timeout(patience),
      })
      const { state } = (await response.json()) as { state?: unknown }
      return { status: response.status, state }
    } catch {
      return undefined
    }
  }
}

/** Runs both clients, then shows what happened. A second click starts the wrong one again; the right one is at work already. */
async function run({ trouble, scenario }: DOMStringMap): Promise<void> {
  const clicks = trouble === 'twice' ? [1, 2] : [1]
  const inForce: unknown = JSON.parse(scenario!)
  const [wrong, right] = await Promise.all([prepare('wrong', inForce), prepare('right', inForce)])
  const [[wrongEnd], rightEnd] = await Promise.all([
    Promise.all(clicks.map(() => wrongClient(wrong))),
    rightClient(right, newId()),
  ])
  location.assign(`?${new URLSearchParams({ trouble: trouble!, wrong: wrongEnd!, right: rightEnd })}`)
}

const buttons = [...(form?.querySelectorAll('button') ?? [])]
/** One run at a time: a second one would begin the spaces of the first again while its clients still ask. */
const holdButtons = (areHeld: boolean) => {
  for (const button of buttons) button.disabled = areHeld
}

for (const button of buttons)
  button.addEventListener('click', () => {
    const outcome = form!.querySelector('[data-outcome]')!
    for (const it of buttons) it.ariaPressed = String(it === button)
    holdButtons(true)
    outcome.textContent = 'Both clients are at work. The buttons wait for them …'
    run(button.dataset).catch((error: Error) => {
      holdButtons(false)
      outcome.textContent = error.message || noAnswer
    })
  })

holdButtons(false)
// "Back" may show the page as it was left: at the end of a run.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload())
