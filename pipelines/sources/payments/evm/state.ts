/** The cursor between two polls: the position up to which the chain has been read. */
import type { ChainPayment } from '../../../../schemas/chain-payments.ts'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import type { ChainHead } from '../../../domains/payments/evm/reader.ts'
import { metrics } from '../../../rails/metrics.ts'
import { factOf } from '../rows.ts'
import { beforeAll, type NamedWallets } from '../sellers.ts'

/** Blocks that must still be read for the wallets that appeared between two snapshots. */
export interface BlockGap {
  from: number
  to: number
  after: string
  until: string
}

export interface EvmReadState {
  /** Identifies the chain, because the same address may later serve another chain. */
  origin: { block: number; hash: string }
  /** The first block that has not been read as final, and the hash of the block before it. */
  next: number
  lastHash: string
  /** The chain has been read for all wallets that appeared up to this snapshot. */
  known: string
  wallets: number
  gaps: BlockGap[]
  /** Rows in the log that are not final yet. */
  provisional: ChainPayment[]
  readAt: number
}

const dayMs = 86_400_000
/** A reader that is further behind reads the newest blocks first, and the rest becomes a gap. */
const mostBehindMs = 40_000_000
/** How far beyond the final blocks the reader goes. */
const mostProvisionalMs = 4_000_000

/** Converts spans of time into blocks of a network. */
export function spansOf(network: EvmNetworkName) {
  const blocksIn = (ms: number) => Math.ceil(ms / networks[network].blockMs)
  return {
    thirtyDays: blocksIn(30 * dayMs),
    mostBehind: blocksIn(mostBehindMs),
    mostProvisional: blocksIn(mostProvisionalMs),
  }
}
type Spans = ReturnType<typeof spansOf>

/** The state at the start. The newest blocks are read first, and the blocks before them are a gap. */
export const begun = (final: ChainHead, { until }: NamedWallets, { thirtyDays }: Spans): EvmReadState => ({
  origin: { block: final.block, hash: final.hash },
  next: final.block + 1,
  lastHash: final.hash,
  known: until,
  wallets: 0,
  gaps: [{ from: Math.max(0, final.block - thirtyDays), to: final.block, after: beforeAll, until }],
  provisional: [],
  readAt: 0,
})

/** Plans a poll. The newest blocks come first. Gaps are the past of new wallets, and blocks that were missed for long. */
export function planned(
  state: EvmReadState,
  { final, named: { until, wallets } }: { final: ChainHead; named: NamedWallets },
  { thirtyDays, mostBehind }: Spans,
  now: number,
): EvmReadState {
  const { next, known } = state
  const gaps = [...state.gaps]
  if (until > known && next > 0)
    gaps.push({ from: Math.max(0, final.block - thirtyDays), to: next - 1, after: known, until })
  const behind = final.block - next >= mostBehind
  if (behind) gaps.push({ from: next, to: final.block, after: beforeAll, until })
  return {
    ...state,
    ...(behind && { next: final.block + 1, lastHash: final.hash }),
    known: until,
    wallets: wallets.size,
    gaps: gaps.filter(({ from, to }) => from <= to),
    readAt: now,
  }
}

/** Compares the provisional rows with a new read of these blocks for every wallet. */
export function confirmed(
  provisional: readonly ChainPayment[],
  found: readonly ChainPayment[],
  from: number,
  to: number,
) {
  const facts = new Set(found.map(factOf))
  const within = ({ block }: ChainPayment) => block >= from && block <= to
  return {
    open: provisional.filter(row => !within(row)),
    gone: provisional.filter(row => within(row) && !facts.has(factOf(row))).map(withdrawn),
  }
}

export const withdrawn = (row: ChainPayment): ChainPayment => ({ ...row, withdrawn: true })

export function measureGaps(network: string, { gaps, next }: EvmReadState, final: ChainHead): void {
  const unread = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  metrics.chainGap.set({ network }, unread + Math.max(0, final.block - next + 1))
}
