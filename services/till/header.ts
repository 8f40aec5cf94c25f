/** The headers of x402: base64 of a JSON object. */
import { readStrictJson } from '../../schemas/values/strict-json.ts'
import { Failure } from '../offer/errors.ts'
import type { Presented } from './till.ts'

export const strictBase64 = /^[A-Za-z0-9+/]+={0,2}$/
/** Of a payment, in any protocol. */
export const limitBytes = 8 * 1024

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** The header of a quote, with the reason why it is sent. */
export const withReason = (header: string, error: string): string =>
  encode({ ...(JSON.parse(Buffer.from(header, 'base64').toString()) as object), error })

export function decode(header: string): Presented {
  if (header.length > limitBytes) throw new Failure('headers_too_large')
  if (!strictBase64.test(header)) throw new Failure('invalid_payment_header')
  let json: unknown
  try {
    json = readStrictJson(Buffer.from(header, 'base64').toString())
  } catch {
    // Strangers send anything here.
    throw new Failure('invalid_payment_header')
  }
  if (!isObject(json)) throw new Failure('invalid_payment_header')
  return { json }
}
