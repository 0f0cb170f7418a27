import { z } from 'zod'
import {
  belief,
  type CaseResult,
  caseResult,
  ExamRefusal,
  type OpenCase,
  type OpenExam,
  offeredCase,
  sessionOptions,
} from '../judge/exam/exam-result.ts'
import type { RigView } from '../rig/space-view.ts'
import { problems } from '../service/problem.ts'
import { documentedPassword } from '../store/tenant-directory.ts'
import { UserError } from '../store/user-error.ts'
import { findServiceBase } from './openapi.ts'
import { createdAnswer, type IncomingCall, route } from './route.ts'
import { document, link, members } from './schemas.ts'
import type { ControlTools } from './tools.ts'
import { type ClientReport, clientReport } from './verdict.ts'

const ending = members({
  believes: belief.describe('What the client believes at its end'),
  output: z.string().max(100_000).default('').describe('What it printed, for reports'),
})

const openCase = z.strictObject({
  name: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  url: z
    .string()
    .nullable()
    .describe(
      'Base URL of the service; null where the control API has a port of its own, and the service listens nowhere',
    ),
  user: z.string(),
  password: z
    .string()
    .nullable()
    .describe('null where it is not a documented one; then it is what your fixture gives this user'),
  synchronizationId: z.string().describe('What the client is to send'),
  scheduleDate: z.string().nullable().describe('A date-time to send at; null where it is to be sent at once'),
  status: z
    .enum(['open', 'passed', 'failed', 'inconclusive', 'known'])
    .describe(
      'open: its client has not ended; known: it would have failed, and --known accepts all for which it would',
    ),
  _links: z.record(z.string(), link),
})

const count = z.int().nonnegative()
const examDocument = document({
  id: z.string(),
  seed: z.int(),
  speed: z.number(),
  open: count.describe('Cases whose client has not ended'),
  passed: count,
  failed: count,
  known: count,
  inconclusive: count.describe('Cases that proved nothing'),
  cases: z.array(openCase),
})

const caseDocument = document(caseResult.shape)
const noExam = { 404: 'There is no such exam, or it was removed' }

export const examRoutes = [
  route('GET /exam-cases', 'listExamCases', {
    rel: 'exam-cases',
    summary: 'The cases that an exam can hand out',
    description:
      'With their tags, to choose from. Cases in which the client has to be killed, started twice or led to other ports are for the command exam.',
    answer: document({ _embedded: z.strictObject({ cases: z.array(offeredCase) }) }),
    async handle(call) {
      const sessions = await call.tools.exams()
      const cases = await sessions.cases().catch(throwRefusal)
      return { _embedded: { cases }, _links: { self: call.link('/exam-cases') } }
    },
  }),
  route('GET /exams', 'listExams', {
    rel: 'exams',
    summary: 'The exams that were begun here, the latest last',
    description:
      'At most a thousand cases are kept in all. Above that, exams are removed that are over, or that were not used for an hour. They end with the process.',
    answer: document({ _embedded: z.strictObject({ exams: z.array(examDocument) }) }),
    async handle(call) {
      const sessions = await call.tools.exams()
      return {
        _embedded: { exams: sessions.all().map(exam => toExamDocument(call, exam)) },
        _links: { self: call.link('/exams') },
      }
    },
  }),
  route('POST /exams', 'beginExam', {
    summary: 'Hands out cases, each with a space of its own',
    description:
      'For a test suite that runs the client itself: for each case it lets the client send one mailing as the case says, then tells what the client believes. Cases in which the client has to be killed, started twice or led to other ports are for the command exam.',
    body: sessionOptions,
    example: { only: ['reset-after', 'pending-*'] },
    answer: examDocument,
    also: {
      201: 'The exam has begun',
      409: 'Only the command exam can play the cases, or there is no room beside the exams under way',
    },
    async handle(call) {
      const sessions = await call.tools.exams()
      return createdAnswer(toExamDocument(call, await sessions.open(call.body).catch(throwRefusal)))
    },
  }),
  route('GET /exams/{exam}', 'getExam', {
    rel: 'exam',
    summary: 'One exam, with how its cases stand',
    answer: examDocument,
    also: noExam,
    handle: async call => toExamDocument(call, await findExam(call)),
  }),
  route('DELETE /exams/{exam}', 'removeExam', {
    summary: 'Removes an exam with the spaces of its cases',
    also: noExam,
    async handle(call) {
      const sessions = await call.tools.exams()
      await sessions.remove(await findExam(call))
    },
  }),
  route('GET /exams/{exam}/cases/{case}', 'getExamCase', {
    rel: 'exam-case',
    summary: 'The result of one case',
    answer: caseDocument,
    also: { 404: 'There is no such exam or case', 409: 'Its client has not ended' },
    async handle(call) {
      const exam = await findExam(call)
      const one = findCase(exam, call.params.case)
      if (one.result) return { ...one.result, _links: caseLinks(call, exam, one) }
      throw problems.notPossibleHere(
        `The client of case "${one.name}" has not ended; POST what it believes to this address`,
      )
    },
  }),
  route('POST /exams/{exam}/cases/{case}', 'endExamCase', {
    summary: 'The client of a case has ended: takes what it believes, and gives the verdict',
    description:
      'What is late or planned in the space of the case happens now. The verdict stands; the space can still be looked at. If the mock was started with --known, what that accepts in this case does not fail it.',
    body: ending,
    example: { believes: 'sent' },
    answer: caseDocument,
    also: { 404: 'There is no such exam or case', 409: 'It had ended before, or its space was removed' },
    async handle(call) {
      const exam = await findExam(call)
      const one = findCase(exam, call.params.case)
      const sessions = await call.tools.exams()
      const { believes, output } = call.body
      const result = await sessions.end(exam, one.name, believes, output).catch(throwRefusal)
      const { spaces, rigs, run } = call.tools
      const space = spaces.getOpen(one.space)
      const rig = space && rigs.known(space)
      if (rig) run.noteExam(rig, endOf(result), result)
      return { ...result, _links: caseLinks(call, exam, one) }
    },
  }),
]

/** What the client of a case said at its end, for the verdict of its space. */
export const endOf = ({ reached, expected }: CaseResult): ClientReport =>
  clientReport({ believes: reached.belief, expected: expected?.sent })

/** The cases of exams by their spaces; none where no space looks like that of one. */
export async function listExamCases(
  { exams }: Pick<ControlTools, 'exams'>,
  rigs: readonly RigView[],
): Promise<ReadonlyMap<string, OpenCase>> {
  const isOfExam = rigs.some(({ space }) => space.name.includes('+exam-'))
  const cases = isOfExam ? (await exams()).all().flatMap(it => it.cases) : []
  return new Map(cases.map(it => [it.space, it]))
}

function throwRefusal(error: unknown): never {
  if (error instanceof ExamRefusal) throw problems.notPossibleHere(error.message)
  // An unknown case or tag.
  throw error instanceof UserError ? problems.validation([], [error.message]) : error
}

/** @throws Problem 404 */
export async function findExam(call: IncomingCall<{ readonly exam: string }>): Promise<OpenExam> {
  const sessions = await call.tools.exams()
  const { exam } = call.params
  const found = sessions.find(exam)
  if (found) return found
  const there = sessions.all().map(({ id }) => id)
  const gone = {
    removal: ' any more, it was removed',
    'making room': ' any more, it was over or left alone, and was removed to make room for others',
    never: '',
  }[sessions.removalReason(exam) ?? 'never']
  throw problems.notFound(
    `exam "${exam.slice(0, 60)}"${gone}; ${there.length === 0 ? 'none has begun' : `there are ${there.join(', ')}`}`,
  )
}

/** @throws Problem 404 */
function findCase(exam: OpenExam, name: string): OpenCase {
  const found = exam.cases.find(it => it.name === name)
  if (!found) throw problems.notFound(`case "${name.slice(0, 100)}" in ${exam.id}`)
  return found
}

const caseLinks = (call: IncomingCall, { id }: OpenExam, { name, space }: OpenCase) => ({
  self: call.link(`/exams/${id}/cases/${name}`),
  exam: call.link(`/exams/${id}`),
  space: call.spaceLink(space),
  capsule: call.spaceLink(space, '/capsule'),
})

function toExamDocument(call: IncomingCall, exam: OpenExam) {
  const { id, options, cases } = exam
  const count = (status: ReturnType<typeof statusOf>) => cases.filter(it => statusOf(it) === status).length
  return {
    id,
    seed: options.seed,
    speed: options.speed,
    open: count('open'),
    passed: count('passed'),
    failed: count('failed'),
    known: count('known'),
    inconclusive: count('inconclusive'),
    cases: cases.map(it => ({
      name: it.name,
      description: it.description,
      tags: [...it.tags],
      url: findServiceBase(call) ?? null,
      user: it.user,
      password: documentedPassword(it.password) ?? null,
      synchronizationId: it.synchronizationId,
      scheduleDate: it.scheduleDate ?? null,
      status: statusOf(it),
      _links: caseLinks(call, exam, it),
    })),
    _links: { self: call.link(`/exams/${id}`), exams: call.link('/exams') },
  }
}

const statusOf = ({ result }: OpenCase) => result?.status ?? ('open' as const)
