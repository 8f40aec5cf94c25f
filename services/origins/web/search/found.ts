/** The parts that /search and /search/read share. */
import { z } from 'zod'
import { searchUpstream } from '../../../../pipelines/lookups/search/upstream.ts'
import { type SearchAsked, type SearchHit, searchLookup } from '../../../../pipelines/lookups/search.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Refusal, Tools } from '../../../offer/operation.ts'

export const query = z
  .string()
  .trim()
  .min(1, 'a text to search for')
  .max(400, 'at most 400 characters')
  .describe('What to search for')

const text = z.string().nullable()

export const result = z.strictObject({
  position: z.int(),
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  date: text.describe('YYYY-MM-DD, where the upstream dates the page'),
})

export const answerBox = z
  .strictObject({ title: text, answer: text, snippet: text, url: text })
  .nullable()
  .describe('The direct answer of the upstream; null: it gave none')

export const source = z.string().describe('Who was asked')

export const searchRefusals = {
  no_results: { status: 422, about: 'The search found nothing' },
} as const satisfies Record<string, Refusal>

export async function search(
  asked: SearchAsked,
  { find, credit, isSample }: Pick<Tools, 'find' | 'credit' | 'isSample'>,
  refuse: (code: keyof typeof searchRefusals, message: string) => never,
): Promise<SearchHit> {
  const found = await find(searchLookup, asked)
  if (!found) throw new Failure('not_configured', 'The operator of this service has named no web search')
  if (!found.results.length) return refuse('no_results', 'The search found nothing')
  return { ...found, source: isSample(searchUpstream) ? credit(searchUpstream) : found.source }
}
