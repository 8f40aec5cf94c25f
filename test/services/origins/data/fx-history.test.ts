import { beforeAll, describe, expect, test } from 'vitest'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { dayPlus, isTargetDay } from '../../../../schemas/tables/target-calendar.ts'
import { fx } from '../../../../services/origins/data/fx/fx.ts'
import { fxHistory } from '../../../../services/origins/data/fx/fx-history.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { poll, startEcb } from '../../../pipelines/sources/ecb-upstream.ts'
import { ask, stock } from '../ask.ts'
import { refusal } from '../refusal.ts'

const evening = '2026-04-13T16:30:00Z'
let days: FxDay[]
beforeAll(async () => {
  const upstream = await startEcb()
  days = (await poll(upstream, evening)).days
  await upstream.close()
})

const asking = (held: readonly FxDay[] = days, at = evening) => {
  const now = () => Date.parse(at)
  const shelf = new Shelf(now)
  stock(shelf, fxRates, held)
  return { shelf, now }
}
const span = { from: 'USD', to: 'JPY', start: '2026-03-30', end: '2026-04-10' }

describe('/fx/history', () => {
  test('is the example', async () => {
    const { request, response } = fxHistory.example
    expect(await ask(fxHistory, request, asking())).toEqual(response)
  })

  test('gives each day the rate that /fx gives it', async () => {
    const { rates, count, gaps } = await ask(fxHistory, span, asking())
    expect(rates.map(({ date }) => date)).toEqual(
      ['03-30', '03-31', '04-01', '04-02', '04-07', '04-08', '04-09', '04-10'].map(day => `2026-${day}`),
    )
    for (const { date, rate } of rates)
      expect((await ask(fx, { from: 'USD', to: 'JPY', date }, asking())).rate).toBe(rate)
    expect([count, gaps]).toEqual([8, []])
  })

  test('ends with the newest day if no end is sent, and accepts today before its publication', async () => {
    const open = { from: 'eur', to: 'usd', start: '2026-04-09' }
    expect(await ask(fxHistory, open, asking())).toMatchObject({
      from: 'EUR',
      end: '2026-04-13',
      rates: [{ date: '2026-04-09' }, { date: '2026-04-10' }, { date: '2026-04-13', rate: 1.1684 }],
    })
    const until = days.filter(({ day }) => day < '2026-04-13')
    const early = await ask(fxHistory, { ...open, end: '2026-04-13' }, asking(until, '2026-04-13T08:00:00Z'))
    expect([early.count, early.end, early.gaps]).toEqual([2, '2026-04-13', []])
  })

  test('reports days without publication, and days without a rate of the pair', async () => {
    const held = days
      .filter(({ day }) => day !== '2026-04-01')
      .map(({ day, rates: { JPY, ...rates } }) =>
        day === '2026-04-08' || day === '2026-04-09' || !JPY
          ? { day, rates }
          : { day, rates: { ...rates, JPY } },
      )
    const { gaps, count } = await ask(fxHistory, span, asking(held))
    expect(count).toBe(5)
    expect(gaps).toEqual([
      { start: '2026-04-01', end: '2026-04-01', days: 1, reason: 'no rates were published' },
      { start: '2026-04-08', end: '2026-04-09', days: 2, reason: 'no rate of the pair was published' },
    ])
  })

  test('has rates since 1999, also of currencies that no longer exist', async () => {
    const { rates, gaps } = await ask(
      fxHistory,
      { from: 'EUR', to: 'CYP', start: '1999-01-04', end: '2026-04-10' },
      asking(),
    )
    expect(rates[0]).toEqual({ date: '1999-01-04', rate: 0.58231 })
    const missed = gaps.reduce((sum, gap) => sum + gap.days, 0)
    let business = 0
    for (let day = '1999-01-04'; day <= '2026-04-10'; day = dayPlus(day, 1)) if (isTargetDay(day)) business++
    expect(missed + rates.length).toBe(business)
  })
})

describe('a refusal is free', () => {
  test('invalid_date: not in the calendar, in the future, the wrong way round', async () => {
    for (const wrong of [
      { start: '2026-02-30' },
      { end: '2026-04-31' },
      { end: '2026-04-14' },
      { end: '2026-03-29' },
    ])
      expect(await refusal(fxHistory, { ...span, ...wrong }, asking())).toMatchObject({
        status: 400,
        error: 'invalid_date',
      })
  })
  test('date_out_of_range: before the euro', async () => {
    expect(await refusal(fxHistory, { ...span, start: '1998-12-31' }, asking())).toMatchObject({
      status: 422,
      error: 'date_out_of_range',
    })
  })
  test('unsupported_currency: never published', async () => {
    expect(await refusal(fxHistory, { ...span, to: 'XAU' }, asking())).toMatchObject({
      status: 422,
      error: 'unsupported_currency',
      message: expect.stringMatching(
        /^Neither the ECB nor the National Bank of Poland ever published .* XAU/,
      ),
    })
    expect(await refusal(fxHistory, { ...span, to: 'XAU' }, { ...asking(), sampled: true })).toMatchObject({
      message: 'The bundled samples of rates have none of XAU. Nothing was charged.',
    })
  })
  test('no_rate: a currency that is gone by then', async () => {
    expect(await refusal(fxHistory, { ...span, to: 'CYP' }, asking())).toMatchObject({
      status: 422,
      error: 'no_rate',
    })
  })
  test('not_ready: the log does not reach back so far yet', async () => {
    const recent = days.filter(({ day }) => day >= '2026-03-31')
    await expect(ask(fxHistory, span, asking(recent))).rejects.toMatchObject({
      code: 'not_ready',
      status: 503,
    })
  })
})
