/** What Prometheus hears of refunds. */
import { expect, it, onTestFinished } from 'vitest'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import { RefundBook } from '../../../../pipelines/workers/refunds/book.ts'
import { forgetRefunds, tellRefunds } from '../../../../pipelines/workers/refunds/gauges.ts'
import type { RefundStep } from '../../../../schemas/refunds.ts'

const at = (minute: number) => new Date(Date.parse('2026-11-28T10:00:00Z') + minute * 60_000).toISOString()

function step(request_id: string, step: RefundStep['step'], minute: number, attempt = 0): RefundStep {
  const isFound = step !== 'ordered' && step !== 'refused'
  return {
    ...{ request_id, step, attempt, at: at(minute), cause: 'command', reason: null },
    ...{ network: isFound ? 'base' : 'none', amount_usdc: isFound ? '0.002' : '0', payer: '0xab' },
    ...{ refunded_by: '0xcd', payment_tx: `0x${request_id}`, payment_position: 1 },
    ...{ refund_tx: null, trace: null, receipt: null, fee_coins: null },
  }
}

async function told(metric: typeof metrics.refundsOpen): Promise<Record<string, number>> {
  const { values } = await metric.get()
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(' '), value]))
}

it('tells what is open and since when, and what the day has left', async () => {
  onTestFinished(forgetRefunds)
  const book = new RefundBook()
  const steps = [
    step('waits', 'ordered', 0),
    step('full', 'ordered', 1),
    step('paid', 'ordered', 2),
    step('paid', 'intended', 3, 1),
    step('paid', 'paid', 4, 1),
    step('again', 'ordered', 2),
    step('again', 'intended', 5, 1),
    step('again', 'dropped', 20, 1),
    step('again', 'intended', 21, 2),
    step('final', 'ordered', 2),
    step('final', 'intended', 3, 1),
    step('final', 'paid', 4, 1),
    step('final', 'final', 5, 1),
    step('refused', 'ordered', 2),
    step('refused', 'refused', 3),
  ]
  for (const one of steps) book.take(one)
  const limitOf = (id: string) => (id === 'full' ? ('day_spent' as const) : undefined)
  const tell = (aDay: bigint | null, minute = 30) =>
    tellRefunds({ book, aDay, limitOf, nowMs: Date.parse(at(minute)) })

  tell(10_000n)
  const open = { 'none ordered': 1, 'none day_spent': 1, 'base paid': 1, 'base intended': 1 }
  expect(await told(metrics.refundsOpen)).toEqual(open)
  expect(await told(metrics.refundOldest)).toEqual({
    ...{ 'none ordered': 1800, 'none day_spent': 29 * 60, 'base paid': 27 * 60 },
    // A try that died does not make it young again.
    'base intended': 25 * 60,
  })
  expect([await told(metrics.refundSpent), await told(metrics.refundLeft)]).toEqual([
    { '': 0.006 },
    { '': 0.004 },
  ])

  // The next day has all its room, and where no key pays nothing is told of a budget.
  tell(10_000n, 24 * 60)
  expect(await told(metrics.refundLeft)).toEqual({ '': 0.01 })
  tell(null)
  expect(await told(metrics.refundLeft)).toEqual({})
  forgetRefunds()
  expect(await told(metrics.refundsOpen)).toEqual({})
})
