import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import { params, text, uuid } from './params.ts'
import { providerState } from './provider-state.ts'

const given = params({ mailingId: uuid.optional(), name: text.optional().describe('Its name') })
const values = { mailingId: 'ID of the mailing', mailingName: 'Name of its latest version' }

/** A mailing in one state of approval (spec 2.1). A mailing that is there already is brought into it. */
const mailing = (
  name: string,
  description: string,
  versions: { readonly isApproved: boolean; readonly hasDraft: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a mailing', 'a mailing {mailingId}')],
    description,
    params: given,
    values,
    async setUp(scene, { mailingId, name: own }) {
      const row = await scene.mailing({ mailingId, name: own, ...versions })
      return { mailingId: row.id, mailingName: latestVersion(row).name }
    },
  })

export const mailingStates = [
  mailing('a mailing is approved', 'It has an approved version and no draft.', {
    isApproved: true,
    hasDraft: false,
  }),
  mailing('a mailing has only a draft', 'Nothing of it was ever approved.', {
    isApproved: false,
    hasDraft: true,
  }),
  mailing('a mailing is approved and has a draft', 'An approved version, and a newer one as a draft.', {
    isApproved: true,
    hasDraft: true,
  }),
  providerState({
    name: 'there is no mailing',
    alsoNamed: ['there is no mailing {mailingId}'],
    description: 'Gives an ID that no mailing has.',
    params: params({ mailingId: uuid.optional() }),
    values: { mailingId: 'ID that no mailing has' },
    async setUp(scene, { mailingId = scene.newId('mailing') }) {
      if (!scene.tables.mailings.get(mailingId)) return { mailingId }
      throw problems.field('params.mailingId', `there is a mailing ${mailingId}, and mailings never vanish`)
    },
  }),
]
