/** The reference client as a program that is stopped twice in its run, longer than its deadline, as by a closed lid. */
import { spawn } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../../examples/clients/reference/main.mjs', import.meta.url))
const child = spawn(process.execPath, [program], { stdio: 'inherit' })
child.once('exit', code => process.exit(code ?? 3))
/** Real milliseconds of its deadline of 30 s. */
const deadline = 30_000 / Number(process.env.MAILING_SYNC_SPEED)
for (let nth = 0; nth < 2; nth++) {
  await wait(100 + Math.random() * 300)
  child.kill('SIGSTOP')
  await wait(1.2 * deadline)
  child.kill('SIGCONT')
}
