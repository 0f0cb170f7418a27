import type { EntryView } from '../../rig/entry-shape.ts'
import { Chip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import type { PageCall } from '../page.ts'

/** What it brought about on the platform, at once or later. */
export function Effects(props: { call: PageCall; space: string; view: EntryView; now: number }) {
  const { call, space, view, now } = props
  if (view.effects.length === 0) return null
  return (
    <section class="card" aria-labelledby="effects">
      <h2 id="effects">
        What it did on the <a href={call.inSpace(space, '/platform')}>platform</a>
      </h2>
      <ul class="effects">
        {view.effects.map(effect =>
          effect.what === 'mailing' ? (
            <li>
              <Chip tone="calm">mailing</Chip> <code>{effect.platformMailingId}</code> made{' '}
              <Time at={effect.at} now={now} />
            </li>
          ) : (
            <li>
              {Date.parse(effect.startsAt) <= now ? (
                <Chip tone="good">{effect.kind === 'test' ? 'test mail' : 'went out'}</Chip>
              ) : (
                <Chip tone="info">scheduled</Chip>
              )}{' '}
              sending <code>{effect.platformSendingId}</code> of mailing{' '}
              <code>{effect.platformMailingId}</code> to {effect.recipients}{' '}
              {effect.recipients === 1 ? 'recipient' : 'recipients'} <Time at={effect.startsAt} now={now} />
            </li>
          ),
        )}
      </ul>
    </section>
  )
}
