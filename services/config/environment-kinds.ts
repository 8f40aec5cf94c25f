/** The kinds of value that variables of the environment hold, each with the words of its refusal. */
import { z } from 'zod'

export const httpUrl = (what: string) =>
  z
    .string()
    .refine(
      text => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
      `${what}, as http:// or https://`,
    )
    .transform(text => text.replace(/\/+$/, ''))
export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'a port, 0 to 65535')
  .transform(Number)
  .refine(n => n <= 65535, 'a port, 0 to 65535')
export const listOf = <const T extends readonly string[]>(names: T) =>
  z
    .string()
    .transform(text => text.split(',').map(name => name.trim()))
    .refine(listed => listed.every(name => names.includes(name)), `a list out of ${names.join(',')}`)
    .refine(listed => new Set(listed).size === listed.length, 'a list that names nothing twice')
    .transform(listed => listed as T[number][])
export const rpcUrls = z
  .string()
  .transform(text => text.split(',').map(url => url.trim()))
  .refine(
    urls => urls.every(url => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)),
    'one or more RPC addresses, as http:// or https://, separated by commas',
  )
export const positive = (what: string) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, what)
    .transform(Number)
    .refine(n => n > 0, what)
