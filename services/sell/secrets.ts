/** The secrets of a file: variables of the environment that its requests carry. No answer repeats one. */
import type { Tell } from './request.ts'

export interface SellEnvironment {
  set: Readonly<Record<string, string | undefined>>
  /** Whether the service itself has a variable of this name. */
  isOurs(variable: string): boolean
}

/** A shorter value, such as a region, is no secret: it stands in many texts by chance. */
const leastLength = 8

const visible = /^[\x21-\x7e]+$/

/**
 * The values of the variables. Each begins with the name of the origin, so that the file of a partner cannot have a key of
 * somebody else sent to its own host.
 */
export function secretsOf(
  origin: string,
  variables: readonly string[],
  {
    set,
    isOurs,
  }: { set: Readonly<Record<string, string | undefined>>; isOurs: (variable: string) => boolean },
  tell: Tell,
): ReadonlyMap<string, string> {
  const start = `${origin.toUpperCase()}_`
  const secrets = new Map<string, string>()
  for (const variable of variables) {
    const value = Object.hasOwn(set, variable) ? set[variable] : undefined
    if (!variable.startsWith(start) || isOurs(variable))
      tell(
        [],
        `\${${variable}} is not for this file: its variables begin with ${start}, and are none of the service itself`,
      )
    else if (value === undefined) tell([], `\${${variable}} is unset`)
    else if (!visible.test(value))
      tell([], `\${${variable}} should be of visible ASCII characters, without spaces`)
    else secrets.set(variable, value)
  }
  return secrets
}

/** Whether a text has one of the secrets in it, as it is or in a form that a request carries. */
export function repeats(text: string, secrets: ReadonlyMap<string, string>): boolean {
  const kept = [...secrets.values()].filter(secret => secret.length >= leastLength)
  if (kept.length === 0) return false
  const read = readingsOf(text)
  return kept.some(secret => formsOf(secret).some(form => read.some(each => each.includes(form))))
}

/**
 * The text, and what stands in it: JSON, also within a text of JSON, a URL, also within a URL, HTML, base64 in one of its two alphabets,
 * and hex in small letters.
 */
function readingsOf(text: string): string[] {
  const plain = text.replace(/\\u00([2-7][\da-f])/gi, ofNumber).replaceAll('\\', '')
  return [
    text,
    plain,
    plain.replace(/%(?:25)*([2-7][\da-f])/gi, ofNumber),
    plain.replace(/&(?:#0{0,4}(\d{2,3})|#x0{0,4}([2-7][\da-f])|(amp|lt|gt|quot|apos));?/gi, ofEntity),
    text.toLowerCase(),
    plain.replaceAll('-', '+').replaceAll('_', '/'),
  ]
}

const ofNumber = (_: string, digits: string): string => String.fromCharCode(Number.parseInt(digits, 16))

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const ofEntity = (_: string, decimal?: string, hex?: string, name = ''): string =>
  decimal ? String.fromCharCode(Number(decimal)) : hex ? ofNumber(_, hex) : (named[name.toLowerCase()] ?? '')

/** The shortest text that is looked for: a shorter one stands anywhere by chance. */
const formsOf = (secret: string): string[] =>
  [
    ...[secret, secret.replaceAll('\\', ''), Buffer.from(secret).toString('hex')],
    ...[0, 1, 2].map(before => inBase64(secret, before)),
  ].filter(form => form.length >= leastLength)

const bitsOf = { byte: 8, letter: 6 }

/** What base64 makes of it behind so many other bytes, without the letters that its neighbours have a part in. */
function inBase64(secret: string, before: number): string {
  const letters = (bytes: number) => (bytes * bitsOf.byte) / bitsOf.letter
  return Buffer.from('\0'.repeat(before) + secret)
    .toString('base64')
    .slice(Math.ceil(letters(before)), Math.floor(letters(before + secret.length)))
}
