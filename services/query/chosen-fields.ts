/**
 * Less of an answer: its caller names the fields that he wants. What is sold, charged and kept is the whole answer; what is delivered
 * is chosen from it, and the signed receipt is of what is delivered. So the same payment gets other fields, too, while it is answered.
 */
import { withItsDigits } from '../offer/answer.ts'
import { Failure } from '../offer/errors.ts'
import type { Operation } from '../offer/operation.ts'
import type { Sold } from '../till/till.ts'
import { answerSchema } from './mcp/brief.ts'

export type ChosenFields = readonly string[] | undefined

/** What a caller cannot do without, whatever he chooses. */
const always = ['receipt']

/** Undefined is all of them. Who has paid before gets his answer, whatever he wants of it. */
export function fieldsIn(wanted: unknown, { response }: Operation, isKnown: boolean): ChosenFields {
  if (wanted === undefined || wanted === null) return undefined
  const { properties } = answerSchema(response)
  const known = new Set([...always, ...Object.keys(properties ?? {})])
  const isList = Array.isArray(wanted) && wanted.length > 0 && wanted.every(name => typeof name === 'string')
  if (isList && (!properties || wanted.every(name => known.has(name)))) return wanted
  if (isKnown) return undefined
  throw new Failure(
    'invalid_request',
    `fields: a list of fields of the answer, out of ${[...known].join(', ')}`,
  )
}

/** The list in a query string: names with commas between them, once or several times. */
export function listIn(query: unknown): readonly string[] | undefined {
  const { fields } = query as { fields?: string | string[] }
  return fields === undefined
    ? undefined
    : [fields].flat().flatMap(text => text.split(',').map(name => name.trim()))
}

export function chosenOf(answer: Record<string, unknown>, fields: ChosenFields): Record<string, unknown> {
  if (!fields) return answer
  const wanted = new Set([...fields, ...always])
  return Object.fromEntries(Object.entries(answer).filter(([name]) => wanted.has(name)))
}

/** The part of a sold answer that its caller has chosen. */
export const narrowed = (sold: Sold, fields: ChosenFields): Sold =>
  fields
    ? { ...sold, body: JSON.stringify(chosenOf(withItsDigits(sold.body) as Record<string, unknown>, fields)) }
    : sold
