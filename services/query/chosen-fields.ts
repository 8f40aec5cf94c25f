/**
 * Less of an answer: its caller names the fields that he wants. What is sold, charged and kept is the whole answer; what is delivered
 * is chosen from it, and the signed receipt is of what is delivered. So the same payment gets other fields, too, while it is answered.
 */
import { Failure } from '../offer/errors.ts'
import type { Operation } from '../offer/operation.ts'
import { receipt } from '../till/receipt.ts'
import type { Sold } from '../till/till.ts'
import { jsonSchema } from './catalog/schemas.ts'
import { chosenIn, oddPath, pathsIn, type Wanted, wantedIn } from './field-paths.ts'
import { partOf } from './field-texts.ts'

export type ChosenFields = readonly string[] | undefined

/** What a caller cannot do without, whatever he chooses. Of it, too, he may choose some. */
const always = 'receipt'

/** Undefined is all of them. Who has paid before gets his answer, whatever he wants of it. */
export function fieldsIn(wanted: unknown, operation: Operation, isKnown: boolean): ChosenFields {
  if (wanted === undefined || wanted === null) return undefined
  const schema = schemaOf(operation)
  const paths = pathsIn(wanted)
  const odd = paths ? oddPath(schema, paths) : { within: '', known: Object.keys(schema.properties) }
  if (!odd) return paths
  if (isKnown) return undefined
  const of = odd.within ? `; those of ${odd.within} are` : ', out of'
  throw new Failure(
    'invalid_request',
    odd.known.length || !odd.within
      ? `fields: a list of fields of the answer${of} ${odd.known.join(', ')}`
      : `fields: a list of fields of the answer; ${odd.within} has none within`,
  )
}

/** The schema of an answer with its receipt. A free answer over MCP has one field more in it. */
function schemaOf({ response }: Operation): { properties: Record<string, object> } & Record<string, unknown> {
  const known = schemas.get(response)
  if (known) return known
  const { properties, ...schema } = jsonSchema(response)
  const made = { ...schema, properties: { [always]: ofReceipt, ...properties } }
  schemas.set(response, made)
  return made
}

const { properties: inReceipt, ...receiptSchema } = jsonSchema(receipt)
const ofReceipt = { ...receiptSchema, properties: { ...inReceipt, free_calls_left: { type: 'integer' } } }
const schemas = new WeakMap<Operation['response'], ReturnType<typeof schemaOf>>()

/** The list in a query string: names with commas between them, once or several times. */
export function listIn(query: unknown): readonly string[] | undefined {
  const { fields } = query as { fields?: string | string[] }
  return fields === undefined
    ? undefined
    : [fields].flat().flatMap(text => text.split(',').map(name => name.trim()))
}

export const chosenOf = (answer: Record<string, unknown>, fields: ChosenFields): Record<string, unknown> =>
  fields ? (chosenIn(answer, wantedOf(fields)) as Record<string, unknown>) : answer

function wantedOf(fields: readonly string[]): Wanted {
  const wanted = wantedIn(fields)
  return wanted.has(always) ? wanted : new Map([...wanted, [always, true]])
}

/** The part of a sold answer that its caller has chosen. */
export function narrowed(sold: Sold, fields: ChosenFields): Sold {
  if (!fields) return sold
  const body = partOf(sold.body, wantedOf(fields))
  return { ...sold, answerName: `${sold.answerName} ${JSON.stringify(fields.toSorted())}`, body }
}
