/** So much of a body is shown. Characters. */
const longest = 200_000

const place = (name: string) => document.querySelector<HTMLElement>(`[data-${name}]`)!

/**
 * Shows what comes back: status, headers, body laid out. What is sent bit by bit is shown bit by bit.
 * @param ask makes the request
 * @param explained where the mock tells of the request with this ID
 */
export async function readAnswer(
  ask: () => Promise<Response>,
  explained: (id: string) => string | undefined,
): Promise<void> {
  const begun = performance.now()
  say('Under way …')
  place('told').hidden = true
  try {
    const response = await ask()
    const broken = await show(response)
    const took = `${Math.round(performance.now() - begun)} ms`
    const id = response.headers.get('x-mock-request-id')
    say(
      [`${response.status} ${response.statusText}`.trim(), took, ...(broken ? [broken] : [])].join(' · '),
      toneOf(response.status, broken),
      id === null ? undefined : explained(id),
    )
  } catch (error) {
    say(inWords(error), 'bad')
  }
}

/** @returns what is to be said of an answer that did not end as it should have */
async function show(response: Response): Promise<string | undefined> {
  place('headers').textContent = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith('text/event-stream')
  const body = place('body')
  body.textContent = ''
  place('told').hidden = false
  say(`${response.status} ${response.statusText}`.trim(), toneOf(response.status))
  let text = ''
  let broken: string | undefined
  try {
    for await (const piece of pieces(response)) {
      text += piece
      if (isStream) body.textContent = shortened(text)
    }
  } catch (error) {
    broken = isStop(error) ? 'stopped' : 'it broke off before its end'
  }
  body.textContent = text === '' ? 'No body.' : shortened(/json/.test(type) ? laidOut(text) : text)
  return broken
}

async function* pieces({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  if (!reader) return
  for (let piece = await reader.read(); !piece.done; piece = await reader.read())
    yield decoder.decode(piece.value, { stream: true })
}

const shortened = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest)}\n… and more: this is only its beginning` : text

/** What only calls itself JSON is shown as it is. */
function laidOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

const isStop = (error: unknown) => error instanceof DOMException && error.name === 'AbortError'

const inWords = (error: unknown): string =>
  isStop(error)
    ? 'Stopped: no answer had come.'
    : 'No answer came that a browser can show: the connection was refused or broken, or what came was no HTTP.'

function toneOf(status: number, broken?: string): string {
  if (broken || status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}

function say(words: string, tone = '', href?: string): void {
  const outcome = place('outcome')
  outcome.className = tone === '' ? '' : `docs-outcome ${tone}`
  outcome.textContent = words
  if (href === undefined) return
  const link = document.createElement('a')
  link.href = href
  link.textContent = 'What happened'
  outcome.append(' · ', link)
}
