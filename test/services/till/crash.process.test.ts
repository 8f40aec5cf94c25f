import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { largeAnswer } from './large-answer.ts'
import { echo, type Signed, signed } from './paying.ts'
import { type Bench, failure, isAnswer, openBench, receiptOf, settlementsOf } from './tills.ts'

async function crash(bench: Bench, payment: Signed, at: string, size = 'small'): Promise<void> {
  await bench.till.close()
  await bench.log.close()
  const script = fileURLToPath(new URL('./crash-child.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [script, bench.folder, bench.facilitator.url, JSON.stringify(payment), at, size],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  await bench.restart()
}

describe('killed in the middle of a sale, the payment presented again', () => {
  it.each(['reserved', 'verified', 'answered'])('%s: nothing had happened, so it is sold', async at => {
    const bench = await openBench()
    const payment = await signed()
    await crash(bench, payment, at)
    expect(bench.facilitator.moved.size).toBe(0)
    expect(receiptOf(await bench.buy(payment)).request_id).not.toBe('before-the-crash')
    expect(bench.facilitator.calls.settle).toBe(1)
    expect(bench.runs).toBe(1)
  })

  it.each(['promised', 'settled', 'the end', 'delivered', 'recorded'])(
    '%s: it gets its own answer',
    async at => {
      const bench = await openBench()
      const payment = await signed()
      await crash(bench, payment, at)
      const sold = await bench.buy(payment)
      expect(JSON.parse(sold.body).said).toBe('before')
      expect(receiptOf(sold).request_id).toBe('before-the-crash')
      expect(bench.runs).toBe(0)
      expect(bench.facilitator.moved.size).toBe(1)
      sold.delivered(true)
      await bench.restart()
      await expect(bench.buy(payment, { caller: 'a stranger' })).rejects.toThrow(
        failure('payment_already_used'),
      )
      const settled = (await settlementsOf(bench.log)).filter(({ state }) => state === 'settled')
      expect(settled).toHaveLength(1)
      expect((await bench.till.replay('the-same-key', echo, '{}'))?.replayed).toBe(true)
    },
  )

  it('between a large answer and its promise: nothing had happened, so it is sold', async () => {
    const bench = await openBench()
    const payment = await signed()
    await crash(bench, payment, 'answered', 'large')
    expect(bench.facilitator.moved.size).toBe(0)
    // The answer is stored without a promise, and is deleted after its hour.
    expect(await bench.blobs()).toHaveLength(1)
    expect(receiptOf(await bench.buy(payment)).request_id).not.toBe('before-the-crash')
    expect(bench.runs).toBe(1)
  })

  it.each(['promised', 'settled', 'the end', 'recorded'])('%s, with a large answer: the same', async at => {
    const bench = await openBench()
    const payment = await signed()
    await crash(bench, payment, at, 'large')
    const sold = await bench.buy(payment)
    expect(isAnswer(sold.body, largeAnswer('before'))).toBe(true)
    expect(receiptOf(sold).request_id).toBe('before-the-crash')
    expect(bench.runs).toBe(0)
    expect(bench.facilitator.moved.size).toBe(1)
  })
})
