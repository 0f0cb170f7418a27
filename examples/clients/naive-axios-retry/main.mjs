import { runAsCommand } from '../command.mjs'
import { send } from './send.mjs'

await runAsCommand(send)
