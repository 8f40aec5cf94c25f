/** Writes pools of each kind with all their accounts. */

import {
  derivedAddress,
  i32Be,
  i64Le,
  inOrder,
  u16Be,
  u16Le,
} from '../../../../../pipelines/domains/chain/svm/derived-address.ts'
import {
  ammV4Program,
  clmmProgram,
  cpmmProgram,
  dlmmProgram,
  pumpFeeProgram,
  pumpProgram,
  pumpSwapProgram,
  tokenProgram,
} from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { tokenAccount } from '../../../../../pipelines/domains/payments/svm/payment.ts'
import {
  tickAt,
  type WhirlpoolPosition,
  whirlpoolAccounts,
} from '../../../../../services/sandbox/solana-whirlpool.ts'
import { account, tokenAccountData } from './account-writer.ts'
import { newKey, type Solana } from './solana.ts'

type Lay = Solana['lay']

export interface Pair {
  token: string
  quote: string
  /** Atoms of the quote for one atom of the token, times 2 to the 128. */
  priceX128: bigint
}

export const squareRoot = (value: bigint): bigint => {
  let guess = 1n << 128n
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}

/** The square root of the price of the pair's first mint in its second, with 64 binary places. */
const sqrtOf = ({ token, quote, priceX128 }: Pair): bigint =>
  squareRoot(inOrder(token, quote)[0] === token ? priceX128 : (1n << 256n) / priceX128)

const vaultsOf = (lay: Lay, mints: readonly string[], owner: string, amounts: readonly bigint[]): string[] =>
  mints.map((mint, i) => {
    const vault = newKey()
    lay(tokenProgram, vault, tokenAccountData(mint, owner, amounts[i] as bigint))
    return vault
  })

interface Ranged extends Pair {
  /** How many ticks each position reaches to each side of the price, and its liquidity. */
  width: number
  liquidity: bigint
  /** The middle of the position, in ticks from the price. */
  off?: number
}

export function layWhirlpool(
  lay: Lay,
  { spacing = 64, feePpm = 3000, ...pair }: Ranged & { spacing?: number; feePpm?: number },
): string {
  const sqrtPrice = sqrtOf(pair)
  const tick = tickAt(sqrtPrice)
  const accounts = whirlpoolAccounts({
    mints: [pair.token, pair.quote],
    spacing,
    feePpm,
    sqrtPrice,
    tick,
    positions: [positionOf(pair, tick, spacing)],
  })
  for (const { address, programAddress, data } of accounts) lay(programAddress, address, data)
  return accounts[0]?.address as string
}

function positionOf({ width, liquidity, off = 0 }: Ranged, tick: number, spacing: number): WhirlpoolPosition {
  const grid = (at: number) => Math.round(at / spacing) * spacing
  return { from: grid(tick + off - width), to: grid(tick + off + width), liquidity }
}

export function layClmmConfig(lay: Lay, index: number, feePpm: number, spacing: number): string {
  const at = derivedAddress(clmmProgram, 'amm_config', u16Be(index))
  lay(
    clmmProgram,
    at,
    account(117, { 0: { mark: 'AmmConfig' }, 9: { u16: index }, 47: { u32: feePpm }, 51: { u16: spacing } }),
  )
  return at
}

export function layClmm(
  lay: Lay,
  { config, spacing, ...pair }: Ranged & { config: string; spacing: number },
): string {
  const mints = inOrder(pair.token, pair.quote)
  const at = derivedAddress(clmmProgram, 'pool', { key: config }, { key: mints[0] }, { key: mints[1] })
  const sqrtPrice = sqrtOf(pair)
  const tick = tickAt(sqrtPrice)
  const { from, to, liquidity } = positionOf(pair, tick, spacing)
  const vaults = vaultsOf(lay, mints, at, [10n ** 15n, 10n ** 15n])
  lay(
    clmmProgram,
    at,
    account(1544, {
      0: { mark: 'PoolState' },
      9: { key: config },
      73: { key: mints[0] },
      105: { key: mints[1] },
      137: { key: vaults[0] as string },
      169: { key: vaults[1] as string },
      235: { u16: spacing },
      237: { u128: from <= tick && tick < to ? liquidity : 0n },
      253: { u128: sqrtPrice },
      269: { i32: tick },
    }),
  )
  const span = spacing * 60
  const ends = [
    [from, liquidity],
    [to, -liquidity],
  ] as const
  for (const start of new Set(ends.map(([end]) => Math.floor(end / span) * span))) {
    const fields = ends
      .filter(([end]) => Math.floor(end / span) * span === start)
      .map(([end, net]) => {
        const place = 44 + ((end - start) / spacing) * 168
        return { [place]: { i32: end }, [place + 4]: { i128: net }, [place + 20]: { u128: liquidity } }
      })
    lay(
      clmmProgram,
      derivedAddress(clmmProgram, 'tick_array', { key: at }, i32Be(start)),
      account(10_240, {
        0: { mark: 'TickArrayState' },
        8: { key: at },
        40: { i32: start },
        ...Object.assign({}, ...fields),
      }),
    )
  }
  return at
}

export function layCpmmConfig(lay: Lay, index: number, feePpm: bigint, creatorPpm = 0n): string {
  const at = derivedAddress(cpmmProgram, 'amm_config', u16Be(index))
  lay(
    cpmmProgram,
    at,
    account(236, {
      0: { mark: 'AmmConfig' },
      10: { u16: index },
      12: { u64: feePpm },
      108: { u64: creatorPpm },
    }),
  )
  return at
}

interface Reserved {
  token: string
  quote: string
  ofToken: bigint
  ofQuote: bigint
}

export interface CpmmSample extends Reserved {
  config: string
  status?: number
  openedAt?: bigint
  /** The part of each vault that belongs to the protocol. */
  owed?: bigint
  creatorFee?: boolean
}

export function layCpmm(
  lay: Lay,
  { config, status = 0, openedAt = 0n, owed = 0n, creatorFee = false, ...pair }: CpmmSample,
): string {
  const mints = inOrder(pair.token, pair.quote)
  const at = derivedAddress(cpmmProgram, 'pool', { key: config }, { key: mints[0] }, { key: mints[1] })
  const amounts = mints.map(mint => (mint === pair.token ? pair.ofToken : pair.ofQuote) + owed)
  const vaults = vaultsOf(lay, mints, at, amounts)
  lay(
    cpmmProgram,
    at,
    account(637, {
      0: { mark: 'PoolState' },
      8: { key: config },
      72: { key: vaults[0] as string },
      104: { key: vaults[1] as string },
      168: { key: mints[0] },
      200: { key: mints[1] },
      329: { u8: status },
      341: { u64: owed },
      349: { u64: owed },
      373: { u64: openedAt },
      390: { u8: Number(creatorFee) },
    }),
  )
  return at
}

export function layPumpSwap(lay: Lay, { token, quote, ofToken, ofQuote }: Reserved): string {
  const creator = derivedAddress(pumpProgram, 'pool-authority', { key: token })
  const at = derivedAddress(
    pumpSwapProgram,
    'pool',
    u16Le(0),
    { key: creator },
    { key: token },
    { key: quote },
  )
  const vaults = [token, quote].map(mint => tokenAccount(at, mint)) as [string, string]
  lay(tokenProgram, vaults[0], tokenAccountData(token, at, ofToken))
  lay(tokenProgram, vaults[1], tokenAccountData(quote, at, ofQuote))
  lay(
    pumpSwapProgram,
    derivedAddress(pumpSwapProgram, 'global_config'),
    account(900, { 0: { mark: 'GlobalConfig' }, 40: { u64: 20n }, 48: { u64: 5n }, 313: { u64: 5n } }),
  )
  lay(
    pumpSwapProgram,
    at,
    account(300, {
      0: { mark: 'Pool' },
      11: { key: creator },
      43: { key: token },
      75: { key: quote },
      139: { key: vaults[0] },
      171: { key: vaults[1] },
      211: { key: newKey() },
    }),
  )
  return at
}

/** Fees by market value in atoms of SOL: each tier begins at its value. */
export function layPumpFees(lay: Lay, tiers: readonly [from: bigint, bps: bigint][]): void {
  const fields = tiers.map(([from, bps], i) => ({
    [69 + i * 40]: { u128: from },
    [69 + i * 40 + 16]: { u64: bps },
  }))
  lay(
    pumpFeeProgram,
    derivedAddress(pumpFeeProgram, 'fee_config', { key: pumpSwapProgram }),
    account(1000, { 0: { mark: 'FeeConfig' }, 65: { u32: tiers.length }, ...Object.assign({}, ...fields) }),
  )
}

export function layAmmV4(lay: Lay, { token, quote, ofToken, ofQuote }: Reserved): string {
  const at = newKey()
  const vaults = vaultsOf(lay, [token, quote], at, [ofToken, ofQuote])
  lay(
    ammV4Program,
    at,
    account(752, {
      0: { u64: 6n },
      176: { u64: 25n },
      184: { u64: 10_000n },
      336: { key: vaults[0] as string },
      368: { key: vaults[1] as string },
      400: { key: token },
      432: { key: quote },
    }),
  )
  return at
}

export function layPreset(lay: Lay, step: number, factor: number): void {
  const preset = derivedAddress(dlmmProgram, 'preset_parameter', u16Le(step), u16Le(factor))
  lay(
    dlmmProgram,
    preset,
    account(36, { 0: { mark: 'PresetParameter' }, 8: { u16: step }, 10: { u16: factor } }),
  )
}

export interface DlmmSample {
  token: string
  quote: string
  step: number
  factor: number
  active: number
  /** Bins on each side of the active one, and what each of them holds. */
  bins: number
  perBin: readonly [bigint, bigint]
}

export function layDlmm(lay: Lay, { token, quote, step, factor, active, bins, perBin }: DlmmSample): string {
  const mints = inOrder(token, quote)
  const at = derivedAddress(dlmmProgram, { key: mints[0] }, { key: mints[1] }, u16Le(step), u16Le(factor))
  const vaults = vaultsOf(lay, mints, at, [10n ** 15n, 10n ** 15n])
  lay(
    dlmmProgram,
    at,
    account(904, {
      0: { mark: 'LbPair' },
      8: { u16: factor },
      76: { i32: active },
      80: { u16: step },
      88: { key: mints[0] },
      120: { key: mints[1] },
      152: { key: vaults[0] as string },
      184: { key: vaults[1] as string },
    }),
  )
  const arrays = new Map<number, Record<number, { u64: bigint }>>()
  for (let bin = active - bins; bin <= active + bins; bin++) {
    const index = Math.floor(bin / 70)
    const fields = arrays.get(index) ?? {}
    const place = 56 + (bin - index * 70) * 144
    if (bin >= active) fields[place] = { u64: perBin[0] }
    if (bin <= active) fields[place + 8] = { u64: perBin[1] }
    arrays.set(index, fields)
  }
  for (const [index, fields] of arrays)
    lay(
      dlmmProgram,
      derivedAddress(dlmmProgram, 'bin_array', { key: at }, i64Le(index)),
      account(10_136, { 0: { mark: 'BinArray' }, 8: { i64: BigInt(index) }, 24: { key: at }, ...fields }),
    )
  return at
}
