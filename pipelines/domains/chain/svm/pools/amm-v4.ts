/** Raydium's AMM v4. Its pools have no derived addresses: a node finds them by their mints, if it allows that. */
import { ammV4Program } from '../programs.ts'
import { tokenAccount } from '../token/account.ts'
import { constantProduct } from './constant-product.ts'
import type { Venue } from './venue.ts'

export const ammV4Bytes = 752
export const ammV4MintsAt = [400, 432] as const
/** The pool trades, alone or beside an order book. Every other status stops swaps. */
const trading = new Set([1n, 5n, 6n, 7n])

export const ammV4: Venue = {
  kind: 'raydium_amm',
  program: ammV4Program,
  addresses: () => [],

  state(address, data) {
    if (data.length !== ammV4Bytes || !trading.has(data.u64(0))) return undefined
    const vaults = [data.key(336), data.key(368)] as const
    const mints = [data.key(ammV4MintsAt[0]), data.key(ammV4MintsAt[1])] as const
    const owed = [data.u64(192), data.u64(200)] as const
    const [feeOver, feeUnder] = [data.u64(176), data.u64(184)]
    const [orders, opensAt] = [data.key(496), data.u64(224)]
    return {
      kind: 'raydium_amm',
      address,
      mints,
      vaults,
      openedAt: opensAt,
      needs: [...vaults, orders],
      pool(accounts, { unixSeconds }) {
        const held = vaults.map(vault => accounts.get(vault)).map(at => at && tokenAccount(at)?.amount)
        if (held[0] === undefined || held[1] === undefined || feeUnder === 0n) return undefined
        if (BigInt(unixSeconds) < opensAt) return undefined
        // The tokens in the pool's open orders belong to the pool as well.
        const book = accounts.get(orders)
        const ordered = book && book.length > 109 ? [book.u64(85), book.u64(101)] : [0n, 0n]
        const reserves = [
          held[0] + (ordered[0] as bigint) - owed[0],
          held[1] + (ordered[1] as bigint) - owed[1],
        ] as const
        if (reserves[0] <= 0n || reserves[1] <= 0n) return undefined
        const fee = { inPpm: Number((feeOver * 1_000_000n) / feeUnder), outPpm: 0 }
        return constantProduct({ kind: 'raydium_amm', address, mints }, { reserves, fees: [fee, fee] })
      },
    }
  },
}
