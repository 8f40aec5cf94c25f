/** A till with two facilitators. One fails in the middle of sales; nothing is lost, doubled, or told wrongly. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { entryOf } from '../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { type TakenBack, takenBack } from '../../../schemas/finality.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { Candidate } from '../../../services/till/facilitator/candidate.ts'
import type { Facilitator } from '../../../services/till/facilitator/facilitator.ts'
import { Health } from '../../../services/till/facilitator/health.ts'
import { solanaPayment, solanaTransaction } from '../../attacks/solana-payment.ts'
import { until } from '../../until.ts'
import { echo, type Signed, signed, toil } from './paying.ts'
import type { Mood } from './stub-facilitator.ts'
import { failure, receiptOf, settlementsTold } from './tills.ts'
import { openTwo, otherFeePayer } from './two-facilitators.ts'

const counted = async (
  metric: 'facilitatorLies' | 'facilitatorOpen' | 'facilitatorListings',
  wanted: Record<string, string>,
) =>
  (await metrics[metric].get()).values.find(({ labels }) =>
    Object.entries(wanted).every(([name, value]) => (labels as Record<string, unknown>)[name] === value),
  )?.value

describe('on Base', () => {
  it('the first is asked alone while it answers', async () => {
    const { bench, first, second } = await openTwo()
    await bench.buy(await signed(), { operation: toil })
    expect([first.calls, second.calls]).toMatchObject([
      { verify: 1, settle: 1 },
      { verify: 0, settle: 0 },
    ])
  })

  it('64 sales in flight at a facilitator that is killed go on at the other, each once', async () => {
    const { bench, first, second, node } = await openTwo()
    await bench.buy(await signed())
    first.settle = 'hold'
    const payments = await Promise.all(Array.from({ length: 64 }, () => signed()))
    const sales = payments.map(payment => bench.buy(payment))
    await until(() => first.held.length === 64, 'all to wait')
    const closing = first.close()
    const receipts = (await Promise.all(sales)).map(receiptOf)
    await closing
    expect(new Set(receipts.map(({ payment_tx }) => payment_tx)).size).toBe(64)
    expect(new Set(node.landed.map(({ nonce }) => nonce)).size).toBe(node.landed.length)
    expect([second.calls.settle, bench.runs]).toEqual([64, 65])
    expect(receiptOf(await bench.buy(await signed())).charged).toBe(true)
    expect(await settlementsTold(bench.log, 2 * 66)).not.toContainEqual(
      expect.objectContaining({ state: 'unknown' }),
    )
  })

  it.each<Mood>(['error before', 'html', 'redirect', 'too many'])(
    '%s by the first: the other settles',
    async mood => {
      const { bench, first, second } = await openTwo()
      first.settle = mood
      expect(receiptOf(await bench.buy(await signed())).charged).toBe(true)
      expect([first.calls.settle, second.calls.settle]).toEqual([1, 1])
    },
  )

  it('what the first has sent before it failed is found, and not sent twice', async () => {
    const { bench, first, second, node } = await openTwo()
    first.settle = 'error after'
    const { payment_tx } = receiptOf(await bench.buy(await signed()))
    expect(node.landed.map(({ tx }) => tx)).toEqual([payment_tx])
    expect([second.calls.settle, second.moved.size]).toEqual([1, 0])
  })

  it('one that is alive and slow is waited for once: those in flight beside it and new ones go to the other', async () => {
    const { bench, first, second } = await openTwo()
    first.settle = 'hang'
    const took = async (sale: Promise<unknown>) => {
      const began = performance.now()
      await sale
      return performance.now() - began
    }
    const one = took(bench.buy(await signed()))
    const asked = first.calls.supported
    await until(() => first.calls.supported > asked, 'the first to be asked whether it is there')
    const other = took(bench.buy(await signed()))
    await until(() => first.calls.settle === 2, 'both to wait')
    // The other began later, and its wait ends with that of the first.
    expect((await other) + 500).toBeLessThan(await one)
    await bench.buy(await signed())
    expect([first.calls.settle, second.calls.settle]).toEqual([2, 3])
  }, 20_000)

  it('one that says nothing at all is left for the other', async () => {
    const { bench, first, second } = await openTwo()
    Object.assign(first, { settle: 'hang', verify: 'hang', supported: 'hang' })
    expect(receiptOf(await bench.buy(await signed())).charged).toBe(true)
    expect(receiptOf(await bench.buy(await signed(), { operation: toil })).charged).toBe(true)
    expect([first.calls, second.calls]).toMatchObject([
      { verify: 0, settle: 1 },
      { verify: 1, settle: 2 },
    ])
    expect(await counted('facilitatorOpen', { facilitator: new URL(first.url).host, network: 'base' })).toBe(
      0,
    )
  })

  it.each<Mood>(['hang', 'error before', 'html'])('%s at verify: the other says', async mood => {
    const { bench, first, second } = await openTwo()
    first.verify = mood
    second.verify = 'refused'
    await expect(bench.buy(await signed(), { operation: toil })).rejects.toThrow(
      failure('insufficient_funds'),
    )
    expect([first.calls.verify, second.calls.verify, bench.runs]).toEqual([1, 1, 0])
  })

  it('one that says that it has sent nothing, for a reason of its own, is followed by the other', async () => {
    const { bench, first, second } = await openTwo()
    Object.assign(first, { settle: 'refused', reason: 'settlement_not_sent' })
    expect(receiptOf(await bench.buy(await signed())).charged).toBe(true)
    expect([first.calls.settle, second.calls.settle]).toEqual([1, 1])
  })

  it('where both say so, the payment is free, and watched: it may have been a lie', async () => {
    const { bench, first, second, node } = await openTwo({ limits: { sweepMs: 20 } })
    for (const each of [first, second])
      Object.assign(each, { settle: 'refused', reason: 'settlement_not_sent' })
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toMatchObject({
      code: 'facilitator_unavailable',
      charged: false,
    })
    const tx = `0x${'7'.repeat(64)}`
    node.landed.push({ ...payment.payload.authorization, tx } as never)
    await settlementsTold(bench.log, 3)
    expect(receiptOf(await bench.buy(payment))).toMatchObject({ charged: true, payment_tx: tx })
  })

  it('a refusal is a word, and no other is asked', async () => {
    const { bench, first, second } = await openTwo()
    first.settle = 'refused'
    await expect(bench.buy(await signed())).rejects.toMatchObject({ status: 402, charged: false })
    expect(second.calls.settle).toBe(0)
  })

  it('an unknown of the first is no "not charged", whatever the other refuses', async () => {
    const { bench, first, second, node } = await openTwo({ limits: { unknownMs: 300 } })
    Object.assign(first, { settle: 'error before' })
    Object.assign(second, { settle: 'refused' })
    node.chain = 'silent'
    await expect(bench.buy(await signed())).rejects.toMatchObject({ code: 'payment_unknown', charged: null })
    expect(second.calls.settle).toBeGreaterThan(0)
  })

  it('each gets the pause that it asks for; while all pause, a sale is free', async () => {
    const { bench, first, second } = await openTwo({ limits: { unknownMs: 300 } })
    Object.assign(first, { settle: 'too many', retryAfter: '60' })
    for (let i = 0; i < 3; i++) await bench.buy(await signed())
    expect([first.calls.settle, second.calls.settle]).toEqual([1, 3])
    Object.assign(second, { settle: 'too many', retryAfter: '60' })
    await expect(bench.buy(await signed())).rejects.toThrow(failure('payment_unknown'))
    await expect(bench.buy(await signed())).rejects.toMatchObject({
      code: 'facilitator_unavailable',
      charged: false,
    })
    expect([first.calls.settle, second.calls.settle]).toEqual([1, 4])
  })

  const toBeTold = (kind: string, url: string) =>
    until(
      async () => (await counted('facilitatorLies', { kind, facilitator: new URL(url).host })) === 1,
      'the lie',
      30_000,
    )

  it('one that lies is found by the chain, counted, and not asked first any more', async () => {
    const { bench, first, second } = await openTwo({ limits: { auditMs: 20, sweepMs: 20 } })
    first.settle = 'invented'
    await bench.buy(await signed({ validBefore: String(Math.floor(Date.now() / 1000) + 9) }))
    await toBeTold('settled', first.url)
    await bench.buy(await signed())
    expect([first.calls.settle, second.calls.settle]).toEqual([1, 1])
    expect(bench.till.facilitators()[0]?.state).toMatch(/denied/)
  })

  it('one whose refused payment is sent by its payer is asked first as before, and counted', async () => {
    const { bench, first, second, node } = await openTwo({ limits: { auditMs: 20, sweepMs: 20 } })
    first.settle = 'refused'
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toMatchObject({ status: 402 })
    node.landed.push({ ...payment.payload.authorization, tx: `0x${'7'.repeat(64)}` } as never)
    await toBeTold('refused', first.url)
    first.settle = 'well'
    await bench.buy(await signed())
    expect([first.calls.settle, second.calls.settle]).toEqual([2, 0])
    expect(bench.till.facilitators()[0]?.state).toBe('It answers')
  })
})

it('after a reorganisation one that lies is followed by the other, which settles again, once', async () => {
  const { bench, first, second, node } = await openTwo()
  const sold = receiptOf(await bench.buy(await signed()))
  const [told] = await settlementsTold(bench.log, 2)
  // The chain takes it back.
  node.landed.length = 0
  first.settle = 'invented'
  const event = {
    ...{ spend_id: told?.spend_id as string, state: 'taken_back', at: new Date().toISOString() },
    ...{ settled_at: told?.at as string, request_id: sold.request_id, network: 'base', amount_usdc: '0.002' },
    ...{ payer: told?.payer as string, payment_tx: sold.payment_tx, standing_tx: null },
  } as TakenBack
  await bench.log.append(takenBack.topic, [entryOf(takenBack, event)])
  await until(() => node.landed.length > 0, 'the other to settle it', 20_000)
  expect([first.calls.settle, second.calls.settle]).toEqual([2, 1])
  expect(node.landed).toHaveLength(1)
  // The answer stays sold, and nobody is told anything else.
  expect((await settlementsTold(bench.log, 2)).map(({ state }) => state)).toEqual(['intended', 'settled'])
}, 30_000)

describe('on Solana', () => {
  const payerOfQuote = (quote: string) =>
    JSON.parse(quote).accepts.find(({ network }: { network: string }) => network.startsWith('solana'))?.extra
      .feePayer
  const payment = (seed: string) => solanaPayment(solanaTransaction(seed)) as never as Signed

  it('only the one whose fee payer the payment names is asked', async () => {
    const { bench, first, second } = await openTwo({ limits: { unknownMs: 500 } })
    first.settle = 'error before'
    await expect(bench.buy(payment('one'))).rejects.toThrow(failure('payment_unknown'))
    expect(first.calls.verify).toBe(1)
    expect(first.calls.settle).toBeGreaterThan(0)
    expect(second.calls).toMatchObject({ verify: 0, settle: 0 })
  })

  it('the quote of one that is down is withdrawn, and its payments are free', async () => {
    const { bench, first, second } = await openTwo()
    const quoted = () => payerOfQuote(bench.till.quote(echo).body('payment_required', 'Pay'))
    expect(quoted()).toBe(first.feePayer)
    await first.close()
    await bench.buy(await signed())
    await until(() => quoted() === otherFeePayer, 'the quote to name the other')
    await until(() => bench.till.facilitators()[0]?.state !== 'It answers')
    await expect(bench.buy(payment('two'))).rejects.toMatchObject({ code: 'invalid_payment', charged: false })
    expect(second.calls.verify).toBe(0)
  })
})

it('what a catalog says of a listing is counted, shown, and told once when it is refused', async () => {
  const errors: unknown[] = []
  const { bench, first } = await openTwo({ onError: error => errors.push(error) })
  const says = (bazaar: object) => {
    first.extensions = Buffer.from(JSON.stringify({ bazaar })).toString('base64')
  }
  const facilitator = new URL(first.url).host
  says({ status: 'success' })
  await bench.buy(await signed())
  expect(bench.till.facilitators()[0]?.listings).toEqual([
    { facilitator, operation: 'echoOnce', status: 'success', reason: '' },
  ])
  says({ status: 'rejected', rejectedReason: 'description\nis too long' })
  for (let i = 0; i < 2; i++) await bench.buy(await signed())
  expect(bench.till.facilitators()[0]?.listings).toMatchObject([
    { status: 'rejected', reason: 'description is too long' },
  ])
  const told = errors.filter(error => /catalog of .* refuses echoOnce: description is/.test(String(error)))
  expect(told).toHaveLength(1)
  expect(await counted('facilitatorListings', { facilitator, status: 'rejected' })).toBe(2)
  first.extensions = 'no base64 of anything'
  await bench.buy(await signed())
})

it('once one does not say that it is there, all that wait at it on that network go elsewhere', async () => {
  const facilitator = { name: 'a', supported: () => Promise.reject(new Error('silent')) }
  const sold = ['base', 'solana'] as const
  const candidate = new Candidate(facilitator as unknown as Facilitator, 0, { sold, onAnswer: () => {} })
  const left: string[] = []
  const [base, solana] = [networks.base.caip2, networks.solana.caip2]
  candidate.wait(base, () => left.push('one'))
  candidate.wait(base, () => left.push('another'))
  const ended = candidate.wait(base, () => left.push('one that has ended'))
  ended()
  candidate.wait(solana, () => left.push('one elsewhere'))
  expect(await candidate.isSilent(base)).toBe(true)
  expect(left).toEqual(['one', 'another'])
  expect([candidate.health.isOut(base), candidate.health.isOut(solana)]).toEqual([true, false])
  candidate.availability.close()
})

describe('the health of a facilitator', () => {
  function openHealth() {
    let clock = 0
    vi.spyOn(performance, 'now').mockImplementation(() => clock)
    onTestFinished(() => void vi.restoreAllMocks())
    const pass = (seconds: number) => {
      clock += 1000 * seconds
    }
    return { health: new Health(), pass }
  }

  it('leaves it out on a network after three failures in a row, or one where nobody listens', () => {
    const { health } = openHealth()
    for (let i = 0; i < 2; i++) health.failed('a', 'settle')
    health.answered('a', 'settle')
    for (let i = 0; i < 2; i++) health.failed('a', 'settle')
    expect(health.isOut('a')).toBe(false)
    health.failed('a', 'settle')
    expect([health.isOut('a'), health.isOut('b')]).toEqual([true, false])
    health.failed('b', 'settle', true)
    expect(health.isOut('b')).toBe(true)
  })

  it('that verifies well does not hide that it settles nothing', () => {
    const { health } = openHealth()
    for (let i = 0; i < 3; i++) {
      health.answered('a', 'verify')
      health.failed('a', 'settle')
    }
    expect(health.isOut('a')).toBe(true)
  })

  it('lets one call at a time try it again, ever later, until it answers', () => {
    const { health, pass } = openHealth()
    health.failed('a', 'settle', true)
    const outs: number[] = []
    for (let i = 0; i < 6; i++) {
      let seconds = 0
      for (; health.isOut('a'); seconds++) pass(1)
      outs.push(seconds)
      health.begin('a', 'settle')
      expect(health.isOut('a')).toBe(true)
      health.failed('a', 'settle')
    }
    expect(outs).toEqual([5, 10, 20, 40, 60, 60])
    health.answered('a', 'settle')
    expect([health.isOut('a'), health.hasFailed('a')]).toEqual([false, false])
  })

  it('trusts it again a day after the chain has denied its word', () => {
    const { health, pass } = openHealth()
    health.distrust()
    pass(86_399)
    expect(health.isDistrusted).toBe(true)
    pass(2)
    expect(health.isDistrusted).toBe(false)
  })
})
