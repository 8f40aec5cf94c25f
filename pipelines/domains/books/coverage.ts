/** How far the final blocks of a network were read for our wallets without a gap. */
import { isEvm, type NetworkName } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { type AskStore, time } from './facts.ts'

interface Range {
  from_block: string
  to_block: string
  from_ms: string
  to_ms: string
}

/** A stretch of the chain that was read. `fromMs` is -Infinity where it begins with the chain itself. */
interface Stretch {
  fromMs: number
  toMs: number
}

export interface Coverage {
  stretches: readonly Stretch[]
  /** The ends of chains that have begun anew, as those for play do: nobody can read these blocks any more. */
  lost: readonly Stretch[]
}

/** Our own wallets are read from the beginning, so only ranges that go back to it are about them. */
const sql = `
  select toString(from_block) as from_block, toString(to_block) as to_block, toString(toUnixTimestamp64Milli(from_at)) as from_ms,
    toString(toUnixTimestamp64Milli(to_at)) as to_ms
  from chain_ranges
  where network = {network: String} and sellers_after = parseDateTime64BestEffort({beginning: String}, 3, 'UTC') and unread = 0 and to_at >= ${time('from')}
  order by from_at, from_block`

const dayMs = 86_400_000

/** What reaches into the time after `fromMs`, the oldest first. */
export async function coverageOf(ask: AskStore, network: NetworkName, fromMs: number): Promise<Coverage> {
  const rows = await ask<Range>(sql, { network, beginning: instant(0), from: String(fromMs - dayMs) })
  const ranges = rows.map(({ from_block, to_block, from_ms, to_ms }) => ({
    ...{ fromBlock: Number(from_block), toBlock: Number(to_block) },
    ...{ fromMs: Number(from_ms), toMs: Number(to_ms) },
  }))
  return { stretches: stretchesIn(ranges, isEvm(network)), lost: lostIn(ranges) }
}

interface ReadRange extends Stretch {
  fromBlock: number
  toBlock: number
}

/** A chain for play begins anew at its first blocks. Those of real chains are far beyond, and were left there years ago. */
const mostAtPlay = 1_000_000

/** On one chain no later head has a lower number; but the time of a slot is an estimate, and a gap may be read hours later. */
function lostIn(ranges: readonly ReadRange[]): Stretch[] {
  const byHead = ranges.toSorted((one, other) => one.toMs - other.toMs)
  return byHead.flatMap(({ toBlock, toMs }, nth) => {
    const before = byHead[nth - 1]
    const isAnew = before && toBlock < Math.min(before.toBlock, mostAtPlay) && before.toMs < toMs
    return isAnew ? { fromMs: before.toMs, toMs } : []
  })
}

/** Ranges join where the next one begins at the next block or before. A chain that begins anew has nothing before it. */
function stretchesIn(ranges: readonly ReadRange[], hasEachBlock: boolean): Stretch[] {
  const found: (Stretch & { toBlock: number })[] = []
  for (const { fromBlock, toBlock, fromMs, toMs } of ranges) {
    const last = found.at(-1)
    const isFirst = hasEachBlock && fromBlock === 0
    const joins = last && fromBlock <= last.toBlock + 1 && (!isFirst || toBlock >= last.toBlock)
    if (joins) {
      last.toMs = Math.max(last.toMs, toMs)
      last.toBlock = Math.max(last.toBlock, toBlock)
    } else found.push({ fromMs: isFirst ? -Infinity : fromMs, toMs, toBlock })
  }
  return found.map(({ fromMs, toMs }) => ({ fromMs, toMs }))
}

/** Up to when it was read without a gap from this time on. The time itself where it was not read. */
export const readThrough = (stretches: Coverage['stretches'], fromMs: number): number =>
  stretches.reduce((through, one) => (one.fromMs <= through ? Math.max(through, one.toMs) : through), fromMs)

/** A sale or refund that the log has taken late, or a clock that is ahead, may be so far from its block. */
export const clocksMs = 10 * 60_000

/** One side of a payment of this time may stand in blocks that are lost, and nobody can tell. */
export const isLost = (lost: Coverage['lost'], ms: number): boolean =>
  lost.some(({ fromMs, toMs }) => ms >= fromMs - clocksMs && ms < toMs)
