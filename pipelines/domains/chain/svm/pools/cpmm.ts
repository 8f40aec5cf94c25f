/** Raydium's CPMM. */
import { derivedAddress, inOrder } from '../derived-address.ts'
import { cpmmProgram } from '../programs.ts'
import { tokenAccount } from '../token/account.ts'
import { accountMark } from './account-mark.ts'
import { constantProduct } from './constant-product.ts'
import type { Venue } from './venue.ts'

const swapDisabled = 1 << 2

export const cpmm: Venue = {
  kind: 'raydium_cpmm',
  program: cpmmProgram,
  mark: accountMark('PoolState'),

  addresses(a, b, { cpmmConfigs }) {
    const [first, second] = inOrder(a, b)
    return cpmmConfigs.map(config =>
      derivedAddress(cpmmProgram, 'pool', { key: config }, { key: first }, { key: second }),
    )
  },

  state(address, data) {
    const [config, opensAt] = [data.key(8), data.u64(373)]
    if (data.u8(329) & swapDisabled) return undefined
    const vaults = [data.key(72), data.key(104)] as const
    const mints = [data.key(168), data.key(200)] as const
    // The vaults also hold the fees of protocol, fund and creator.
    const owed = [
      data.u64(341) + data.u64(357) + data.u64(397),
      data.u64(349) + data.u64(365) + data.u64(405),
    ] as const
    const [creatorOn, creatorPays] = [data.u8(389), data.flag(390)]
    return {
      kind: 'raydium_cpmm',
      address,
      mints,
      vaults,
      openedAt: opensAt,
      needs: [config, ...vaults],
      pool(accounts, { unixSeconds }) {
        const settings = accounts.get(config)
        const held = vaults.map(vault => accounts.get(vault)).map(at => at && tokenAccount(at)?.amount)
        if (!settings || held[0] === undefined || held[1] === undefined) return undefined
        const reserves = [held[0] - owed[0], held[1] - owed[1]] as const
        if (reserves[0] <= 0n || reserves[1] <= 0n || BigInt(unixSeconds) < opensAt) return undefined
        const trade = Number(settings.u64(12))
        const creator = creatorPays ? Number(settings.u64(108)) : 0
        const fee = (into: 0 | 1) =>
          creatorOn === 0 || creatorOn === into + 1
            ? { inPpm: trade + creator, outPpm: 0 }
            : { inPpm: trade, outPpm: creator }
        return constantProduct({ kind: 'raydium_cpmm', address, mints }, { reserves, fees: [fee(0), fee(1)] })
      },
    }
  },
}
