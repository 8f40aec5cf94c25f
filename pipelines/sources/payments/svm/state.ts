/** The cursor between two polls: the position up to which Solana has been read. */
import { networks } from '../../../../schemas/tables/networks.ts'
import { metrics } from '../../../rails/metrics.ts'
import { beforeAll, type NamedWallets } from '../sellers.ts'

/** Slots that are read, account by account, for the wallets that appeared between two snapshots. */
export interface Window {
  from: number
  to: number
  after: string
  until: string
  /** The current account, and the signature in its list after which the reading continues. */
  account: string
  before?: string | undefined
  read: number
  unread: number
  payments: number
  plain: number
}

export interface SvmReadState {
  genesis: string
  /** The first slot that no window has reached. */
  next: number
  known: string
  wallets: number
  /** The newest slots, until they are read. */
  window?: Window | undefined
  gaps: Window[]
  /** The transactions of the overlap whose rows are already in the log, each with its slot. */
  told: Record<string, number>
  /** When the newest window began. */
  readAt: number
}

export interface Final {
  slot: number
  atMs: number
}

/** The time of a slot is the same on every Solana chain. */
export const slotMs = networks.solana.blockMs
const thirtyDays = (30 * 86_400_000) / slotMs
/** A node sometimes lists a signature late, so every window begins an hour before the end of the last one. */
const overlap = 3_600_000 / slotMs

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

/** Starts the same slots again, at the first account. */
export const anew = ({ from, to, after, until }: Window): Window => windowOf(from, to, after, until)

/** The state at the start. The newest slots are read first, and the slots before them are a gap. */
export const begun = (genesis: string, { slot }: Final, { until }: NamedWallets): SvmReadState => ({
  genesis,
  next: slot + 1,
  known: until,
  wallets: 0,
  gaps: [windowOf(slot - thirtyDays, slot, beforeAll, until)],
  told: {},
  readAt: 0,
})

/**
 * Every wallet costs a call, so a round takes a minute for few wallets and half an hour for thousands. Gaps are read
 * in between.
 */
export const paceMs = (wallets: number): number => 40_000 + 1000 * wallets

export function planned(
  state: SvmReadState,
  { slot }: Final,
  { until, wallets }: NamedWallets,
  now: number,
): SvmReadState {
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

/** The cursor must fit into a record. A transaction that drops out of this list is written twice at worst. */
const mostTold = 10_000

export function newestOf(told: Record<string, number>): Record<string, number> {
  const entries = Object.entries(told)
  if (entries.length <= mostTold) return told
  return Object.fromEntries(entries.sort(([, a], [, b]) => b - a).slice(0, mostTold))
}

export function measureGaps(network: string, { gaps, window, next }: SvmReadState, { slot }: Final): void {
  const unread = [...gaps, ...(window ? [window] : [])].reduce((sum, { from, to }) => sum + to - from + 1, 0)
  metrics.chainGap.set({ network }, unread + Math.max(0, slot - next + 1))
}
