import { problems } from '../service/problem.ts'
import { page } from './page.ts'

/** Meaning of each prefixed link relation of the service. */
export const relations: Readonly<Record<string, string>> = {
  'mailing-editor': 'Opens the editor for the mailing. For a person, in a browser.',
  'mailing-preview-draft': 'Opens a preview of the draft version of the mailing. Present while there is one.',
  'mailing-preview-approved':
    'Opens a preview of the approved version of the mailing. Present while there is one.',
  sendings: 'The sendings of the synchronization: a collection to read, and where a sending is created.',
  'mailing-uploads': 'The latest mailing-upload of the synchronization.',
  report: 'Opens the report of the sending. For a person, in a browser.',
  statistics: 'The statistics of the sending.',
  'upcoming-modifications':
    'Leads to everything that is modified from now on. On the last page of an incremental synchronization.',
  mailings: 'The mailings of the space.',
  'mailing-synchronizations': 'The mailing synchronizations of the space.',
  'test-profiles': 'The test profiles of the target list.',
  'test-mail-groups': 'The test-mail groups of the target list.',
  'accessible-customers': 'The platform customers that the space may use.',
  lists: 'The lists of a platform customer.',
}

/** The target of `curies`: the meaning of a link relation. */
export default page({
  show(call) {
    const { rel } = call.params
    const meaning = Object.hasOwn(relations, rel) ? relations[rel] : undefined
    if (!meaning)
      throw problems.notFound(`link relation ${rel}; there are ${Object.keys(relations).join(', ')}`)
    return {
      title: `Relation ${rel}`,
      content: (
        <div class="narrow">
          <h1>
            <code>
              {call.tools.names.relationPrefix}:{rel}
            </code>
          </h1>
          <p>{meaning}</p>
        </div>
      ),
    }
  },
})
