import { dials } from '../service/dials.ts'
import type { VerifyResult } from './result.ts'

/**
 * The settings that make the mock behave like the target, as --config takes them.
 * @param isJson without comments, then
 */
export function configText(result: VerifyResult, isJson: boolean): string {
  const { config, target, incomplete, unseenDials } = result
  const { dial, ...settings } = config
  const isTurned = Object.keys(dial).length > 0
  if (isJson) return `${JSON.stringify(isTurned ? config : settings, null, 2)}\n`
  return [
    '# Written by "mailing-sync-mock verify"; "mailing-sync-mock --config" takes it.',
    `# Makes the mock behave like ${JSON.stringify(target.url)}, as far as could be seen.`,
    ...(incomplete === null
      ? []
      : ['# INCOMPLETE: verifying ended early, so choices of the target may be missing.']),
    ...Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(isTurned ? ['dial:'] : []),
    ...Object.entries(dial).flatMap(([name, value]) => [
      `  # ${dials[name as keyof typeof dials].description}`,
      `  ${name}: ${JSON.stringify(value)}`,
    ]),
    ...(unseenDials.length === 0 ? [] : [`# Not seen, so as the mock has them: ${unseenDials.join(', ')}`]),
    '',
  ].join('\n')
}
