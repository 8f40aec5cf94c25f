/** How far Solana has been read: the cursor between two polls. */
import { networks } from '../../../../schemas/networks.ts'
import { metrics } from '../../../metrics.ts'
import { beforeAll, type NamedWallets } from '../../../sellers.ts'

/** Slots that are being read, account by account, for the wallets that were first named between two snapshots. */
export interface Window {
  from: number
  to: number
  after: string
  until: string
  /** The account that is being read, and the signature in its list after which to go on. */
  account: string
  before?: string | undefined
  read: number
  unread: number
  payments: number
  plain: number
}

export interface State {
  genesis: string
  /** The first slot that no window has reached. */
  next: number
  known: string
  wallets: number
  /** The newest slots, while they are being read. */
  window?: Window | undefined
  gaps: Window[]
  /** Transactions of the overlap whose rows stand in the log already, each with its slot. */
  told: Record<string, number>
  /** When the newest window was begun. */
  readAt: number
}

export interface Final {
  slot: number
  atMs: number
}

/** The same on every Solana chain. */
export const slotMs = networks.solana.blockMs
const thirtyDays = (30 * 86_400_000) / slotMs
/** Now and then a node lists a signature late, so every window goes back an hour into the one before. */
export const overlap = 3_600_000 / slotMs

const windowOf = (from: number, to: number, after: string, until: string): Window => ({
  from: Math.max(0, from),
  to,
  after,
  until,
  account: '',
  read: 0,
  unread: 0,
  payments: 0,
  plain: 0,
})

/** The same slots, from their first account on. */
export const anew = ({ from, to, after, until }: Window): Window => windowOf(from, to, after, until)

/** The newest slots are read first. What came before them is a gap from the start. */
export const begun = (genesis: string, { slot }: Final, { until }: NamedWallets): State => ({
  genesis,
  next: slot + 1,
  known: until,
  wallets: 0,
  gaps: [windowOf(slot - thirtyDays, slot, beforeAll, until)],
  told: {},
  readAt: 0,
})

/** Every wallet costs a call: a minute for a few, half an hour for thousands. Gaps are read in between. */
export const paceMs = (wallets: number): number => 40_000 + 1000 * wallets

export function planned(state: State, { slot }: Final, { until, wallets }: NamedWallets, now: number): State {
  const { known, next, window, told } = state
  const gaps = [...state.gaps]
  if (until > known) gaps.push(windowOf(slot - thirtyDays, next - 1, known, until))
  const due = !window && slot >= next && now - state.readAt >= paceMs(wallets.size)
  const from = next - overlap
  return {
    ...state,
    gaps: gaps.filter(gap => gap.from <= gap.to),
    known: until,
    wallets: wallets.size,
    window: due ? windowOf(from, slot, beforeAll, until) : window,
    next: due ? slot + 1 : next,
    told: due ? Object.fromEntries(Object.entries(told).filter(([, at]) => at >= from)) : told,
    readAt: due ? now : state.readAt,
  }
}

/**
 * A cursor must fit into a record of the log, however many transactions there were. What falls out is written twice
 * at most.
 */
const mostTold = 10_000

export function newestOf(told: Record<string, number>): Record<string, number> {
  const entries = Object.entries(told)
  if (entries.length <= mostTold) return told
  return Object.fromEntries(entries.sort(([, a], [, b]) => b - a).slice(0, mostTold))
}

export function measureGaps(network: string, { gaps, window, next }: State, { slot }: Final): void {
  const unread = [...gaps, ...(window ? [window] : [])].reduce((sum, { from, to }) => sum + to - from + 1, 0)
  metrics.chainGap.set({ network }, unread + Math.max(0, slot - next + 1))
}
