/** The kinds of value that variables of the environment hold, each with the words of its refusal. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigError } from './variables.ts'

const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
const parts = (text: string): string[] => text.split(',').map(part => part.trim())

/** Any text. `what` describes it in the refusal. */
export const text = (what: string) => z.string().min(1, what)
export const pemFile = text('a file in PEM').optional()
export const httpUrl = (what: string) =>
  z
    .string()
    .refine(isHttp, `${what}, as http:// or https://`)
    .transform(url => url.replace(/\/+$/, ''))
/** `word` may stand in the place of an address. */
export const httpUrls = (what: string, word?: string) =>
  z
    .string()
    .transform(parts)
    .refine(
      urls => urls.every(url => url === word || isHttp(url)),
      `one or more ${what}, as http:// or https://, separated by commas`,
    )
const keyForm = /^0x[0-9a-fA-F]{64}$/
export const keyWords = 'a key of 0x and 64 hex digits'
export const isKey = (given: string): boolean => keyForm.test(given)
export const key = z.string().regex(keyForm, keyWords)
/** The current key comes first, then the earlier ones. */
export const keys = z
  .string()
  .transform(parts)
  .refine(listed => listed.every(isKey), 'one or more keys of 0x and 64 hex digits, separated by commas')
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port, 0 to 65535')
  .transform(Number)
  .refine(n => n <= 65535, 'a port, 0 to 65535')
export const listOf = <const T extends readonly string[]>(names: T) =>
  z
    .string()
    .transform(parts)
    .refine(listed => listed.every(name => names.includes(name)), `a list out of ${names.join(',')}`)
    .refine(listed => new Set(listed).size === listed.length, 'a list that names nothing twice')
    .transform(listed => listed as T[number][])

/** Decimal text. */
export const usdcAmount = () => z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, 'an amount of USDC')

export const positive = (what: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, what)
    .transform(Number)
    .refine(n => n > 0, what)

/** The content of the file that a variable names. */
export function contentOf(variable: string, file: string): string
export function contentOf(variable: string, file: string | undefined): string | undefined
export function contentOf(variable: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(
      `${variable} is ${fileShown(file)}; it should be a file that can be read: ${(error as NodeJS.ErrnoException).code}`,
    )
  }
}

/** The same kind of value under each of these names. */
export const forEach = <Name extends string, Type>(names: readonly Name[], typeOf: (name: Name) => Type) =>
  Object.fromEntries(names.map(name => [name, typeOf(name)])) as Record<Name, Type>

/** Formats names for a description. */
export const code = (words: readonly string[]): string => words.map(word => `\`${word}\``).join(' ')

/** A long text without a slash may be the key itself, in place of the path to its file. */
const fileShown = (file: string): string =>
  file.length > 43 && !file.includes('/') ? 'something else' : file
