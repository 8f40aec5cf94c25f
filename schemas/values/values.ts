/** The values in facts. Money and measured numbers are decimal text, never floats. */
import { z } from 'zod'

export const Decimal = z.string().regex(/^-?\d+(\.\d+)?$/, 'a decimal number as text')

function isCalendarDay(text: string): boolean {
  const at = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}

export const IsoDate = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date as YYYY-MM-DD')
  .refine(isCalendarDay, 'a day that exists in the calendar')

declare const digits: unique symbol
/** A number that is printed with its original digits. */
export type Exact = number & { readonly [digits]: true }

/** A number of an answer. It takes only an Exact: a number that JavaScript has computed does not compile. */
export const exact = () => z.number() as unknown as z.ZodType<number, Exact>

/** RFC 3339, UTC, with milliseconds: the one form of every time in events and answers. */
export const Instant = z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, 'a UTC time')

const minuteMs = 60_000
/** The beginnings of the last minutes that were written. A date of JavaScript takes three times as long. */
const beginnings = Array.from({ length: 8 }, () => ({ minute: Number.NaN, text: '' }))

export function instant(ms: number): string {
  const minute = Math.floor(ms / minuteMs)
  const beginning = beginnings[minute & 7] as (typeof beginnings)[number]
  if (beginning.minute !== minute) {
    beginning.text = new Date(minute * minuteMs).toISOString().slice(0, -7)
    beginning.minute = minute
  }
  const rest = String(100_000 + Math.trunc(ms - minute * minuteMs))
  return `${beginning.text}${rest.slice(1, 3)}.${rest.slice(3)}Z`
}

export const CurrencyCode = z.string().regex(/^[A-Z]{3}$/, 'a currency code')
/** EDGAR writes up to 10 digits. The numbers it has assigned so far are far below 2^32. */
export const Cik = z.int().min(1).max(4_294_967_295)
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex')
