import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { z } from 'zod'
import { problems } from '../service/problem.ts'
import { describeAlternatives } from '../store/validation-messages.ts'
import { route, WrittenAnswer } from './route.ts'
import { document } from './schemas.ts'

/** Files of the kits by the language of their tests, below `examples/kits`. */
const kits: Readonly<Record<string, string>> = {
  java: 'java/MailingSyncMock.java',
  php: 'php/MailingSyncMock.php',
  python: 'python/mailing_sync_mock.py',
}

export const kitRoutes = [
  route('GET /kits', 'listKits', {
    rel: 'kits',
    summary: 'The languages for which there is a kit',
    answer: document({
      _embedded: z.strictObject({ kits: z.array(document({ language: z.string(), file: z.string() })) }),
    }),
    handle: call => ({
      _links: { self: call.link('/kits') },
      _embedded: {
        kits: Object.entries(kits).map(([language, file]) => ({
          language,
          file: posix.basename(file),
          _links: { self: call.link(`/kits/${language}`) },
        })),
      },
    }),
  }),
  route('GET /kits/{language}', 'getKit', {
    rel: 'kit',
    summary: 'The one file that tests in java, php or python need',
    description: 'curl -OJ writes it under its own name.',
    answerType: 'text/plain',
    also: { 404: 'There is no kit for this language' },
    handle({ params: { language } }) {
      const file = Object.hasOwn(kits, language) ? kits[language] : undefined
      if (file === undefined)
        throw problems.notFound(`kit "${language}";${describeAlternatives(language, Object.keys(kits))}`)
      const text = readFileSync(new URL(`../../examples/kits/${file}`, import.meta.url), 'utf8')
      return new WrittenAnswer(text, {
        'Content-Type': 'text/plain; charset=utf-8',
        'Content-Disposition': `attachment; filename="${posix.basename(file)}"`,
      })
    },
  }),
]
