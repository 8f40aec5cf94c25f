/** An operation of the document as a file would say it. */
import { z } from 'zod'
import type { Path } from '../document.ts'
import type { SellForm } from '../form.ts'
import { answerShape } from './answer-shape.ts'
import { type JsonObject, lineOf, NotSold, ownOf, type Pointed, type Spot } from './pointed.ts'
import { askedOf, type DescribedQuestion, exampleIn } from './question.ts'
import type { RawField } from './question-field.ts'

/** As the file writes it: it has been read, and is read again with the rest. */
export interface Priced extends JsonObject {
  price: unknown
  path?: string
  without?: readonly string[]
  example?: { question?: unknown; answer?: unknown }
  answer?: JsonObject
  refuse?: JsonObject
}

interface Around {
  pointed: Pointed
  /** The address that paths begin with, without a slash at the end. */
  server: string
  file: Pick<SellForm, 'headers' | 'query'>
}

export interface FoundCall {
  id: string
  /** As the document writes it. */
  path: string
  method: string
  item: Spot
  operation: Spot
}

/** What a file would say of it, and where the document says each field. */
export function callOf(
  { pointed, server, file: { headers = {}, query = {} } }: Around,
  { id, path, method, item, operation }: FoundCall,
  priced: Priced,
): { raw: JsonObject; places: ReadonlyMap<string, Path> } {
  const { price, path: _, without = [], example, answer, within, most, refuse, ...more } = priced
  const asked = askedOf(pointed, item, operation, { headers, query, without })
  const gives = answerOf(pointed, operation)
  const accept = Object.keys(headers).some(name => name.toLowerCase() === 'accept')
    ? {}
    : { accept: gives.media }
  const shape = gives.gives === 'json' ? (answer ?? gives.shape) : undefined
  const [title, about] = [ownOf(operation.value, 'summary'), ownOf(operation.value, 'description')]
  const shown = example?.answer ?? shownAnswer(gives.example, shape)
  const raw = {
    title: lineOf(title, mostTitle) ?? id.slice(0, mostTitle),
    about: lineOf(about, mostAbout) ?? lineOf(title, mostAbout) ?? id,
    price,
    question: asked.fields,
    from: {
      http: server + pathOf(path, asked, operation),
      method,
      query: { ...query, ...asked.query },
      ...(asked.joined.length && { joined: asked.joined }),
      headers: { ...accept, ...headers, ...asked.headers },
      ...(asked.body !== undefined && { body: asked.body }),
      gives: gives.gives,
      ...(within !== undefined && { within }),
      ...(most !== undefined && { most }),
    },
    refuse: { ...refusedBy(pointed, operation), ...refuse },
    ...(shape && (answer || Object.keys(shape).length) && { answer: shape }),
    ...more,
    example: {
      question: example?.question ?? exampleOf(asked, operation),
      ...(shown !== undefined && { answer: shown }),
    },
  }
  return { raw, places: asked.places }
}

const mostTitle = 80
const mostAbout = 300

/** A letter of a path that stands for itself everywhere, or one by its number that could be no part of a path. */
const literal = /^(?:[A-Za-z0-9._~!&'()*+,;=:@-]|%(?!2[eEfF]|5[cC]|[01][0-9a-fA-F]|7[fF]|25)[0-9a-fA-F]{2})*$/
const placeholder = /\{([^{}]*)\}/g

/** The path stays one: whatever the document writes, nothing of it becomes a host, a step upwards, a query or a variable. */
function pathOf(path: string, { inPath }: Pick<DescribedQuestion, 'inPath'>, at: Spot): string {
  const used = new Set<string>()
  const segments = path.split('/')
  const [first, ...rest] = segments
  const isPath =
    first === '' && rest.length > 0 && rest.every((each, i) => each !== '' || i === rest.length - 1)
  const written = rest.map(each => {
    const bare = each.replace(placeholder, '')
    if (!literal.test(bare) || /^\.{1,2}$/.test(each)) throw new NotSold(at, odd)
    return each.replace(placeholder, (_, name: string) => {
      const field = inPath.get(name)
      if (field === undefined) throw new NotSold(at, `{${name.slice(0, 60)}} of its path is no parameter`)
      used.add(name)
      return `{${field}}`
    })
  })
  if (!isPath) throw new NotSold(at, odd)
  const left = [...inPath.keys()].find(name => !used.has(name))
  if (left !== undefined) throw new NotSold(at, `{${left.slice(0, 60)}} stands nowhere in its path`)
  return `/${written.join('/')}`
}

const odd =
  'its path should begin with one slash, and be of names and {parameters}: without empty steps, . and .., ? and #, and slashes by their number'

/** Of these the caller is not the cause. */
const notHis = ['401', '402', '403', '405', '407', '408', '425', '429']
const codes: Record<string, string> = { 404: 'nothing_found', 410: 'is_gone' }

function refusedBy(pointed: Pointed, operation: Spot) {
  const refusals = pointed
    .each(pointed.of(operation, 'responses'))
    .filter(({ name }) => /^4\d\d$/.test(name) && !notHis.includes(name))
    .map(({ name, value }) => {
      const code = codes[name] ?? 'refused_by_upstream'
      return [name, { code, says: lineOf(ownOf(value, 'description'), 160) ?? code }]
    })
  return Object.fromEntries(refusals)
}

interface Given {
  gives: 'json' | 'text' | 'bytes'
  media: string
  shape?: JsonObject
  example?: unknown
}

const ofText = /^(?:text\/|application\/(?:.+\+)?xml)/
const ofBytes = /^(?:image|audio|video)\/|^application\/(?:pdf|octet-stream|zip|gzip)$/

function answerOf(pointed: Pointed, operation: Spot): Given {
  const responses = pointed.of(operation, 'responses')
  const good = ['200', '201', '203', '2XX', '2xx']
    .map(name => responses && pointed.of(responses, name))
    .find(Boolean)
  const content = pointed.each(good && pointed.of(good, 'content'))
  const all = content.map(spot => ({ ...spot, media: spot.name.split(';')[0]?.trim().toLowerCase() ?? '' }))
  const json =
    all.find(({ media }) => media === 'application/json') ??
    all.find(({ media }) => /\+json$|^\*\/\*$/.test(media))
  if (json) {
    const schema = pointed.of(json, 'schema')
    const example = exampleIn(pointed, json, schema)
    const shape = schema ? answerShape(pointed, schema) : {}
    return { gives: 'json', media: json.media === '*/*' ? 'application/json' : json.media, shape, example }
  }
  const text = all.find(({ media }) => ofText.test(media))
  if (text) return { gives: 'text', media: text.media }
  const bytes = all.find(({ media }) => ofBytes.test(media))
  if (bytes) return { gives: 'bytes', media: bytes.media.includes('*') ? '*/*' : bytes.media }
  throw new NotSold(good ?? operation, 'it should say what comes back with 200: JSON, a text or bytes')
}

/** A quote has little room. */
const mostShown = 500

/** Documents show answers that they would not take themselves. Such a one is left out. */
function shownAnswer(example: unknown, shape: JsonObject | undefined): unknown {
  if (example === undefined || JSON.stringify(example).length > mostShown) return undefined
  const type = z.fromJSONSchema((shape ?? {}) as Parameters<typeof z.fromJSONSchema>[0])
  return type.safeParse(example).success ? example : undefined
}

function exampleOf({ fields, examples }: DescribedQuestion, at: Spot): JsonObject {
  const shown = Object.entries(fields).flatMap(([name, field]) => {
    const known = Object.hasOwn(examples, name) ? examples[name] : undefined
    const value = known ?? (field.optional || field.default !== undefined ? undefined : invented(field))
    const isNeeded = !field.optional && field.default === undefined
    if (value === undefined && isNeeded)
      throw new NotSold(at, `the document shows no ${name}: give the operation an example in this file`)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(shown)
}

/** Where any value is as good as another. */
function invented(field: RawField): unknown {
  const [first] = Array.isArray(field.enum) ? field.enum : []
  if (first !== undefined) return first
  if (field.type === 'boolean') return true
  if (field.type === 'number' || field.type === 'integer') {
    const least = Number(field.minimum ?? Number(field.exclusiveMinimum ?? 0) + 1)
    return Math.min(least, Number(field.maximum ?? least))
  }
  if (field.type === 'array') {
    const item = invented(field.items as RawField)
    return item === undefined ? undefined : [item]
  }
  if (field.type !== 'object') return field.format === 'date' ? '2026-01-01' : undefined
  const { required = [], properties = {} } = field as unknown as {
    required?: string[]
    properties?: Record<string, RawField>
  }
  const parts = required.map(name => [name, invented(properties[name] as RawField)] as const)
  return parts.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(parts)
}
