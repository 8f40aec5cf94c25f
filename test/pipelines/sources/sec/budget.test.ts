import { describe, expect, it } from 'vitest'
import { UpstreamFailed } from '../../../../pipelines/failures.ts'
import { Budget } from '../../../../pipelines/sources/sec/budget.ts'
import { askEdgar } from '../../../../pipelines/sources/sec/edgar.ts'
import { startEdgar } from './sec-upstream.ts'

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
    const budget = new Budget(8, clock.now, clock.sleep)
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

  it('lets a caller who waits go before what is only kept up to date', async () => {
    const clock = fakeClock()
    const budget = new Budget(1, clock.now, clock.sleep)
    const order: string[] = []
    const ask = (name: string, urgent?: boolean) =>
      budget.turn(signal, { urgent }).then(() => order.push(name))
    await Promise.all([ask('first'), ask('second'), ask('third'), ask('urgent', true)])
    expect(order.indexOf('urgent')).toBeLessThanOrEqual(1)
    expect(order.at(-1)).toBe('third')
  })

  it('passes over whoever no longer wants its turn', async () => {
    const clock = fakeClock()
    const budget = new Budget(1, clock.now, clock.sleep)
    const gone = new AbortController()
    const turns = [budget.turn(signal), budget.turn(gone.signal), budget.turn(signal)]
    gone.abort(new Error('gone'))
    expect((await Promise.allSettled(turns)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})

describe('EDGAR', () => {
  const path = '/submissions/CIK0009990001.json'

  it.each([
    ['a 403 of the gate', { status: 403, body: 'Undeclared Automated Tool' }, 600_000],
    ['a 429', { status: 429, body: '' }, 600_000],
    ['a 429 that says how long', { status: 429, headers: { 'retry-after': '30' }, body: '' }, 30_000],
    [
      'a 429 that says until when',
      { status: 429, headers: { 'retry-after': new Date(1_700_000_060_000).toUTCString() }, body: '' },
      60_000,
    ],
  ])('is left alone after %s', async (_, said, waitMs) => {
    let now = 1_700_000_000_000
    const edgar = await startEdgar({ now: () => now })
    edgar.says[path] = said
    const ask = (url: string) => askEdgar(edgar.outside(), `${edgar.url}${url}`)
    await expect(ask(path)).rejects.toThrow(String(said.status))
    now += waitMs - 1
    await expect(ask('/files/company_tickers_exchange.json')).rejects.toThrow('left alone')
    expect(edgar.asked).toHaveLength(1)
    now += 1
    expect((await ask('/files/company_tickers_exchange.json'))?.status).toBe(200)
  })

  it('has no such document, by a 404 or by the 403 of its file store', async () => {
    const edgar = await startEdgar()
    const ask = (url: string) => askEdgar(edgar.outside(), `${edgar.url}${url}`)
    edgar.says['/gone'] = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
    expect([await ask('/gone'), await ask('/submissions/CIK0000000404.json')]).toEqual([undefined, undefined])
    expect((await ask(path))?.status).toBe(200)
  })

  it('fails without being left alone when it is merely broken', async () => {
    const edgar = await startEdgar()
    edgar.says[path] = { status: 500 }
    const ask = () => askEdgar(edgar.outside(), `${edgar.url}${path}`)
    await expect(ask()).rejects.toThrow(UpstreamFailed)
    await expect(ask()).rejects.toThrow('answered 500')
  })
})
