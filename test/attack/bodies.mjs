import { attackProgram, send } from './program.mjs'

const kilo = 1_000
const zeros = count => `[${'0,'.repeat(count)}0]`
const members = count => `{${Array.from({ length: count }, (_, n) => `"m${n}":1`).join(',')}}`

/** Bodies that hold as much as they can of what is refused: first of control calls, then of the service. */
export default async function run() {
  return {
    attack: 'bodies of control calls up to 32 MiB, of service requests up to 1 MiB, full of mistakes',
    ...(await attackProgram({}, async url => {
      const control = `${url}/_mock/spaces/demo%2Battack`
      const statuses = []
      let longest = 0
      const note = ({ status, bytes }) => {
        statuses.push(status)
        longest = Math.max(longest, bytes)
      }
      for (const count of [500 * kilo, 4_000 * kilo, 15_000 * kilo])
        for (const body of [
          `{"fixture":{"space":"x","users":${zeros(count)}}}`,
          `{"fixture":{"space":"x","lists":[{"testMailGroups":${zeros(count)}}]}}`,
          `{"scenario":{"rules":${zeros(count)}}}`,
          members(Math.min(count / 5, 2_000 * kilo)),
        ])
          note(await send(control, 'PUT', body))
      const lists = `${url}/integrations/mailing-platform/accessible-customers/harbour-group/configuration/accessible-lists`
      for (let round = 0; round < 20; round++)
        for (const body of [
          `{"permittedLists":[${'"",'.repeat(330 * kilo)}""]}`,
          members(60 * kilo),
          `${'['.repeat(500 * kilo)}`,
        ])
          note(await send(lists, 'PUT', body))
      const wrong = statuses.filter(it => it < 400 || it >= 500)
      if (wrong.length > 0) throw new Error(`answered ${wrong.join(', ')}`)
      return `${statuses.length} refused, the longest answer has ${Math.ceil(longest / 1024)} KiB`
    })),
  }
}
