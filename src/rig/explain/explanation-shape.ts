import { z } from 'zod'

const sentences = z.array(z.string())

export const explanationShape = z
  .strictObject({
    summary: z.string().describe('What was asked, told, and truly done, in one sentence'),
    why: sentences.describe('Which scenario applied and why this one, or why none did'),
    done: sentences.describe('What truly happened, whatever the client was told'),
    told: sentences.describe('What the client was told, and how it left'),
    change: sentences.describe('What would have changed it, and what comes next'),
  })
  .describe('An answer explained, in sentences for a person')

export type Explanation = z.infer<typeof explanationShape>
