/**
 * Schemas and descriptions, as short as a model needs them to choose a tool and to call it. A model reads the whole list before its
 * first question. The service checks each question anyway, and a mistake is free.
 */
import { isObject } from '../../till/header.ts'

type Schema = Record<string, unknown>

/** What a question must keep beside its types. One that does not is told so, free. */
const bounds = [
  ...['additionalProperties', 'pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'propertyNames'],
]
const ofOne: ReadonlySet<string> = new Set(['items', 'not', 'additionalProperties'])
const ofMany: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const ofNamed: ReadonlySet<string> = new Set(['properties', '$defs'])

interface Leaving {
  /** Words of JSON Schema. */
  words: ReadonlySet<string>
  /** What is said of fields is cut to its first clause, and fields within fields are left out. */
  isBrief?: boolean
}

const schemaOf = (value: unknown, leaving: Leaving, depth: number): unknown =>
  isObject(value) ? shortened(value, leaving, depth) : value

function shortened(schema: Schema, leaving: Leaving, depth = 0): Schema {
  const kept = Object.entries(schema).flatMap(([word, value]): [string, unknown][] => {
    if (leaving.words.has(word)) return []
    if (leaving.isBrief && word === 'description') return [[word, firstClause(String(value))]]
    // A question of many questions names the tool that tells of each.
    if (leaving.isBrief && depth > 1 && (ofNamed.has(word) || word === 'required')) return []
    // A field that may be left out says so by not being required.
    if (leaving.isBrief && word === 'default' && typeof value !== 'string') return []
    if (leaving.isBrief && 'enum' in schema && (word === 'type' || word === 'description')) return []
    if (leaving.isBrief && word === 'anyOf' && Array.isArray(value)) return orNothing(value, leaving, depth)
    if (ofOne.has(word)) return [[word, schemaOf(value, leaving, depth + 1)]]
    if (ofMany.has(word) && Array.isArray(value))
      return [[word, value.map(each => schemaOf(each, leaving, depth + 1))]]
    if (!ofNamed.has(word) || !isObject(value)) return [[word, value]]
    const named = Object.entries(value).map(([name, each]) => [name, schemaOf(each, leaving, depth + 1)])
    return [[word, Object.fromEntries(named)]]
  })
  return Object.fromEntries(kept)
}

/** Null is the same as leaving it out. */
function orNothing(of: readonly unknown[], leaving: Leaving, depth: number): [string, unknown][] {
  const [only, ...others] = of.filter(each => !isObject(each) || each.type !== 'null')
  if (others.length === 0 && isObject(only)) return Object.entries(shortened(only, leaving, depth))
  return [['anyOf', [only, ...others].map(each => schemaOf(each, leaving, depth))]]
}

const clauseEnd = /; |, (?:such as|e\.g\.) | \(|\. (?=\p{Lu})/u
/** A clause of so many letters can stand without what follows its colon. */
const longClause = 40

function firstClause(text: string): string {
  const [first = ''] = text.split(clauseEnd)
  const colon = first.indexOf(': ')
  return colon >= longClause ? first.slice(0, colon) : first
}

interface Question {
  properties: Record<string, object>
  required?: string[]
}

/** What a tool asks, of the schema of its question. */
export const questionSchema = (question: object, isBrief = true): Question => {
  const leaving = isBrief ? { words: new Set(bounds), isBrief } : { words: new Set<string>() }
  const { properties = {}, ...schema } = shortened({ ...question }, leaving)
  return { ...schema, properties } as Question
}

const closing = { words: new Set([...bounds, 'required']) }

/**
 * What a tool answers, of the schema of its answer. Nothing is required and anything may be added, because clients check every result against it: also a quote, an
 * error, and an answer of which the caller has chosen some fields.
 */
export function answerSchema(answer: object): Schema {
  const { properties, ...schema } = shortened({ ...answer }, closing)
  const own = isObject(properties) && {
    properties: { ...besideOthers(properties), receipt: { type: 'object' } },
  }
  return { ...schema, type: 'object', ...own }
}

/** The fields of a quote and of an error. An answer may have one of the same name, and of another type. */
const ofOthers: ReadonlySet<string> = new Set([
  ...['x402Version', 'error', 'resource', 'accepts', 'extensions'],
  ...['message', 'charged', 'kept_until'],
])

const besideOthers = (properties: Schema): Schema =>
  Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, ofOthers.has(name) ? {} : type]))

/** The first sentences, as many as fit; the first one in any case. */
export function firstSentences(text: string, mostChars: number): string {
  const sentences = text.split(/(?<=[.!?]) (?=\p{Lu})/u)
  let told = sentences[0] ?? ''
  for (const sentence of sentences.slice(1)) {
    if (told.length + 1 + sentence.length > mostChars) break
    told += ` ${sentence}`
  }
  return told
}
