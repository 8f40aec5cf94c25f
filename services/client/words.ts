/** Reads the words of options. What is wrong is said before anything is asked. */
import { readFileSync } from 'node:fs'
import { networkNames, networks } from './networks.ts'
import { atomsOf } from './quote.ts'

export class WrongWords extends Error {}

/** A short word as it was given. A long one is nobody's slip of the pen, and may be a key that stands in the wrong place. */
export const quoted = (word: string): string => (word.length <= longestWord ? `"${word}"` : 'what is given')
const longestWord = 20

export function dollarsIn(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    atomsOf(text)
  } catch {
    throw new WrongWords(`--${option}: ${quoted(text)} is not an amount of dollars`)
  }
  return text
}

/** The seller knows which fields there are. */
export function fieldsIn(text: string): string {
  if (!/^[\w,.-]{1,4000}$/.test(text)) throw new WrongWords('--fields: say names with commas between them')
  return text
}

export function patienceIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,6}(\.\d{1,3})?$/.test(text))
    throw new WrongWords(`--patience: ${quoted(text)} is not a number of seconds`)
  return Number(text) * 1000
}

export function networkIn(text: string | undefined): string | undefined {
  const isKnown = networks.some(({ name, id }) => name === text || id === text)
  if (text === undefined || isKnown) return text
  throw new WrongWords(`--network: there is no ${quoted(text)}; there are ${networkNames.join(', ')}`)
}

/** A name and a password in it would be sent to nobody, and printed. */
export function addressIn(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new WrongWords('--url is not an address of http or https')
  if (url.username || url.password)
    throw new WrongWords('--url holds a name or a password, and they are not sent')
  return text
}

export function version(): string {
  const manifest = readFileSync(new URL('./package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** `-` is the standard input. */
export function questionIn(given = '{}'): object {
  const text = given === '-' ? readFileSync(0, 'utf8') : given
  const said = text.length <= longestWord ? `: ${text}` : ''
  const question = valueIn(text)
  if (question === undefined) throw new WrongWords(`the question is not JSON${said}`)
  if (typeof question !== 'object' || question === null)
    throw new WrongWords(`the question is no object of JSON${said}`)
  return question
}

function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Its words would repeat the text.
    return undefined
  }
}
