import { hash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { z } from 'zod'
import { verdictShape } from '../../judge/verdict-shape.ts'
import { stepKinds } from '../../rig/history.ts'
import { ledgerShape } from '../../rig/ledger.ts'
import { requestRecordSchema } from '../../rig/request-record-schema.ts'
import { selectionChannels } from '../../rig/scenarios/selection.ts'
import { beliefs } from '../../rig/scenarios/terms.ts'
import { dialNames, dials } from '../../service/dials.ts'
import { fixture } from '../../store/rows.ts'
import { controlCharacter } from '../../store/tenant-directory.ts'
import { UserError } from '../../store/user-error.ts'

/* A capsule: one file with how a space began and all that happened in it, so that it can be played again elsewhere. */

export const capsuleFormat = 'mailing-sync-mock capsule'
/** Raised when an older program could not play a capsule again, or would play it otherwise. */
export const capsuleVersion = 1

const count = z.int().nonnegative()
/** Milliseconds since 1970. */
const time = z.number()
const moment = z.tuple([time.describe("The machine's time"), time.describe("The space's time")])
const object = z.record(z.string(), z.unknown())
const someDials = z.strictObject(
  Object.fromEntries(
    dialNames.map(name => [
      name,
      z.enum(Object.keys(dials[name].values) as [string, ...string[]]).optional(),
    ]),
  ),
)

/** How the mock was set up, as far as that shows in its answers. */
const environment = z.strictObject({
  seed: z.int(),
  dials: someDials,
  relationPrefix: z.string().regex(/^[a-z][a-z0-9-]*$/i),
  platformSegment: z.string().regex(/^[a-z0-9][a-z0-9._~-]*$/i),
  publicUrl: z.url({ protocol: /^https?$/ }).nullable(),
  pagesUrl: z.url({ protocol: /^https?$/ }).nullable(),
  selection: z.array(z.enum(selectionChannels)),
  hints: z.boolean(),
  rateLimit: count.nullable(),
  holdLimit: count,
  bodyLimit: count,
  journal: count,
  hideTestSynchronizations: z.boolean(),
  scenario: z.string().nullable(),
  now: z.iso.datetime({ offset: true }).nullable(),
  frozen: z.boolean(),
})
export type CapsuleEnvironment = z.output<typeof environment>

/** Whether a path stays below what it is added to, whatever is encoded in it. */
function isBelow(path: string): boolean {
  const place = 'http://mock/_mock/spaces/demo'
  return URL.canParse(place + path) && new URL(place + path).href === place + path && /^(?:[/?]|$)/.test(path)
}

const change = z
  .strictObject({
    number: z.int().positive(),
    method: z.enum(['PUT', 'POST', 'DELETE']),
    path: z.string().refine(isBelow, 'expected a path below a space').describe('Below the space'),
    body: object.nullable(),
    by: z.string().describe('The page, or the program as it calls itself'),
    at: moment,
    after: count.describe('Number of the last request before it'),
    age: count,
    status: z.int().nullable(),
  })
  .describe('A control call that changed the space')
export type CapsuleChange = z.output<typeof change>

const request = requestRecordSchema.extend({
  base: z.string().describe('Of the links in its answer'),
  moments: z
    .strictObject({
      arrived: moment,
      read: moment.nullable(),
      ended: moment.nullable(),
      left: moment.nullable(),
    })
    .describe('The same times, as exactly as they were measured'),
})
export type CapsuleRequest = z.output<typeof request>

const rejectedLogin = z.strictObject({
  id: z.string(),
  at: time,
  method: z.string(),
  path: z.string(),
  reason: z.string(),
  userName: z.string().nullable(),
  isOfSpace: z.boolean(),
  recordId: z.string().nullable(),
})

const history = z.strictObject({
  lost: z.string().nullable().describe('Why there are no steps; null where they are whole'),
  steps: z
    .array(
      z.tuple([
        z
          .int()
          .min(0)
          .max(stepKinds.length - 1),
        count,
        time,
      ]),
    )
    .describe(`What happened, in order: which of ${stepKinds.join(', ')}; of which request or change; when`),
})

/** In the file a long text stands once, and each body that has it says which one it is. */
const shortened = z.union([z.string(), count])
const { body: bodyShape, truth: truthShape, told: toldShape } = request.shape
const textOf = bodyShape.unwrap()
const answerOf = truthShape.unwrap()
const storedBody = textOf.extend({ text: shortened }).nullable()
const storedAnswer = answerOf.shape.body.unwrap().extend({ text: shortened }).nullable()
const storedRequest = request.extend({
  body: storedBody,
  truth: answerOf.extend({ body: storedAnswer }).nullable(),
  told: toldShape.unwrap().extend({ body: storedAnswer }).nullable(),
})

const capsuleShape = z.strictObject({
  $format: z.literal(capsuleFormat),
  $version: z.literal(capsuleVersion),
  madeBy: z.string().describe('Version of the program'),
  space: z
    .string()
    .min(1)
    .max(200)
    .refine(name => !controlCharacter.test(name)),
  takenAt: moment,
  environment,
  beginning: z.strictObject({
    at: moment,
    calendarLead: z
      .number()
      .default(0)
      .describe("Milliseconds by which the machine's calendar time was ahead of its times here"),
    origin: count.describe('Number of the save that was its last reset'),
    seed: z.int(),
    content: z.string().describe('Digest of what it began with'),
    fixture,
  }),
  scenarios: z.record(z.string(), object).describe('Definitions of those that were in force, by name'),
  history,
  changes: z.array(change),
  dropped: count.describe('Requests that are on record no more'),
  texts: z.array(z.string()).describe('Long texts of bodies'),
  requests: z.array(storedRequest),
  rejectedLogins: z.array(rejectedLogin),
  ledger: z.strictObject(ledgerShape),
  end: z
    .strictObject({
      believes: z.enum(beliefs).optional(),
      expected: count.optional(),
      workers: count.optional(),
    })
    .optional()
    .describe('What was said of the client for its verdict'),
  verdict: z.strictObject(verdictShape),
  verdictText: z.string(),
  state: fixture.nullable().describe('How the space stood; only where there are no steps'),
})

type StoredCapsule = z.output<typeof capsuleShape>
export type Capsule = Omit<StoredCapsule, 'requests' | 'texts'> & {
  readonly requests: readonly CapsuleRequest[]
}

/** Characters above which a text is stored once. */
const longText = 200

type Text = { readonly text: string }

/** The requests with numbers in place of long texts, and these texts. */
function storeTexts(requests: readonly CapsuleRequest[]) {
  const numbers = new Map<string, number>()
  const stored = <Body extends Text>(body: Body | null) => {
    if (!body || body.text.length <= longText) return body
    const number = numbers.get(body.text) ?? numbers.size
    numbers.set(body.text, number)
    return { ...body, text: number }
  }
  const shorter = requests.map(({ body, truth, told, ...others }) => ({
    ...others,
    body: stored(body),
    truth: truth && { ...truth, body: stored(truth.body) },
    told: told && { ...told, body: stored(told.body) },
  }))
  return { texts: [...numbers.keys()], requests: shorter }
}

/** @throws Error for the number of a text that is not there */
function restoreTexts({ texts, requests, ...others }: StoredCapsule): Capsule {
  const restored = <Body extends { readonly text: string | number }>(body: Body | null) => {
    if (!body || typeof body.text === 'string') return body
    const text = texts[body.text]
    if (text === undefined) throw new Error(`there is no text ${body.text}`)
    return { ...body, text }
  }
  return {
    ...others,
    requests: requests.map(({ body, truth, told, ...rest }) => ({
      ...rest,
      body: restored(body),
      truth: truth && { ...truth, body: restored(truth.body) },
      told: told && { ...told, body: restored(told.body) },
    })) as CapsuleRequest[],
  }
}

/** Bytes. More than a full journal takes, and little enough to be read at once. */
export const maxCapsuleBytes = 128 << 20

/** The text of a capsule with its digest. */
export function capsuleText(capsule: Capsule): string {
  const text = JSON.stringify({ ...capsule, ...storeTexts(capsule.requests) })
  return `${text.slice(0, -1)},"digest":"${hash('sha256', text)}"}\n`
}

/** Whether a text ends with the digest of what is before it, as `capsuleText` writes it. Another program may have written it otherwise. */
function hasDigest(text: string, digest: string): boolean {
  const end = `,"digest":"${digest}"}\n`
  return text.endsWith(end) && hash('sha256', `${text.slice(0, -end.length)}}`) === digest
}

/** Fast rather than small: a higher level takes twice as long for a tenth less. */
export const packCapsule = (text: string): Buffer => gzipSync(text, { level: 1 })

/** @param bytes of a file, packed or not @param name of the file, for messages @throws UserError that says what is wrong with it */
export function readCapsule(bytes: Buffer, name: string): Capsule {
  const refuse = (why: string): never => {
    throw new UserError(`${name} ${why}`)
  }
  if (bytes.length > maxCapsuleBytes)
    refuse(`is no capsule: it has ${bytes.length} bytes, and at most ${maxCapsuleBytes} are read`)
  let text = ''
  try {
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
    text = (isPacked ? gunzipSync(bytes, { maxOutputLength: maxCapsuleBytes }) : bytes).toString('utf8')
  } catch (error) {
    const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    refuse(
      isLong
        ? `is no capsule: unpacked it has more than ${maxCapsuleBytes} bytes`
        : 'is damaged: it cannot be unpacked',
    )
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    refuse(
      text.includes(capsuleFormat)
        ? 'is damaged, or cut: it is no whole JSON'
        : 'is no capsule: it is no JSON',
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('is no capsule')
  const { digest, ...rest } = value as Record<string, unknown>
  if (rest.$format !== capsuleFormat)
    refuse('is no capsule: it does not begin as one (docs/failures.md says where capsules come from)')
  if (rest.$version !== capsuleVersion)
    refuse(
      `is a capsule of format ${JSON.stringify(rest.$version)}, made by version ${JSON.stringify(rest.madeBy)}; this version reads format ${capsuleVersion}`,
    )
  const isAsWritten = typeof digest === 'string' && hasDigest(text, digest)
  if (!isAsWritten && hash('sha256', JSON.stringify(rest)) !== digest)
    refuse('is damaged: its digest is another one')
  const parsed = capsuleShape.safeParse(rest)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return refuse(`cannot be read: ${issue!.path.join('.')}: ${issue!.message}`)
  }
  try {
    return restoreTexts(parsed.data)
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message}`)
  }
}
