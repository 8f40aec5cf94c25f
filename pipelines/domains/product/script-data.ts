/** The objects in the scripts of a page: JSON, literals that are assigned to known names, and what is streamed. */
import { flightOf, flightRows, flightType } from './flight.ts'
import { endOf, lenientReader, type ReadLenient } from './lenient-json.ts'
import type { Script } from './markup.ts'

export type RawObject = Record<string, unknown>

const mostCharacters = 3 << 20
const mostObjects = 20_000
const mostLiteral = 1 << 20
const mostUnquoted = 40_000

const begins =
  /(?:(?:__NEXT_DATA__|__INITIAL_STATE__|__PRELOADED_STATE__|__INITIAL_DATA__|__APOLLO_STATE__|__remixContext|dataLayer|digitalData|digital_data|utag_data|ShopifyAnalytics\.meta|\bmeta|\bproduct(?:_?(?:data|info|json|detail|details))?|\bitem|\bpageData)\s{0,20}=\s{0,20}|dataLayer\.push\(\s{0,20}|['"]view_item['"]\s{0,20},\s{0,20}|['"]ViewContent['"]\s{0,20},\s{0,20}|['"]ec:addProduct['"]\s{0,20},\s{0,20})(?=[[{])/gi

/** JSON that is assigned to any name. Its names stand in quotes, so that no function's body begins so. */
const assigned = /[\w$\])]\s{0,20}=\s{0,20}(?=(?:\[\s{0,50})?\{\s{0,50}")/g
const mostRoots = 30
const ofMoney = '"currencyCode"'

export function* objectsIn(scripts: readonly Script[]): Generator<RawObject> {
  let left = mostCharacters
  let objects = 0
  const read = lenientReader()
  const streamed = flightOf(scripts)
  for (const { type, text } of [...scripts, streamed]) {
    if (text.length > left || type.includes('ld+json') || !/price/i.test(text)) continue
    left -= text.length
    for (const root of rootsOf(type, text, read)) {
      const queue: unknown[] = [root]
      for (let i = 0; i < queue.length && objects < mostObjects; i++) {
        const value = queue[i]
        if (typeof value !== 'object' || value === null) continue
        objects += 1
        if (!Array.isArray(value)) yield value as RawObject
        for (const inner of Object.values(value).slice(0, 2_000))
          if (typeof inner === 'object' && inner !== null && queue.length < mostObjects) queue.push(inner)
      }
    }
  }
}

function rootsOf(type: string, text: string, read: ReadLenient): unknown[] {
  if (type === flightType) return flightRows(text)
  if (type.includes('json')) return json(text.trim(), read)
  const roots: unknown[] = []
  for (const literal of literalsAt(begins, text))
    if (roots.length < mostRoots) roots.push(...json(literal, read))
  return roots
}

/** JSON that a script assigns to any name, known or not, and that names the currency of a price as GraphQL does. */
export function* assignedIn(scripts: readonly Script[]): Generator<unknown> {
  let left = mostCharacters
  let literals = 0
  for (const { type, text } of scripts) {
    if (text.length > left || type.includes('json') || !text.includes(ofMoney)) continue
    left -= text.length
    for (const literal of literalsAt(assigned, text))
      if (literal.includes(ofMoney) && literals++ < mostRoots) yield* parsed(literal)
  }
}

/** The literals that begin behind a pattern, and in no other such literal. */
function* literalsAt(pattern: RegExp, text: string): Generator<string> {
  let until = 0
  for (const match of text.matchAll(pattern)) {
    const start = match.index + match[0].length
    if (start < until) continue
    until = endOf(text, start, Math.min(text.length, start + mostLiteral))
    yield text.slice(start, until)
  }
}

function parsed(text: string): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return []
  }
}

/** Script literals have unquoted names and strings in single quotes. Only short ones are worth a repair. */
function json(text: string, read: ReadLenient): unknown[] {
  try {
    return [JSON.parse(text)]
  } catch {
    return text.length <= mostUnquoted && !/\bfunction\b|=>/.test(text) ? read(text) : []
  }
}
