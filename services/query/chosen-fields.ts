/**
 * Less of an answer: its caller names the fields that he wants. What is sold, charged and kept is the whole answer; what is delivered
 * is chosen from it, and the signed receipt is of what is delivered. So the same payment gets other fields, too, while it is answered.
 */
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
export function narrowed(sold: Sold, fields: ChosenFields): Sold {
  if (!fields) return sold
  const wanted = new Set([...fields, ...always])
  const body = `{${fieldsOf(sold.body)
    .filter(({ name }) => wanted.has(name))
    .map(({ text }) => text)}}`
  return { ...sold, answerName: `${sold.answerName} ${fields.toSorted()}`, body }
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [list, listEnd, object, objectEnd] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The fields of an object as they are written: to parse and print a long answer would take ten times as long for each replay. */
function fieldsOf(json: string): { name: string; text: string }[] {
  const fields: { name: string; text: string }[] = []
  for (let at = json.indexOf('"'); at >= 0; at = json.indexOf('"', at)) {
    const nameEnd = endOfText(json, at)
    const end = endOfValue(json, json.indexOf(':', nameEnd) + 1)
    fields.push({ name: JSON.parse(json.slice(at, nameEnd)) as string, text: json.slice(at, end) })
    at = end
  }
  return fields
}

/** The place behind the text that begins here. */
function endOfText(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    let before = at - 1
    while (json.charCodeAt(before) === backslash) before--
    if ((at - before) % 2 === 1) return at + 1
  }
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const sign = json.charCodeAt(at)
    if (sign === quote) at = endOfText(json, at) - 1
    else if (sign === object || sign === list) depth++
    else if (sign === objectEnd || sign === listEnd) {
      if (depth-- === 0) return at
    } else if (sign === comma && depth === 0) return at
  }
}
