/** Clients of others sign for an hour. Such a payment is sold, and the truth about it is known until it is dead. */
import { describe, expect, it } from 'vitest'
import { tillOpen } from '../../../schemas/till-open.ts'
import { until } from '../../until.ts'
import { header, signed } from './paying.ts'
import type { Log } from './till-options.ts'
import { type Bench, failure, openBench, receiptOf, shared } from './tills.ts'

const minute = 60_000
const tx = `0x${'7'.repeat(64)}`
const logs = ['a log of its own', 'a log that instances share']

async function openTurned(name = logs[0]) {
  const turn = { aheadMs: 0 }
  /** The clock of a shared log goes along. */
  const seen = (log: Log): Log => ({
    ...shared(log),
    watch: (topic, hear, ...more) =>
      log.watch(topic, batch => hear(batch.map(each => ({ ...each, at: each.at + turn.aheadMs }))), ...more),
  })
  const as = name === logs[0] ? undefined : seen
  const now = () => Date.now() + turn.aheadMs
  const bench = await openBench({ now, limits: { sweepMs: 10, unknownMs: 200, auditMs: 600_000 } }, as)
  bench.facilitator.chain = 'truthful'
  const forAnHour = () => signed({ validBefore: String(Math.floor(now() / 1000) + 3600) }, now())
  return { turn, bench, now, forAnHour }
}

const pass = (turn: { aheadMs: number }, minutes: number) => {
  const end = turn.aheadMs + minutes * minute
  return until(() => {
    turn.aheadMs = Math.min(end, turn.aheadMs + minute / 2)
    return turn.aheadMs === end
  })
}

/** Waits until a start reads the log from a later place. */
async function checkpoint({ log }: Bench): Promise<void> {
  let isThere = false
  const watching = await log.watch(tillOpen.topic, batch => {
    isThere ||= batch.some(({ value }) => value?.includes('"position":"'))
  })
  await until(() => isThere, 'a later place to read from')
  await watching.close()
}

describe('A payment that is signed for an hour', () => {
  it.each(logs)('is sold, and is remembered by every start until it is dead: %s', async name => {
    const { turn, bench, now, forAnHour } = await openTurned(name)
    const payment = await forAnHour()
    const sold = await bench.buy(payment)
    sold.delivered(true)
    await pass(turn, 30)
    await checkpoint(bench)
    await bench.restart()
    await pass(turn, 20)
    await bench.restart()
    // No start has forgotten anything that lives, so the chain need not be asked for anybody.
    bench.facilitator.chain = 'silent'
    await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toMatchObject({
      code: 'payment_already_used',
      charged: { tx: receiptOf(sold).payment_tx },
    })
    expect(receiptOf(await bench.buy(await signed({}, now()))).charged).toBe(true)
    expect([bench.runs, bench.facilitator.calls.settle]).toEqual([2, 2])
  })

  it.each(logs)(
    'is watched where it was refused: sent 40 minutes later, its answer is owed: %s',
    async name => {
      const { turn, bench, forAnHour } = await openTurned(name)
      Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds' })
      const payment = await forAnHour()
      await expect(bench.buy(payment)).rejects.toMatchObject({ status: 402, charged: false })
      await pass(turn, 30)
      await checkpoint(bench)
      await bench.restart()
      await pass(turn, 10)
      bench.facilitator.landed.push({
        ...(payment.payload.authorization as never as { nonce: string }),
        tx,
      } as never)
      const recalled = await bench.till.recalled(bench.till.decode(header(payment)), 'the payer')
      expect(recalled).toEqual({ tx })
      const sold = await bench.buy(payment)
      expect(receiptOf(sold)).toMatchObject({ charged: true, payment_tx: tx })
      expect(bench.facilitator.calls.settle).toBe(1)
    },
  )

  it('of an empty wallet is refused before anybody may send it, so that nothing need be watched', async () => {
    const { bench, forAnHour } = await openTurned()
    bench.facilitator.verify = 'refused'
    await expect(bench.buy(await forAnHour())).rejects.toThrow(failure('insufficient_funds'))
    expect(bench.facilitator.calls).toMatchObject({ verify: 1, settle: 0 })
  })
})
