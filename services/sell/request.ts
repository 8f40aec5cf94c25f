/**
 * The request that an operation makes of its question. The file says host, path, names and form; the question fills in values,
 * each written so that it stays a value. What cannot stay one is refused before any payment.
 */
import type { Path } from './document.ts'
import type { FieldForm, HttpForm } from './form.ts'
import { bindsAll, costOf } from './pattern-cost.ts'
import {
  fieldsIn,
  filled,
  type NamedPiece,
  piecesOf,
  type Question,
  textOf,
  variablesIn,
} from './template.ts'

/** Where a field stands in the request. Its value must be one there. */
type FieldPlace = 'path' | 'query' | 'joined' | 'header' | 'body'

/** A variable of the environment, and where the file names it. */
export interface Named {
  name: string
  path: Path
}

export interface RequestPlan {
  method: 'GET' | 'POST'
  /** Scheme, host and port. */
  base: string
  /** The path, without the first slash. */
  segments: readonly (readonly NamedPiece[])[]
  query: readonly (readonly [name: string, value: readonly NamedPiece[]])[]
  /** The names of the query whose list is one value. */
  joined: ReadonlySet<string>
  headers: readonly (readonly [name: string, value: readonly NamedPiece[]])[]
  /** JSON with names in its texts. Absent: there is no body. */
  body?: unknown
  uses: readonly { field: string; place: FieldPlace }[]
  variables: readonly Named[]
}

export type Tell = (path: Path, message: string, options?: { isName: boolean }) => void

/** The scheme and the host of an address, as far as the first slash, and the rest without a fragment. */
const addressForm = /^(https?:\/\/[^/?#\s]+)(\/[^?#\s]*)?(?:\?([^#\s]*))?$/
const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/
/** The connection's own, and those that say how long the body is. */
const ownHeaders =
  /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|content-type|accept-encoding|cookie2?|proxy-.+)$/i

export function planOf(
  from: HttpForm,
  fields: Readonly<Record<string, FieldForm>>,
  tell: Tell,
): RequestPlan | undefined {
  const address = addressForm.exec(from.http)
  if (!address) {
    tell(
      ['http'],
      'it should be an address such as https://tides.internal/v2/{station}, without spaces and #',
    )
    return undefined
  }
  const [, base = '', path = '/', search = ''] = address
  if (/[{}$@]/.test(base) || !URL.canParse(base) || new URL(base).origin !== base.toLowerCase()) {
    tell(
      ['http'],
      'its host should be a name or an address and a port, and nothing that a question or a variable fills in',
    )
    return undefined
  }
  const plan: RequestPlan = {
    method: from.method ?? (from.body === undefined ? 'GET' : 'POST'),
    base: new URL(base).origin,
    segments: path.slice(1).split('/').map(piecesOf),
    query: [
      ...pairsOf(search).map(([name, text]) => [name, piecesOf(text)] as const),
      ...Object.entries(from.query ?? {}).map(([name, text]) => [name, piecesOf(text).map(encoded)] as const),
    ],
    joined: new Set(from.joined),
    headers: Object.entries(from.headers ?? {}).map(([name, text]) => [name, piecesOf(text)] as const),
    ...(from.body === undefined ? {} : { body: from.body }),
    uses: [],
    variables: [],
  }
  checkForm(plan, from, tell)
  return { ...plan, ...usedBy(plan, fields, tell) }
}

const encoded = (piece: NamedPiece): NamedPiece =>
  'text' in piece ? { text: encodeURIComponent(piece.text) } : piece

const pairsOf = (search: string): [string, string][] =>
  search === ''
    ? []
    : search.split('&').map(pair => {
        const [name = '', value = ''] = pair.split(/=(.*)/s)
        return [name, value]
      })

function checkForm({ method, segments, query }: RequestPlan, from: HttpForm, tell: Tell): void {
  if (method === 'GET' && from.body !== undefined) tell(['method'], 'a GET has no body')
  const literal = segments
    .map(pieces => filled(pieces, { question: {}, secrets: new Map() }, () => 'x'))
    .join('/')
  const [first] = segments
  const isBare = segments.length === 1 && !first?.length
  if (!isBare && new URL(`/${literal}`, 'http://x').pathname !== `/${literal}`)
    tell(
      ['http'],
      'its path should be written as it is sent: without . and .., and with % for what is no letter',
    )
  if (/[{}]/.test(literal)) tell(['http'], 'a brace in its path stands for no name')
  for (const [name] of query)
    if (/[{}$&=#\s]/.test(name) || !name) tell(['http'], `${JSON.stringify(name)} is no name of a query`)
  const named = new Set<string>()
  for (const [name, text] of Object.entries(from.headers ?? {})) {
    if (named.has(name.toLowerCase()))
      tell(['headers', name], 'this header stands twice, in other letters: one is sent', { isName: true })
    named.add(name.toLowerCase())
    if (!headerName.test(name)) tell(['headers', name], 'it is no name of a header', { isName: true })
    else if (ownHeaders.test(name))
      tell(['headers', name], 'this header belongs to the connection', { isName: true })
    if (!isHeaderText(text)) tell(['headers', name], 'a header holds visible ASCII only')
  }
  for (const [i, each] of (from.follow ?? []).entries())
    if (!URL.canParse(each) || new URL(each).origin !== each)
      tell(['follow', i], 'it should be https://host, and nothing behind it')
}

function usedBy(
  { segments, query, joined, headers, body }: RequestPlan,
  fields: Readonly<Record<string, FieldForm>>,
  tell: Tell,
) {
  const texts: [FieldPlace, Path, readonly NamedPiece[]][] = [
    ...segments.map((pieces): [FieldPlace, Path, readonly NamedPiece[]] => ['path', ['http'], pieces]),
    ...query.map(([name, pieces]): [FieldPlace, Path, readonly NamedPiece[]] => [
      joined.has(name) ? 'joined' : 'query',
      ['query', name],
      pieces,
    ]),
    ...headers.map(([name, pieces]): [FieldPlace, Path, readonly NamedPiece[]] => [
      'header',
      ['headers', name],
      pieces,
    ]),
    ...textsIn(body, ['body']).map(([path, text]): [FieldPlace, Path, readonly NamedPiece[]] => [
      'body',
      path,
      piecesOf(text),
    ]),
  ]
  const uses: { field: string; place: FieldPlace }[] = []
  for (const [place, path, pieces] of texts)
    for (const field of fieldsIn(pieces)) {
      const type = Object.hasOwn(fields, field) ? fields[field]?.type : undefined
      if (!type) tell(path, `{${field}} is no field of the question`)
      else if (!isAtHome(fields[field] as FieldForm, place, pieces.length === 1))
        tell(
          path,
          `{${field}} is of the type ${type}, which can stand only by itself in a body${type === 'array' ? ', or in a query if its items are no lists and no objects' : ''}`,
        )
      else if (fields[field]?.optional && (pieces.length > 1 || place === 'path'))
        tell(path, `{${field}} may be absent, so it should stand alone, and not in the path`)
      else if (pieces.length > 1 && !isBound(fields[field]))
        tell(
          path,
          `{${field}} is any text, and stands inside another: give it an enum, a pattern from ^ to $ or a format, or let it stand alone`,
        )
      else uses.push({ field, place })
    }
  for (const field of Object.keys(fields))
    if (!uses.some(use => use.field === field))
      tell([], `{${field}} of the question stands nowhere in what is asked`)
  const named = texts.flatMap(([, path, pieces]) => variablesIn(pieces).map(name => ({ name, path })))
  return { uses, variables: named }
}

const isDeep = (type: FieldForm['type'] | undefined) => type === 'array' || type === 'object'

const inQuery: readonly FieldPlace[] = ['query', 'joined']

/** Whether a value of this type has a form of its own in this place. */
const isAtHome = ({ type, items }: FieldForm, place: FieldPlace, isAlone: boolean): boolean =>
  !isDeep(type) ||
  (isAlone && (place === 'body' || (inQuery.includes(place) && type === 'array' && !isDeep(items?.type))))

const strict = ['date', 'date-time', 'uuid', 'ipv4', 'ipv6']

/** Whether the file says which letters a value has, all of them. Inside another text, any other value could become a part of that text's own language. */
const isBound = ({ type, enum: values, pattern, format }: FieldForm = { type: 'string' }): boolean =>
  type !== 'string' ||
  values !== undefined ||
  (pattern !== undefined && typeof costOf(pattern, 1) === 'number' && bindsAll(pattern)) ||
  strict.includes(format ?? '')

function textsIn(value: unknown, path: Path): [Path, string][] {
  if (typeof value === 'string') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => textsIn(each, [...path, name]))
}

const isHeaderText = (text: string): boolean => /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)

/** Why a value cannot stand in this place. Undefined: it can. */
export function misfitAt(place: FieldPlace, value: unknown): string | undefined {
  if (place === 'body' || value === undefined) return undefined
  if (Array.isArray(value)) {
    if (value.length === 0) return 'a list in a query has at least one value'
    const isSplit = place === 'joined' && value.some(each => String(each).includes(','))
    return isSplit ? 'no value of this list should have a comma' : undefined
  }
  if (typeof value !== 'string') return undefined
  // What is encoded once is decoded twice by some. So nothing goes into a path that could be a part of one.
  if (place === 'path' && (/[/\\%;?#\p{Cc}]/u.test(value) || /^\.*$/.test(value)))
    return 'it should be a text without / \\ % ; ? # and without control characters, and not of dots alone'
  if (place === 'header' && !isHeaderText(value)) return 'it should be of visible ASCII characters'
  return undefined
}

export interface BuiltRequest {
  url: URL
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

export function requestOf(
  { method, base, segments, query, joined, headers, body }: RequestPlan,
  given: { question: Question; secrets: ReadonlyMap<string, string> },
): BuiltRequest {
  const path = `/${segments.map(pieces => filled(pieces, given, encodeURIComponent)).join('/')}`
  const search = query
    .flatMap(([name, pieces]) => valuesOf(pieces, given, joined.has(name)).map(value => `${name}=${value}`))
    .join('&')
  const url = new URL(`${base}${path}${search && '?'}${search}`)
  // The values have been checked, so this never happens. If it did, somebody else would be asked.
  if (url.origin !== base || url.pathname !== path)
    throw new Error('a question has left the path of its operation')
  return {
    url,
    method,
    headers: Object.fromEntries(
      headers.flatMap(([name, pieces]) =>
        isAbsent(pieces, given) ? [] : [[name.toLowerCase(), filled(pieces, given)]],
      ),
    ),
    ...(body === undefined ? {} : { body: JSON.stringify(filledBody(body, given)) }),
  }
}

interface Given {
  question: Question
  secrets: ReadonlyMap<string, string>
}

/** The field that stands alone, if one does. */
function aloneIn(pieces: readonly NamedPiece[]): string | undefined {
  const [only] = pieces
  return pieces.length === 1 && only && 'field' in only ? only.field : undefined
}

function isAbsent(pieces: readonly NamedPiece[], { question }: Given): boolean {
  const field = aloneIn(pieces)
  return field !== undefined && question[field] === undefined
}

/** The values of one name of the query. */
function valuesOf(pieces: readonly NamedPiece[], given: Given, isJoined: boolean): string[] {
  if (isAbsent(pieces, given)) return []
  const value = given.question[aloneIn(pieces) ?? '']
  if (!Array.isArray(value)) return [filled(pieces, given, encodeURIComponent)]
  const values = value.map(each => encodeURIComponent(textOf(each)))
  return isJoined ? [values.join(',')] : values
}

function filledBody(value: unknown, given: Given): unknown {
  if (typeof value === 'string') {
    const pieces = piecesOf(value)
    const field = aloneIn(pieces)
    return field === undefined ? filled(pieces, given) : given.question[field]
  }
  if (Array.isArray(value)) return value.map(each => filledBody(each, given))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filledBody(each, given)]))
}
