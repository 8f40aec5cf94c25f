/** PumpSwap: the canonical pool of a token, to which its launch moves. Anybody may open other pools of the program. */
import type { Bytes } from '../bytes.ts'
import { derivedAddress, u16Le } from '../derived-address.ts'
import { pumpFeeProgram, pumpProgram, pumpSwapProgram } from '../programs.ts'
import { tokenAccount } from '../token/account.ts'
import { accountMark } from './account-mark.ts'
import { constantProduct } from './constant-product.ts'
import { ceilDiv } from './pool.ts'
import type { Venue } from './venue.ts'

const globalConfig = () => derivedAddress(pumpSwapProgram, 'global_config')
const feeConfig = () => derivedAddress(pumpFeeProgram, 'fee_config', { key: pumpSwapProgram })
const buyOrSellDisabled = (1 << 3) | (1 << 4)

export const pumpswap: Venue = {
  kind: 'pumpswap',
  program: pumpSwapProgram,
  mark: accountMark('Pool'),

  addresses(token, quote) {
    const creator = derivedAddress(pumpProgram, 'pool-authority', { key: token })
    return [
      derivedAddress(pumpSwapProgram, 'pool', u16Le(0), { key: creator }, { key: token }, { key: quote }),
    ]
  },

  state(address, data) {
    const mints = [data.key(43), data.key(75)] as const
    const vaults = [data.key(139), data.key(171)] as const
    const creatorPaid = data.length >= 243 && data.keyOrNull(211) !== null
    return {
      kind: 'pumpswap',
      address,
      mints,
      vaults,
      needs: [...vaults, globalConfig(), feeConfig(), mints[0]],
      pool(accounts) {
        const held = vaults.map(vault => accounts.get(vault)).map(at => at && tokenAccount(at)?.amount)
        const [global, mint] = [accounts.get(globalConfig()), accounts.get(mints[0])]
        const [base, quote] = held
        if (!base || !quote || !global || !mint || global.u8(56) & buyOrSellDisabled) return undefined
        const marketCap = (quote * mint.u64(36)) / base
        const tiers = accounts.get(feeConfig())
        const bps = tiers ? tierBps(tiers, marketCap, creatorPaid) : flatBps(global, creatorPaid)
        return constantProduct(
          { kind: 'pumpswap', address, mints },
          {
            reserves: [base, quote],
            // A sale pays its fee from the quote that comes out. A purchase pays it in addition to its input.
            fees: [
              { inPpm: 0, outPpm: Number(bps * 100n) },
              { inPpm: Number(ceilDiv(bps * 1_000_000n, 10_000n + bps)), outPpm: 0 },
            ],
          },
        )
      },
    }
  },
}

const flatBps = (global: Bytes, creatorPaid: boolean): bigint =>
  global.u64(40) + global.u64(48) + (creatorPaid && global.length >= 321 ? global.u64(313) : 0n)

/** The fee falls with the market value of the token, in steps. */
function tierBps(config: Bytes, marketCap: bigint, creatorPaid: boolean): bigint {
  const tiers = Array.from({ length: config.u32(65) }, (_, i) => 69 + i * 40)
  const reached = tiers.filter(at => marketCap >= config.u128(at)).at(-1) ?? tiers[0]
  if (reached === undefined) return 0n
  return config.u64(reached + 16) + config.u64(reached + 24) + (creatorPaid ? config.u64(reached + 32) : 0n)
}
