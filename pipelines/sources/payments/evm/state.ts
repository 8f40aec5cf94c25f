/** How far a chain has been read: the cursor between two polls. */
import type { ChainPayment } from '../../../../schemas/chain-payments.ts'
import { type EvmNetworkName, networks } from '../../../../schemas/networks.ts'
import type { Head } from '../../../chain/evm/reader.ts'
import { metrics } from '../../../metrics.ts'
import { beforeAll, type NamedWallets } from '../../../sellers.ts'
import { factOf } from '../rows.ts'

/** Blocks that are still to be read for the wallets that were first named between two snapshots. */
export interface Gap {
  from: number
  to: number
  after: string
  until: string
}

export interface State {
  /** Tells this chain from any other that may answer at the same address one day. */
  origin: { block: number; hash: string }
  /** The first block that has not been read as final, and the hash of the one before. */
  next: number
  lastHash: string
  /** The wallets that were first named no later than this snapshot are read for. */
  known: string
  wallets: number
  gaps: Gap[]
  /** Rows that stand in the log and are not final yet. */
  provisional: ChainPayment[]
  readAt: number
}

const dayMs = 86_400_000
/** Farther behind than this, the newest blocks are read first, and the rest is a gap. */
const mostBehindMs = 40_000_000
/** Blocks that are not final are read ahead this far. */
const mostProvisionalMs = 4_000_000

/** Spans of time in blocks of a network. */
export function spansOf(network: EvmNetworkName) {
  const blocksIn = (ms: number) => Math.ceil(ms / networks[network].blockMs)
  return {
    thirtyDays: blocksIn(30 * dayMs),
    mostBehind: blocksIn(mostBehindMs),
    mostProvisional: blocksIn(mostProvisionalMs),
  }
}
type Spans = ReturnType<typeof spansOf>

/** The newest blocks are read first. What came before them is a gap from the start. */
export const begun = (final: Head, { until }: NamedWallets, { thirtyDays }: Spans): State => ({
  origin: { block: final.block, hash: final.hash },
  next: final.block + 1,
  lastHash: final.hash,
  known: until,
  wallets: 0,
  gaps: [{ from: Math.max(0, final.block - thirtyDays), to: final.block, after: beforeAll, until }],
  provisional: [],
  readAt: 0,
})

/** The past of new wallets is a gap, and so are blocks that were missed for long: the newest blocks come first. */
export function planned(
  state: State,
  { final, named: { until, wallets } }: { final: Head; named: NamedWallets },
  { thirtyDays, mostBehind }: Spans,
  now: number,
): State {
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

/** Holds the rows that are not final against what these blocks say now, read for every wallet. */
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

export function measureGaps(network: string, { gaps, next }: State, final: Head): void {
  const unread = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  metrics.chainGap.set({ network }, unread + Math.max(0, final.block - next + 1))
}
