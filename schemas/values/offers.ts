/** The terms of an x402 endpoint: one entry for each way to pay it, in the form that events, rows and answers share. */
import { z } from 'zod'

export const Offer = z.strictObject({
  scheme: z.string(),
  /** As CAIP-2, if the name is known. */
  network: z.string(),
  asset: z.string(),
  /** In atoms of the asset, as quoted. */
  amount: z.string(),
  pay_to: z.string(),
})

export type Offer = z.output<typeof Offer>

export const offerColumn =
  'Array(Tuple(scheme LowCardinality(String), network LowCardinality(String), asset LowCardinality(String), amount String, pay_to String))'

/** Sorted, so that a seller who only reorders his offers has changed nothing. */
const inOrder = (texts: Iterable<string>): string => [...new Set(texts)].sort().join('\n')

/** Equal for equal amounts in the same assets. In atoms, never in dollars. */
export const pricesOf = (offers: readonly Offer[]): string =>
  inOrder(offers.map(({ scheme, network, asset, amount }) => `${scheme} ${network} ${asset} ${amount}`))
