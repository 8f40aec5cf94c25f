/** The parts that /summarize and /web/brief share. */
import { z } from 'zod'
import { isUnreadable, type Summary, summaryLookup } from '../../../../pipelines/lookups/document.ts'
import { Busy } from '../../../../pipelines/rails/outside/browser/browser-failures.ts'
import type { Refusal, Tools } from '../../../offer/operation.ts'

export const maxWords = (usual: number) =>
  z.int().min(10).max(500).default(usual).describe('The summary has at most as many words')

export const summaryAnswer = {
  summary: z.string(),
  words: z.int().describe('The number of words of the summary'),
  method: z
    .enum(['extractive', 'model'])
    .describe('extractive: whole sentences of the text itself; model: written by a language model'),
}

export const summaryRefusals = {
  nothing_to_summarize: { status: 422, about: 'The text is no longer than `max_words`' },
  no_summary: { status: 422, about: 'No sentence of the text stands alone in `max_words` words' },
} as const satisfies Record<string, Refusal>

export async function summaryOf(
  text: string,
  mostWords: number,
  { find }: Pick<Tools, 'find'>,
  refuse: (code: keyof typeof summaryRefusals, message: string) => never,
): Promise<Summary> {
  const found = await find(summaryLookup, { text, mostWords })
  if (!found) throw new Error('the lookup of summaries answers every question')
  if (isUnreadable(found)) throw new Busy('The text could not be read in time', 5)
  if (found === 'none')
    return refuse(
      'no_summary',
      `No whole sentence of the text says by itself what it tells of, or none fits (max_words: ${mostWords})`,
    )
  if ('short' in found)
    return refuse(
      'nothing_to_summarize',
      `The text has ${found.short} words, no more than its summary may have (max_words: ${mostWords})`,
    )
  return found
}
