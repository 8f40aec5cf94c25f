/** From both sides of the payments of a day: its sums, and what differs, by name. */
import { networks } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { instant } from '../../../schemas/values/values.ts'
import { atomsOf } from '../payments/atoms.ts'
import { clocksMs, isLost } from './coverage.ts'
import type { DayFound, DayWanted, Differing } from './day.ts'
import type { Dust } from './dust.ts'
import type { RefundsFound } from './refunds.ts'

/** Equal payments of one payer in one transaction: how many were sold, and how many the chain has. */
export interface Pair {
  tx: string
  payer: string
  usdc: string
  sales: number
  transfers: number
  moved_ms: number
  sold_ms: number
  request: string
  form: string
  canaries: number
  is_doubtful: number
}

/** The sums of payments that have both sides. */
export interface Even {
  count: string
  usdc: string
  canary: string
  canary_usdc: string
}

interface Others {
  uneven: readonly Pair[]
  reversed: { count: number; usdc: string }
  refunds: RefundsFound
  dust: Dust
}

export function summed(wanted: DayWanted, even: Even, { uneven, reversed, refunds, dust }: Others): DayFound {
  const sides = { sales: sum(even), transfers: sum(even), matched: sum(even) }
  sides.transfers.addAll(dust)
  const canary = sum({ count: even.canary, usdc: even.canary_usdc })
  const open: Pair[] = []
  const leftOut = sum({ count: '0', usdc: '0' })
  let { waiting } = refunds
  for (const pair of uneven) {
    const { sales, transfers, usdc, canaries } = pair
    if (isAtEdge(pair, wanted)) {
      leftOut.add(transfers, usdc)
      continue
    }
    canary.add(canaries, usdc)
    const each = { sales, transfers, matched: Math.min(sales, transfers) }
    for (const side of ['sales', 'transfers', 'matched'] as const) sides[side].add(each[side], usdc)
    if (sales === transfers) continue
    if (isYoung(pair, wanted)) waiting += Math.abs(sales - transfers)
    else open.push(pair)
  }
  const differences = [...named(open, wanted), ...refunds.differences]
  const { sales, transfers, matched } = sides
  return {
    sums: {
      day: wanted.day,
      ...{ transfers: transfers.count, received_usdc: transfers.usdc },
      ...{ sales: sales.count, sold_usdc: sales.usdc, matched: matched.count, matched_usdc: matched.usdc },
      ...{ canary: canary.count, canary_usdc: canary.usdc },
      ...{ reversed: reversed.count, reversed_usdc: reversed.usdc },
      ...{ refunds: refunds.count, refunded_usdc: refunds.usdc },
      ...{ differences: differences.length, waiting, explained: 0, dust: dust.count, dust_usdc: dust.usdc },
    },
    differences,
    leftOut: { count: leftOut.count, usdc: leftOut.usdc },
  }
}

/** USDC has as many on every network. */
const decimals = networks.base.decimals

function sum({ count, usdc }: Pick<Even, 'count' | 'usdc'>) {
  let [all, atoms] = [Number(count), atomsOf(usdc)]
  return {
    add(more: number, each: string): void {
      all += more
      atoms += BigInt(more) * atomsOf(each)
    },
    addAll(more: Dust): void {
      all += more.count
      atoms += atomsOf(more.usdc)
    },
    get count() {
      return all
    },
    get usdc() {
      return fromAtoms(atoms, decimals)
    },
  }
}

/** One side of it may stand before the books began, or on a chain that is gone. */
function isAtEdge({ sales, transfers, sold_ms, moved_ms }: Pair, { sinceMs, lost }: DayWanted): boolean {
  if (sales > 0 && transfers > 0) return false
  const ms = transfers > 0 ? moved_ms : sold_ms
  return ms < sinceMs + clocksMs || isLost(lost, ms)
}

/** A sale is judged once the blocks after it are read; a transfer once its sale has had time to be told. */
const isYoung = (
  { sales, transfers, sold_ms, moved_ms, is_doubtful }: Pair,
  { throughMs, nowMs, graceMs }: DayWanted,
): boolean =>
  transfers > sales
    ? nowMs < moved_ms + graceMs
    : is_doubtful === 1 || throughMs < sold_ms + Math.min(graceMs, clocksMs)

/** A sale and a transfer of one payer in one transaction that differ in their amounts are one difference. */
function named(open: readonly Pair[], { day, payTo }: DayWanted): Differing[] {
  const missing = new Set(open.filter(({ sales, transfers }) => sales > transfers))
  const found: Differing[] = []
  for (const pair of open.filter(({ sales, transfers }) => transfers > sales)) {
    const times = pair.transfers - pair.sales
    const sale = [...missing].find(
      ({ tx, payer, sales, transfers }) =>
        tx === pair.tx && payer === pair.payer && sales - transfers === times,
    )
    if (sale) missing.delete(sale)
    found.push({
      ...{ kind: sale ? 'amount' : 'no_sale', day, tx: pair.tx, payer: pair.payer, pay_to: payTo, times },
      ...{ chain_usdc: pair.usdc, books_usdc: sale?.usdc ?? '0' },
      method: (pair.form || null) as Differing['method'],
      request_id: sale?.request ?? null,
      moved_at: instant(pair.moved_ms),
    })
  }
  for (const { tx, payer, usdc, sales, transfers, request, sold_ms } of missing)
    found.push({
      ...{ kind: 'no_transfer', day, tx, payer, pay_to: payTo, times: sales - transfers },
      ...{ chain_usdc: '0', books_usdc: usdc, method: null, request_id: request, moved_at: instant(sold_ms) },
    })
  return found
}
