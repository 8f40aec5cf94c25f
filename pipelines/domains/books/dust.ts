/**
 * Everybody can send a wallet as little as he likes, as often as he likes. What is too little for any sale is summed and listed, and
 * keeps no day from closing.
 */
import { networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../payments/atoms.ts'
import type { AskStore } from './facts.ts'

const { decimals } = networks.base
const mostUsdc = '0.001'
const mostListed = 1000

/** Of pairs as in `pairsOf`: no sale, and an amount below this bound. */
export const isDust = '(sales = 0 and one < toDecimal128({dust: String}, 6))'

/** The lowest price around the day, and how many transfers of each small amount came on it without a sale: there are a thousand amounts at most. */
export const smallSql = `toString(countIf(sales > 0)) as sold, toString(minIf(one, sales > 0)) as lowest,
  sumMapIf([toUInt64(one * 1000000)], [toUInt64(transfers)], day = {day: Date} and sales = 0 and one < toDecimal128('${mostUsdc}', 6)) as small`

export interface Small {
  sold: string
  lowest: string
  small: readonly [atoms: readonly (string | number)[], counts: readonly (string | number)[]]
}

export interface Dust {
  /** What is less is dust: a tenth of a cent, or the lowest price that was paid around this day. */
  below: string
  count: number
  usdc: string
}

export function dustOf({ sold, lowest, small: [amounts, counts] }: Small): Dust {
  const [most, least] = [atomsOf(mostUsdc), atomsOf(lowest)]
  const below = Number(sold) > 0 && least < most ? least : most
  let [count, atoms] = [0, 0n]
  for (const [nth, amount] of amounts.entries()) {
    if (BigInt(amount) >= below) continue
    count += Number(counts[nth])
    atoms += BigInt(amount) * BigInt(counts[nth] ?? 0)
  }
  return { below: fromAtoms(below, decimals), count, usdc: fromAtoms(atoms, decimals) }
}

export interface DustTransfer {
  tx: string
  payer: string
  usdc: string
  moved_at: string
}

/** The first of them. `pairs` is SQL. */
export async function listedDust(
  ask: AskStore,
  pairs: string,
  params: Readonly<Record<string, string>>,
): Promise<DustTransfer[]> {
  const rows = await ask<Omit<DustTransfer, 'moved_at'> & { ms: number }>(
    `select tx, payer, usdc, toFloat64(moved_ms) as ms from (${pairs}) where ${isDust} order by moved_ms, tx, payer, usdc limit ${mostListed}`,
    params,
  )
  return rows.map(({ ms, ...row }) => ({ ...row, moved_at: instant(ms) }))
}
