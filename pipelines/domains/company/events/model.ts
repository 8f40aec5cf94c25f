/**
 * Makes summaries with a language model behind an OpenAI-compatible endpoint, in place of the rules. It is off by
 * default.
 */
import { languageModel, type ModelOptions } from '../../document/summary/model.ts'
import { longestSummary } from './summary.ts'

/** Undefined if the model gave no usable answer. Then the rules decide. */
export type Summarise = (text: string, signal: AbortSignal) => Promise<string | undefined>

const task = `Summarise this SEC 8-K report in one or two plain English sentences, third person, past tense, at most ${longestSummary} characters. Say only what the text says and copy its numbers. No advice, no adjectives of judgement.`
const mostCharacters = 20_000

/** Without a model, rules write them. */
export function summariesBy(options: ModelOptions | undefined): Summarise | undefined {
  if (!options) return undefined
  const model = languageModel(options)
  return async (report, signal) => {
    const summary = await model({ task, text: report.slice(0, mostCharacters), signal })
    return summary !== undefined && summary.length <= longestSummary ? summary : undefined
  }
}
