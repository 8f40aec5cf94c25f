/**
 * Reads JSON from strangers, more strictly than JSON.parse. It refuses any text that another reader could refuse or
 * read differently, so that all later steps agree on its meaning.
 */

/** Text that is JSON, but cannot be read safely. The message is for its author. */
export class UnfitJson extends SyntaxError {
  override name = 'UnfitJson'
}

/** A message quotes at most this many characters of a field name. */
const mostOfName = 100

/** No question is nested deeper. Code that walks through deeper values runs out of stack. */
export const mostNesting = 64
/** Walking through named fields takes much longer per field than walking through a list. */
export const mostNames = 2000

/** Throws SyntaxError, or its subclass UnfitJson. */
export function readStrictJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!isPlain(text, value)) check(text)
  return value
}

/** Longer texts could have more names than an object may. */
const mostPlain = 4 * mostNames

/**
 * Most texts are as JSON.stringify writes their value: no name is written twice, and no number is too large. To write it again takes a
 * fifth of the time of going through the letters.
 */
function isPlain(text: string, value: unknown): boolean {
  return (
    text.length < mostPlain &&
    // First, because JSON.stringify takes the square of the depth.
    isFlat(text) &&
    JSON.stringify(value) === text &&
    // Half of a pair is escaped there. The name stands in no question.
    !text.includes('\\u') &&
    !text.includes('__proto__')
  )
}

/** It counts all that begins, so nothing is nested deeper. */
function isFlat(text: string): boolean {
  let most = mostNesting
  for (const begins of '[{')
    for (let at = text.indexOf(begins); at >= 0; at = text.indexOf(begins, at + 1))
      if (--most < 0) return false
  return true
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const [listBegins, listEnds] = [0x5b, 0x5d]
const [objectBegins, objectEnds] = [0x7b, 0x7d]

/**
 * For valid JSON. Written by hand, because a regular expression takes ten times as long for a list of a million
 * numbers. Nothing here searches the whole text: V8 may move a search into the loop that uses its result, and repeat
 * it at each letter.
 */
function check(json: string): void {
  // Of a text without half a pair, only what is escaped can hold one.
  const isWhole = json.isWellFormed()
  /** The names of each open object, and undefined for each open list. */
  const open: (Set<string> | undefined)[] = []
  let nameIsNext = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      const end = endOfText(json, at)
      if (nameIsNext) addName(open.at(-1), json.slice(at, end + 1))
      else if (!isWhole || isEscaped(json, at, end)) checkText(json.slice(at, end + 1))
      nameIsNext = false
      at = end
    } else if (code === objectBegins || code === listBegins) {
      nameIsNext = code === objectBegins
      if (open.push(nameIsNext ? new Set() : undefined) > mostNesting)
        throw new UnfitJson(`It is nested more than ${mostNesting} times`)
    } else if (code === objectEnds || code === listEnds) {
      open.pop()
      nameIsNext = false
    } else if (code === comma) nameIsNext = open.at(-1) !== undefined
    else if (isOfNumber(code)) at = endOfNumber(json, at)
  }
}

/** Finds the closing quote of the text that begins here. */
function endOfText(json: string, start: number): number {
  let end = start + 1
  for (let code = json.charCodeAt(end); code !== quote; code = json.charCodeAt(end))
    end += code === backslash ? 2 : 1
  return end
}

function isEscaped(json: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (json.charCodeAt(at) === backslash) return true
  return false
}

/** A repeated name would lose its first value silently. `__proto__` is not a usable name in JavaScript. */
function addName(names: Set<string> | undefined, token: string): void {
  const name = checkText(token)
  if (names?.has(name))
    throw new UnfitJson(`The field ${JSON.stringify(name.slice(0, mostOfName))} is written twice`)
  if (name === '__proto__') throw new UnfitJson('There is no field "__proto__"')
  if (names && names.size >= mostNames)
    throw new UnfitJson(`An object in it has more than ${mostNames} fields`)
  names?.add(name)
}

/** Half of a surrogate pair is not a character: it can be neither hashed nor sent on. */
function checkText(token: string): string {
  const text: string = token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
  if (!text.isWellFormed())
    throw new UnfitJson('A text in it has half of a surrogate pair, which is no character')
  return text
}

const isOfNumber = (code: number): boolean => code === 0x2d || (code >= 0x30 && code <= 0x39)

/** In a number, whatever else stands there. */
const isWithin = (code: number): boolean =>
  isOfNumber(code) || code === 0x2b || code === 0x2e || code === 0x45 || code === 0x65

/** The shortest number that is infinite has five characters. */
const shortestInfinite = 5

function endOfNumber(json: string, start: number): number {
  let end = start
  while (isWithin(json.charCodeAt(end + 1))) end++
  if (end - start + 1 >= shortestInfinite && !Number.isFinite(Number(json.slice(start, end + 1))))
    throw new UnfitJson('A number in it is too large')
  return end
}
