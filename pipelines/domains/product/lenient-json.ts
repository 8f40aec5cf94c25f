/** Reads JSON as shops write it: in comments, with entities, several objects in a row, broken strings. Never by eval. */
import { jsonrepair } from 'jsonrepair'

/**
 * The repair may take the square of a text's length. This bounds the sum of the squares of all repaired texts of a
 * page.
 */
const mostSquares = 60_000 ** 2
const mostDocuments = 100
/** A product is at most ten levels deep. Parsers take long to fail on endless nesting. */
const mostDepth = 500

/** Returns every value as it is written, with numbers as text, so that no digit of a price is lost. */
export type ReadLenient = (text: string) => unknown[]

/** The reader for one page. */
export function lenientReader(): ReadLenient {
  let squares = 0

  function repaired(text: string): { value: unknown } | undefined {
    const square = text.length ** 2
    if (squares + square > mostSquares) return undefined
    squares += square
    try {
      return parsed(jsonrepair(text))
    } catch {
      return undefined
    }
  }

  function readHoled(text: string): { value: unknown } | undefined {
    const whole = withoutHoles(text)
    return (whole === text ? undefined : parsed(whole)) ?? repaired(whole)
  }

  function readOne(text: string): unknown[] {
    const found = parsed(text) ?? parsed(escaped(text)) ?? parsed(unescaped(text)) ?? readHoled(text)
    return found ? [found.value] : []
  }

  return text => {
    const bare = stripped(text)
    if (bare === '' || depthOf(bare) > mostDepth) return []
    const whole = parsed(bare) ?? parsed(escaped(bare))
    if (whole) return [whole.value]
    const documents = split(bare)
    return documents.length > 1 ? documents.flatMap(readOne) : readOne(bare)
  }
}

function depthOf(text: string): number {
  let depth = 0
  let most = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 123 || code === 91) most = Math.max(most, ++depth)
    else if (code === 125 || code === 93) depth -= 1
  }
  return most
}

/** Removes everything that a page puts around its JSON: comments of HTML and of scripts, sections of CDATA, semicolons. */
function stripped(text: string): string {
  const bare = text.trim()
  const begin = /^(?:\/\/|\/\*)?\s*<!\[CDATA\[\s*(?:\*\/)?/.exec(bare)?.[0].length ?? 0
  const close = bare.lastIndexOf(']]>')
  const end = close >= begin && /^\]\]>\s*(?:\*\/)?$/.test(bare.slice(close)) ? close : bare.length
  const inside = bare.slice(begin, end)
  const open = end < bare.length ? inside.trimEnd().replace(/(?:\/\/|\/\*)$/, '') : inside
  return withoutEnds(open.replaceAll('<!--', '').replaceAll('-->', ''))
}

function withoutEnds(text: string): string {
  const bare = text.trim()
  let end = bare.length
  while (end > 0 && (bare[end - 1] === ';' || isBlank.test(bare[end - 1] as string))) end -= 1
  return bare.slice(0, end)
}
const isBlank = /\s/

/** A text that cannot be parsed has another form, or is not JSON at all. The caller tries the next form. */
function parsed(text: string): { value: unknown } | undefined {
  const first = text.charCodeAt(0)
  if (first !== 123 && first !== 91) return undefined
  try {
    return { value: JSON.parse(text, asWritten as never) }
  } catch {
    return undefined
  }
}

const asWritten = (_key: string, value: unknown, { source }: { source: string }) =>
  typeof value === 'number' ? source : value

/** Escapes raw line breaks and tabs inside strings. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (!/[\u0000-\u001f]/.test(text)) return text
  let out = ''
  let from = 0
  let inside = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 92) i += 1
    else if (code === 34) inside = !inside
    else if (inside && code < 32) {
      out += `${text.slice(from, i)} `
      from = i + 1
    }
  }
  return out + text.slice(from)
}

/** Templates leave holes where they have nothing to say: `{"a": 1,, "b": , "c": 2,}`. */
function withoutHoles(text: string): string {
  const out: string[] = []
  let from = 0
  /** The last character outside of strings that is no space. */
  let last = 0
  let inside = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inside) {
      if (code === backslash) i += 1
      else if (code === quote) inside = false
      continue
    }
    if (code <= 32) continue
    if (code === quote) inside = true
    const isEnd = code === comma || code === brace || code === bracket
    if (isEnd && last === colon) {
      out.push(text.slice(from, i), 'null')
      from = i
    } else if (code === comma && (last === comma || last === openBrace || last === openBracket)) {
      out.push(text.slice(from, i))
      from = i + 1
      continue
    }
    last = code
  }
  return from === 0 ? text : out.join('') + text.slice(from)
}
const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [openBracket, bracket, openBrace, brace] = [91, 93, 123, 125]

const named: Record<string, string> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>', nbsp: ' ' }

const unescaped = (text: string): string =>
  text.replace(/&(quot|amp|apos|lt|gt|nbsp|#34|#39);/g, (_, name: string) =>
    name.startsWith('#') ? String.fromCharCode(Number(name.slice(1))) : (named[name] as string),
  )

/** Splits a row of objects, with or without commas between them. */
function split(text: string): string[] {
  const documents: string[] = []
  let from = 0
  while (from < text.length && documents.length < mostDocuments) {
    const start = nextStart(text, from)
    if (start < 0) break
    const end = endOf(text, start)
    documents.push(text.slice(start, end))
    from = end
  }
  return documents
}

function nextStart(text: string, from: number): number {
  for (let i = from; i < text.length; i++) if (text[i] === '{' || text[i] === '[') return i
  return -1
}

/** The place after the bracket that closes the one at `start`, or the end of the text. */
export function endOf(text: string, start: number, most = text.length): number {
  let depth = 0
  let quote = 0
  for (let i = start; i < most; i++) {
    const code = text.charCodeAt(i)
    if (code === 92) i += 1
    else if (quote) {
      if (code === quote) quote = 0
    } else if (code === 34) quote = code
    else if (code === 123 || code === 91) depth += 1
    else if ((code === 125 || code === 93) && --depth === 0) return i + 1
  }
  return most
}
