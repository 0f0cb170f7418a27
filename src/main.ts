#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import type { FlagsOf } from './cli/command-flags.ts'
import { readCommandLine, type Task } from './cli/command-line.ts'
import { exitWith, explainError } from './cli/terminal.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Neither a closed pipe (`| head -1`) nor a full disk ends a command with a stack trace.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  const code = await run(await readCommandLine(process.argv.slice(2), process.env, version))
  if (code !== undefined) process.exitCode = code
} catch (error) {
  const problems = explainError(error)
  if (problems === undefined) throw error
  exitWith(2, problems)
}

/** Runs a command, which is loaded only now. @returns the exit code, if the command ends by itself */
async function run(task: Task): Promise<number | undefined> {
  switch (task.run) {
    case 'serve':
      return (await import('./cli/serve.ts')).serve(task.config, version)
    case 'health':
      return (await import('./cli/health-command.ts')).healthCommand(task.config)
    case 'exam':
      return (await import('./cli/exam-command.ts')).examCommand(task.flags, version)
    case 'verify':
      return (await import('./cli/verify-command.ts')).verifyCommand(task.flags)
    case 'pull':
      return (await import('./cli/pull-command.ts')).pullCommand(task.flags)
    case 'report':
      return (await import('./cli/report-command.ts')).reportCommand(task.flags)
    case 'open':
      return (await import('./cli/capsule-commands.ts')).openCommand(task.flags)
    case 'judge':
      return (await import('./cli/capsule-commands.ts')).judgeCommand(task.flags)
    case 'ca':
      return printAuthority(task.flags)
    case 'nothing':
      return undefined
  }
}

/** Prints or writes the certificate authority of a data directory. @throws UserError */
async function printAuthority({ data, out }: FlagsOf<'ca'>): Promise<undefined> {
  const { readAuthorityOf } = await import('./tls/certificates.ts')
  const certificate = await readAuthorityOf(data)
  if (out === undefined) process.stdout.write(certificate)
  else (await import('./cli/report-files.ts')).writeOrRefuse(out, certificate)
}
