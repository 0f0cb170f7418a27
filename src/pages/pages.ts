import { Hono } from 'hono'
import { html } from 'hono/html'
import type { Names } from '../service/links.ts'
import { latestVersion } from '../service/mailings.ts'
import { rendered } from '../service/preview.ts'
import { problemKinds } from '../service/problem-kinds.ts'
import { stateOf } from '../service/sendings/lifecycle.ts'
import { statisticsOf } from '../service/sendings/statistics.ts'
import type { Version } from '../store/rows.ts'
import type { Space, Spaces } from '../store/spaces.ts'
import { facts, layout } from './layout.ts'
import { relations } from './relations.ts'

/** What the links of the service that a person opens in a browser lead to. */
interface PageCall {
  readonly base: string
  readonly spaces: Spaces
  readonly names: Names
}

const app = new Hono<{ Bindings: PageCall }>().basePath('/_mock')

/** The page at the request's address, or undefined when there is none. */
export async function page(
  spaces: Spaces,
  names: Names,
  request: Request,
  { base }: { base: string },
): Promise<Response | undefined> {
  const response = await app.fetch(request, { base, spaces, names })
  return response.status === 404 && !response.headers.has('content-security-policy') ? undefined : response
}

/** Only a space that is there: looking at a page must not make one. */
const spaceOf = (spaces: Spaces, name: string): Promise<Space | undefined> => spaces.existing(name)

const missing = (what: string) =>
  layout(
    'Not found',
    html`<h1>Not found</h1><p>There is no ${what}. It may have been reset since the link was made.</p>`,
    404,
  )

/** `svc:mailing-editor` */
app.get('/spaces/:space/mailings/:id', async c => {
  const { space: spaceName, id } = c.req.param()
  const mailing = (await spaceOf(c.env.spaces, spaceName))?.data.tables.mailings.get(id)
  if (!mailing) return missing(`mailing ${id} in space ${spaceName}`)
  const latest = latestVersion(mailing)
  const versions = [
    ['draft', mailing.draft],
    ['approved', mailing.approved],
  ] as const
  return layout(
    latest.name,
    html`<h1>${latest.name}</h1>
      <p class="soft">Mailing of space ${spaceName}</p>
      ${facts([
        ['ID', mailing.id],
        ['Created', mailing.creationDate],
        ['Modified', mailing.modificationDate],
      ])}
      <h2>Versions</h2>
      <ul>
        ${versions.map(
          ([kind, version]) =>
            version &&
            html`<li><a href="${`${c.req.path}/${kind}`}">${kind}, version ${version.number}</a>: ${version.name}</li>`,
        )}
      </ul>`,
  )
})

/** `svc:mailing-preview-draft` and `svc:mailing-preview-approved` */
app.get('/spaces/:space/mailings/:id/:version{draft|approved}', async c => {
  const { space: spaceName, id, version: kind } = c.req.param()
  const mailing = (await spaceOf(c.env.spaces, spaceName))?.data.tables.mailings.get(id)
  const version: Version | null | undefined = mailing?.[kind as 'draft' | 'approved']
  if (!version) return missing(`${kind} version of mailing ${id} in space ${spaceName}`)
  const { subject, htmlContent, textContent } = rendered(version)
  return layout(
    version.name,
    html`<h1>${subject || '(no subject)'}</h1>
      <p class="soft"><a href="${c.req.path.replace(/\/\w+$/, '')}">${version.name}</a>, ${kind} version</p>
      <iframe sandbox title="HTML part of the mailing" srcdoc="${htmlContent}"></iframe>
      <h2>Text part</h2>
      <pre>${textContent}</pre>`,
  )
})

/** `svc:report` */
app.get('/spaces/:space/sendings/:id/report', async c => {
  const { space: spaceName, id } = c.req.param()
  const space = await spaceOf(c.env.spaces, spaceName)
  const sending = space?.data.tables.sendings.get(id)
  if (!space || !sending) return missing(`sending ${id} in space ${spaceName}`)
  const now = space.clock.now()
  const { sendingStatistics, responseStatistics } = statisticsOf(space, sending, now)
  const share = (rate: number) => `${(rate * 100).toFixed(1)} %`
  return layout(
    `Report of sending ${id}`,
    html`<h1>Report</h1>
      <p class="soft">Sending ${id} of space ${spaceName}</p>
      ${facts([
        ['State', stateOf(sending, now)],
        ['Transaction ID', sending.transactionId],
        ['Created', sending.creationDate],
        ['Scheduled for', sending.scheduleDate],
        ['Started', sendingStatistics.startDate],
        ['Finished', sendingStatistics.endDate],
      ])}
      <h2>Delivery</h2>
      ${facts([
        ['Recipients', sendingStatistics.recipientsCount],
        ['Delivered', sendingStatistics.deliveredMailsCount],
        ['Bounced', sendingStatistics.bounceCount],
        ['Not sent', sendingStatistics.notSentMailsCount],
        ['Errors', sendingStatistics.sentErrorCount],
        ['Mails per hour', sendingStatistics.mailsPerHour],
      ])}
      <h2>Response</h2>
      ${facts([
        ['Opened by', `${responseStatistics.openingRecipients} (${share(responseStatistics.openingRate)})`],
        [
          'Clicked by',
          `${responseStatistics.clickingRecipients} (${share(responseStatistics.uniqueClickRate)})`,
        ],
        ['Clicks', responseStatistics.totalClicks],
        ['Click-to-open rate', share(responseStatistics.ctor)],
        [
          'Unsubscribed',
          `${responseStatistics.unsubscribeClicks + responseStatistics.listUnsubscribeClicks} (${share(responseStatistics.unsubscribeRate)})`,
        ],
      ])}`,
  )
})

/** Where `curies` lead: what a link relation means. */
app.get('/relations/:rel', c => {
  const rel = c.req.param('rel')
  const meaning = Object.hasOwn(relations, rel) ? relations[rel] : undefined
  if (!meaning) return missing(`link relation ${rel}; there are ${Object.keys(relations).join(', ')}`)
  return layout(
    `Relation ${rel}`,
    html`<h1><code>${c.env.names.relationPrefix}:${rel}</code></h1><p>${meaning}</p>`,
  )
})

/** Where the `type` of a problem leads. */
app.get('/problems/:name', c => {
  const name = c.req.param('name')
  const kind = Object.hasOwn(problemKinds, name) ? problemKinds[name as keyof typeof problemKinds] : undefined
  if (!kind) return missing(`problem ${name}; there are ${Object.keys(problemKinds).join(', ')}`)
  return layout(
    kind.title,
    html`<h1>${kind.title}</h1>${facts([['Status', kind.status]])}<p>${kind.meaning}</p>`,
  )
})
