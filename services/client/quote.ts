import { flatJson } from './flat-json.ts'

/** One offer of a 402. */
export interface Offer {
  scheme: string
  network: string
  /** In the asset's smallest unit. */
  amount: string
  asset: string
  payTo: string
  maxTimeoutSeconds: number
  extra?: Record<string, unknown>
}

export interface Quote {
  x402Version: 2
  resource: { url: string; description?: string }
  accepts: Offer[]
  extensions?: Record<string, unknown>
}

/** USDC has 6 decimals on every network of the table. */
const decimals = 6

/** A stranger's words in one line, without what controls a terminal: another line of his would look like one of the client. */
export const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')

/** JSON for a terminal: what would control it stands in it as an escape, which is the same value. */
export const shownJson = (value: unknown): string =>
  indented(value).replace(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

function indented(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2)
  } catch (error) {
    // It nests too deep for that.
    if (error instanceof RangeError) return flatJson(value)
    throw error
  }
}

export const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

/** Undefined if the text, which a stranger wrote, is no object. */
export function fromBase64(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64').toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Its offers may have any form: `payable` judges them. */
export function quoteIn(response: Response): Quote | undefined {
  const quote = fromBase64(response.headers.get('payment-required') ?? '') as Quote | undefined
  return quote?.x402Version === 2 && Array.isArray(quote.accepts) ? quote : undefined
}

/** Converts dollars, as text or number, into USDC's smallest unit. */
export function atomsOf(usd: string | number): bigint {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(usd))
  if (!match) throw new Error(`"${usd}" is not an amount of dollars`)
  return BigInt((match[1] ?? '') + (match[2] ?? '').padEnd(decimals, '0'))
}

export function usdOf(atoms: bigint | string): string {
  const digits = String(atoms).padStart(decimals + 1, '0')
  const cents = digits.slice(-decimals).replace(/0+$/, '')
  return `${digits.slice(0, -decimals)}${cents && `.${cents}`}`
}
