/** The question of an operation of the document: where each of its values stands, and an example of it. */
import type { Path } from '../document.ts'
import { isFields, NotSold, ownOf, type Pointed, type Spot } from './pointed.ts'
import { fieldOf, type RawField } from './question-field.ts'

export interface DescribedQuestion {
  fields: Record<string, RawField>
  /** Where the document says each field. */
  places: Map<string, Path>
  /** The field of each value in the path, by its name in the document. */
  inPath: Map<string, string>
  query: Record<string, string>
  joined: string[]
  headers: Record<string, string>
  body?: unknown
  /** By the names of fields. */
  examples: Record<string, unknown>
}

interface SentByFile {
  /** What the file sends itself, by its name. */
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  /** JsonObject that are not sold. */
  without: readonly string[]
}

/** Headers that OpenAPI says elsewhere. */
const notHere = /^(?:accept|content-type|authorization)$/i

export function askedOf(pointed: Pointed, item: Spot, operation: Spot, fixed: SentByFile): DescribedQuestion {
  const asked: DescribedQuestion = {
    ...{ fields: {}, places: new Map(), inPath: new Map(), query: {}, joined: [], headers: {}, examples: {} },
  }
  for (const parameter of parametersOf(pointed, item, operation)) add(pointed, parameter, asked, fixed)
  addBody(pointed, operation, asked)
  return asked
}

/** Those of the operation stand before those of its path. */
function parametersOf(pointed: Pointed, item: Spot, operation: Spot): Spot[] {
  const all = [item, operation].flatMap(spot => pointed.each(pointed.of(spot, 'parameters')))
  return [
    ...new Map(all.map(spot => [`${ownOf(spot.value, 'in')} ${ownOf(spot.value, 'name')}`, spot])).values(),
  ]
}

function add(
  pointed: Pointed,
  spot: Spot,
  asked: DescribedQuestion,
  { query, headers, without }: SentByFile,
): void {
  const { value } = spot
  const [name, place] = [ownOf(value, 'name'), ownOf(value, 'in')]
  if (typeof name !== 'string' || !name) throw new NotSold(spot, 'a parameter should have a name')
  const isRequired = place === 'path' || ownOf(value, 'required') === true
  if (place === 'header' && (notHere.test(name) || hasHeader(headers, name))) return
  if (place === 'query' && Object.hasOwn(query, name)) return
  if (!isRequired && without.includes(name)) return
  const schema = pointed.of(spot, 'schema')
  if (!schema) throw new NotSold(spot, `${name}: a parameter should have a schema`)
  const field = fieldOf(pointed, schema)
  checkStyle(spot, String(place), field)
  const isJoined = place === 'query' && field.type === 'array' && ownOf(value, 'explode') === false
  if (!isRequired && field.default === undefined) field.optional = true
  const called = place === 'query' && name.endsWith('[]') ? name.slice(0, -2) : name
  const taken = take(asked, called, field, spot)
  const says = ownOf(value, 'description')
  if (typeof says === 'string' && !field.says) field.says = says
  if (place === 'path') asked.inPath.set(name, taken)
  else if (place === 'query') asked.query[queryName(name)] = `{${taken}}`
  else asked.headers[name] = `{${taken}}`
  if (isJoined) asked.joined.push(queryName(name))
  const example = exampleIn(pointed, spot, schema)
  if (example !== undefined) asked.examples[taken] = example
}

const hasHeader = (headers: SentByFile['headers'], name: string): boolean =>
  Object.keys(headers).some(each => each.toLowerCase() === name.toLowerCase())

/** Brackets are written as they are: readers of queries look for them. */
const queryName = (name: string): string =>
  encodeURIComponent(name).replaceAll('%5B', '[').replaceAll('%5D', ']')

/** How a value is written. Any other way would be another question. */
function checkStyle(spot: Spot, place: string, { type }: RawField): void {
  const usual: Record<string, string> = { path: 'simple', header: 'simple', query: 'form' }
  const name = String(ownOf(spot.value, 'name'))
  if (!Object.hasOwn(usual, place))
    throw new NotSold(spot, `${name}: a parameter in ${place.slice(0, 20)} is not sold`)
  const style = ownOf(spot.value, 'style') ?? usual[place]
  if (style !== usual[place])
    throw new NotSold(spot, `${name}: its style ${String(style).slice(0, 20)} is not read`)
  if (type === 'object' || (type === 'array' && place !== 'query'))
    throw new NotSold(spot, `${name}: ${type === 'object' ? 'an object' : 'a list'} in ${place} is not sold`)
}

/** The name in a question. */
function take(asked: DescribedQuestion, name: string, field: RawField, spot: Spot): string {
  const called = calledOf(name)
  if (Object.hasOwn(asked.fields, called))
    throw new NotSold(spot, `two of its parameters would be the field ${called}`)
  asked.fields[called] = field
  asked.places.set(called, spot.path)
  return called
}

const usualName = /^[A-Za-z]\w{0,63}$/

function calledOf(name: string): string {
  if (usualName.test(name)) return name
  const words = name.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return words.join('_').replace(/^\d/, 'n$&')
}

const jsonType = /^application\/json\s*(?:;|$)/i

function addBody(pointed: Pointed, operation: Spot, asked: DescribedQuestion): void {
  const body = pointed.of(operation, 'requestBody')
  if (!body) return
  const content = pointed.each(pointed.of(body, 'content'))
  const json = content.find(({ name }) => jsonType.test(name))
  const schema = json && pointed.of(json, 'schema')
  if (!json || !schema) throw new NotSold(body, 'a body is sold as application/json, with a schema')
  const field = fieldOf(pointed, schema)
  const example = exampleIn(pointed, json, schema)
  const parts = Object.entries((field.properties ?? {}) as Record<string, RawField>)
  const isAlone = parts.length > 0 && parts.every(([name]) => !Object.hasOwn(asked.fields, name))
  if (!isAlone) {
    asked.body = `{${take(asked, 'body', field, schema)}}`
    if (example !== undefined) asked.examples.body = example
    return
  }
  const needed = field.required as string[]
  const template: Record<string, string> = {}
  for (const [name, part] of parts) {
    if (!needed.includes(name) && part.default === undefined) part.optional = true
    const taken = take(asked, name, part, schema)
    if (taken !== name) throw new NotSold(schema, `${name.slice(0, 60)} cannot be a field of a question`)
    template[name] = `{${name}}`
    const shown = ownOf(example, name) ?? exampleIn(pointed, schema, pointed.of(schema, 'properties', name))
    if (shown !== undefined) asked.examples[name] = shown
  }
  asked.body = template
}

/** What the document shows: beside the schema, or in it. */
export function exampleIn(pointed: Pointed, spot: Spot, schema: Spot | undefined): unknown {
  const own = ownOf(spot.value, 'example')
  if (own !== undefined) return own
  const [first] = pointed.each(pointed.of(spot, 'examples'))
  const named = isFields(first?.value) ? ownOf(first.value, 'value') : undefined
  if (named !== undefined) return named
  const [listed] = (ownOf(schema?.value, 'examples') as unknown[] | undefined) ?? []
  return ownOf(schema?.value, 'example') ?? listed
}
