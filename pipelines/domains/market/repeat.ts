/** Decides whether buyers return: by the chain, or by the catalog if the chain cannot tell. */
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import type { AppliedLabel } from './labels.ts'
import { ratio, type Seller, type SellerEndpoint } from './seller.ts'

/** The lower end of the 95 % interval of a share. For 3 of 3 it is lower than for 30 of 30. */
export function wilsonLowerBound(hits: number, of: number): number {
  if (of === 0) return 0
  return (hits + 1.92) / (of + 3.84) - (1.96 * Math.sqrt((hits * (of - hits)) / of + 0.96)) / (of + 3.84)
}

export function buyersReturn(
  { chain }: Seller,
  endpoint: SellerEndpoint,
  found: readonly AppliedLabel[],
): boolean {
  const { wallets, lowerBound, catalogWallets, catalogCallsPerWallet } = rules.repeat
  if (found.some(({ label }) => label.severity === 'strong')) return false
  if (chain)
    return chain.returning >= wallets && wilsonLowerBound(chain.returning, chain.customers) >= lowerBound
  const doubted = found.some(({ label }) =>
    ['few_wallets_many_calls', 'one_call_per_wallet'].includes(label.code),
  )
  return (
    !doubted &&
    endpoint.payers >= catalogWallets &&
    ratio(endpoint.calls, endpoint.payers) >= catalogCallsPerWallet
  )
}
