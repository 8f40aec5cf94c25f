/** How far Base has been read: what stands between two polls. */
import type { ChainPayment } from '../../../schemas/chain-payments.ts'
import type { Head } from '../../chain/base-reader.ts'
import type { NamedWallets } from '../../chain/chains.ts'
import { metrics } from '../../metrics.ts'
import { factOf } from '../../payment-rows.ts'
import { beforeAll } from '../../sellers.ts'

/** Blocks still to be read for the wallets that were first named between two snapshots. */
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
  /** Wallets first named until this snapshot are read for. */
  known: string
  wallets: number
  gaps: Gap[]
  /** Told, and not final yet. */
  provisional: ChainPayment[]
  readAt: number
}

const thirtyDays = 30 * 43_200
/** Farther behind than this, the newest blocks come first and the rest is a gap. */
const mostBehind = 20_000

/** The newest blocks first: what came before is a gap from the start. */
export const begun = (final: Head, { until }: NamedWallets): State => ({
  origin: { block: final.block, hash: final.hash },
  next: final.block + 1,
  lastHash: final.hash,
  known: until,
  wallets: 0,
  gaps: [{ from: Math.max(0, final.block - thirtyDays), to: final.block, after: beforeAll, until }],
  provisional: [],
  readAt: 0,
})

/** Wallets that are new have a past to be read, and blocks that were missed for long are read after the newest. */
export function planned(state: State, final: Head, { until, wallets }: NamedWallets, now: number): State {
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

/** What a reading of these blocks for every wallet says about the rows that were told provisionally. */
export function settled(
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

export function tellOfGaps(network: string, { gaps, next }: State, final: Head): void {
  const unread = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  metrics.chainGap.set({ network }, unread + Math.max(0, final.block - next + 1))
}
