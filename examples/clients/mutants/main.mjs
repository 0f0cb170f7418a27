import { runAsCommand } from '../command.mjs'
import { clientOf, mutants } from './registry.mjs'

const [, , id] = process.argv
const mutant = mutants.find(it => it.id === id)
if (!mutant) {
  console.error(`expected one of ${mutants.map(it => it.id).join(', ')}, got ${id ?? 'nothing'}`)
  process.exit(2)
}
await runAsCommand(clientOf(mutant))
