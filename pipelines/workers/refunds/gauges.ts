/** Tells Prometheus how refunds fare: what is open, for how long, and what the day has left. */
import { instant } from '../../../schemas/values/values.ts'
import { metrics } from '../../rails/metrics.ts'
import type { Refund, RefundBook } from './book.ts'

/** Whose limit of the day holds a refund back. A payer who is at his own limit is no alarm: he can bring that about by himself. */
export type Limit = 'day_spent' | 'rule_spent' | 'payer_spent'

interface Told {
  book: RefundBook
  /** In the smallest unit of USDC; null where no key pays refunds. */
  aDay: bigint | null
  limitOf(requestId: string): Limit | undefined
  nowMs: number
}

export function tellRefunds({ book, aDay, limitOf, nowMs }: Told): void {
  forgetRefunds()
  const open = Map.groupBy(book.open(), refund => {
    const state = refund.state === 'ordered' ? (limitOf(refund.requestId) ?? 'ordered') : refund.state
    return `${refund.last.network} ${state}`
  })
  for (const [name, refunds] of open) {
    const [network = '', state = ''] = name.split(' ')
    const since = refunds.reduce((oldest, refund) => Math.min(oldest, sinceOf(refund)), nowMs)
    metrics.refundsOpen.set({ network, state }, refunds.length)
    metrics.refundOldest.set({ network, state }, (nowMs - since) / 1000)
  }
  if (aDay === null) return
  const spent = book.spentOn(instant(nowMs).slice(0, 10)).atoms
  metrics.refundSpent.set(usdcOf(spent))
  metrics.refundLeft.set(spent < aDay ? usdcOf(aDay - spent) : 0)
}

/** Another process has the duty now. */
export function forgetRefunds(): void {
  metrics.refundsOpen.reset()
  metrics.refundOldest.reset()
  metrics.refundSpent.remove()
  metrics.refundLeft.remove()
}

/** What has waited for a day with room began late, and tries that die do not make it young again. */
const sinceOf = ({ intendedAt, orderedAt }: Refund): number => intendedAt ?? orderedAt

const usdcOf = (atoms: bigint): number => Number(atoms) / 1e6
