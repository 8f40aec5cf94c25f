/** For reading what a stranger sent. */
import { Failure } from '../errors.ts'

export const strictBase64 = /^[A-Za-z0-9+/]+={0,2}$/

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What cannot pay here: 402, with a fresh quote. */
export const unfit = (what: string): Failure => new Failure('invalid_payment', what)
