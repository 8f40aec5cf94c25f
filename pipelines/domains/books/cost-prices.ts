/** What coins, settlements and calls cost, as the operator names it in a file of JSON, in dollars. */
import { z } from 'zod'
import { whatIsWrong } from '../../../schemas/dataset/dataset.ts'
import { receiptNetworks } from '../../../schemas/tables/networks.ts'
import { fromAtoms, toAtoms } from '../../../schemas/tables/stablecoins.ts'

/** Dollars are counted in billionths: a call may cost that little. */
const places = 9
export const billion = 10n ** BigInt(places)

const decimal = /^\d{1,9}(\.\d{1,9})?$/
const words = 'an amount in dollars, with 9 digits after the point at most'
const dollars = z.union([z.number(), z.string()]).transform((given, context) => {
  // Without an exponent.
  const text = typeof given === 'number' && given < 1e9 ? given.toFixed(places) : String(given)
  if (decimal.test(text)) return nanosOf(text)
  context.addIssue(words)
  return z.NEVER
})
const network = z.enum(receiptNetworks)
const rule = z.strictObject({
  each: dollars.default(0n),
  percent: dollars.default(0n),
  free_a_month: z.int().min(0).default(0),
})
const host = z.string().regex(/^[^\s/@]+$/, 'a host, with its port where the address names one')

const form = z.strictObject({
  coins: z.partialRecord(network, dollars).default({}),
  facilitators: z.partialRecord(network, rule).default({}),
  calls: z.record(host, dollars).default({}),
})

/** All in billionths of a dollar; `percent` in billionths of a percent. */
export type CostPrices = z.output<typeof form>
export type FeeRule = z.output<typeof rule>

export const noPrices: CostPrices = { coins: {}, facilitators: {}, calls: {} }

/** Throws what is wrong, in words. */
export function costPricesIn(text: string): CostPrices {
  const read = form.safeParse(JSON.parse(text))
  if (!read.success) throw new Error(whatIsWrong(read.error))
  return read.data
}

export const nanosOf = (text: string): bigint => toAtoms(text, places)

export const dollarsOf = (nanos: bigint): string => fromAtoms(nanos, places)
