import { describe, expect, it } from 'vitest'
import { UpstreamRefused } from '../../../../../pipelines/rails/failures.ts'
import { Budget } from '../../../../../pipelines/rails/outside/upstreams/budget.ts'
import type { UpstreamRate } from '../../../../../pipelines/rails/outside/upstreams/upstream.ts'

const rate: UpstreamRate = {
  of: 'somebody',
  variable: 'FEED_RATE',
  perSecond: 8,
  isTooMuch: () => false,
  forgivenAfterMs: 60_000,
}

const hourMs = 3_600_000

/** A clock that moves only when somebody waits for it. */
function fakeClock() {
  let now = 1_000_000
  return {
    now: () => now,
    sleep: async (ms: number) => {
      await new Promise(resolve => setImmediate(resolve))
      now += ms
    },
    pass: (ms: number) => {
      now += ms
    },
  }
}
const signal = new AbortController().signal

describe('the budget', () => {
  it('lets no more than its rate through in any second, however many ask', async () => {
    const clock = fakeClock()
    const budget = new Budget(rate, 8, clock.now, clock.sleep)
    const times: number[] = []
    const ask = async () => {
      await budget.turn(signal)
      times.push(clock.now())
    }
    await Promise.all(Array.from({ length: 40 }, ask))
    clock.pass(10_000)
    await Promise.all(Array.from({ length: 40 }, ask))
    expect(times).toHaveLength(80)
    for (const start of times)
      expect(times.filter(at => at >= start && at < start + 1000).length).toBeLessThanOrEqual(8)
    expect((times[39] as number) - (times[0] as number)).toBeLessThanOrEqual(5000)
  })

  it('lets the request of a waiting caller go before one that only keeps data up to date', async () => {
    const clock = fakeClock()
    const budget = new Budget(rate, 1, clock.now, clock.sleep)
    const order: string[] = []
    const ask = (name: string, urgent?: boolean) =>
      budget.turn(signal, { urgent }).then(() => order.push(name))
    await Promise.all([ask('first'), ask('second'), ask('third'), ask('urgent', true)])
    expect(order.indexOf('urgent')).toBeLessThanOrEqual(1)
    expect(order.at(-1)).toBe('third')
  })

  it('skips a request whose signal was aborted', async () => {
    const clock = fakeClock()
    const budget = new Budget(rate, 1, clock.now, clock.sleep)
    const gone = new AbortController()
    const turns = [budget.turn(signal), budget.turn(gone.signal), budget.turn(signal)]
    gone.abort(new Error('gone'))
    expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })

  it.each([
    ['back', -hourMs],
    ['forward', hourMs],
  ])('a clock that jumps an hour %s holds up no request', async (_, jumpMs) => {
    const clock = fakeClock()
    const waitedMs: number[] = []
    const sleep = (ms: number) => {
      waitedMs.push(ms)
      return clock.sleep(ms)
    }
    const budget = new Budget(rate, 8, clock.now, sleep)
    await budget.turn(signal)
    clock.pass(jumpMs)
    await budget.turn(signal)
    expect(Math.max(...waitedMs)).toBeLessThanOrEqual(125)
  })

  it.each([
    ['back', -hourMs],
    ['forward', hourMs],
  ])('an upstream that said "too much" is asked again in time after a jump %s', async (_, jumpMs) => {
    const clock = fakeClock()
    const budget = new Budget(rate, 8, clock.now, clock.sleep)
    const refuse = () => Promise.reject(new UpstreamRefused('somebody', 429, undefined, ''))
    await expect(budget.spend(refuse, signal)).rejects.toThrow(UpstreamRefused)
    await expect(budget.turn(signal)).rejects.toThrow('left alone')
    clock.pass(jumpMs)
    // Free after the jump or not: this turn shows the jump to the budget.
    await budget.turn(signal).catch(() => undefined)
    clock.pass(rate.forgivenAfterMs)
    await budget.turn(signal)
  })
})
