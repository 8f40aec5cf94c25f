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
const mostAtoms = atomsOf('0.001')
const mostListed = 1000

/** Of pairs as in `pairsOf`: no sale, and an amount below this bound. */
export const isDust = '(sales = 0 and one < toDecimal128({dust: String}, 6))'

/** A tenth of a cent, or the lowest price that was paid around this day. `pairs` is SQL. */
export async function dustBound(
  ask: AskStore,
  pairs: string,
  params: Readonly<Record<string, string>>,
): Promise<string> {
  const [row] = await ask<{ sold: string; lowest: string }>(
    `select toString(countIf(sales > 0)) as sold, toString(minIf(one, sales > 0)) as lowest from (${pairs})`,
    params,
  )
  const lowest = Number(row?.sold ?? 0) > 0 ? atomsOf(row?.lowest ?? '0') : mostAtoms
  return fromAtoms(lowest < mostAtoms ? lowest : mostAtoms, decimals)
}

export interface Dust {
  count: number
  usdc: string
}

export async function dustIn(
  ask: AskStore,
  pairs: string,
  params: Readonly<Record<string, string>>,
): Promise<Dust> {
  const [row] = await ask<{ count: string; usdc: string }>(
    `select toString(sum(transfers)) as count, toString(sum(one * transfers)) as usdc from (${pairs}) where ${isDust}`,
    params,
  )
  return { count: Number(row?.count ?? 0), usdc: row?.usdc ?? '0' }
}

export interface DustTransfer {
  tx: string
  payer: string
  usdc: string
  moved_at: string
}

/** The first of them. */
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
