/** Where the answers of an operation come from, whatever kind it is: an HTTP API or a view. */
import type { z } from 'zod'
import type { Lookup } from '../../pipelines/lookups/lookup.ts'
import type { Tools } from '../offer/operation.ts'
import type { Question } from './template.ts'

/** A JSON text, or the word of `refuse` that says why there is none. */
export type SoldValue = { json: string } | { refused: string }

export interface SellSource {
  lookup: Lookup<Question, SoldValue>
  response: z.ZodObject
  /** Why a value of the question cannot be asked. Undefined: it can. */
  misfits(question: Question): readonly { field: string; message: string }[]
  /** Throws where its data is older than the file promises. */
  checkFresh?(tools: Tools): void
}

/** Further questions to a slow upstream fail at once, and wait in nobody's way. */
const atOnce = 8
const mostWaiting = 32
export const patience = { atOnce, mostWaiting, circuit: { failures: 5, openMs: 10_000 } }
