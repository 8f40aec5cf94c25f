import { Decimal } from 'decimal.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { dayPlus } from '../../../../schemas/tables/target-calendar.ts'
import { fx } from '../../../../services/origins/data/fx/fx.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { poll, startEcb } from '../../../pipelines/sources/ecb-upstream.ts'
import { ask, askText, polled, stock } from '../ask.ts'

const evening = '2026-04-13T16:30:00Z'
let upstream: Awaited<ReturnType<typeof startEcb>>
let days: FxDay[]
beforeAll(async () => {
  upstream = await startEcb()
  days = (await poll(upstream, evening)).days
})
afterAll(() => upstream.close())

const asking = (at: string = evening, held: readonly FxDay[] = days.filter(({ day }) => day <= at)) => {
  const now = () => Date.parse(at)
  const shelf = new Shelf(now)
  stock(shelf, fxRates, held)
  return { shelf, now }
}
const convert = (body: object, at?: string) => ask(fx, body, asking(at))
const refusal = async (body: object, at?: string, held?: readonly FxDay[]) => {
  const { code, status, message } = await ask(fx, body, asking(at, held)).catch(error => error)
  return { code, status, message }
}

describe('an answer', () => {
  test('is the example', async () => {
    const { request, response } = fx.example
    expect(await convert(request)).toEqual(response)
  })

  test.each([
    ['EUR', 'USD', 1.1684],
    ['EUR', 'JPY', 186.75],
    ['EUR', 'GBP', 0.87058],
    ['EUR', 'IDR', 20082.05],
    ['EUR', 'KRW', 1740.86],
    ['EUR', 'ZAR', 19.3849],
    ['USD', 'JPY', 159.83396],
    ['GBP', 'USD', 1.3420938],
    ['IDR', 'USD', 0.000058181311],
    ['USD', 'EUR', 0.85587128],
    ['USD', 'USD', 1],
    ['EUR', 'EUR', 1],
  ])('gives the rate of 13 April 2026, %s to %s: %f', async (from, to, rate) => {
    expect(await convert({ from, to })).toMatchObject({ from, to, rate, amount: 1, rate_date: '2026-04-13' })
  })

  test('repeats the published number when the base is EUR', async () => {
    expect(await askText(fx, { from: 'EUR', to: 'HUF' }, asking())).toContain('"rate":366.90,')
  })

  test('takes codes in any case and gives them in capitals', async () => {
    expect(await convert({ from: 'usd', to: 'jPy' })).toMatchObject({
      from: 'USD',
      to: 'JPY',
      rate: 159.83396,
    })
  })

  test('carries source and notice', async () => {
    const { notice, source } = await convert({ from: 'USD', to: 'JPY' })
    expect(source).toBe('European Central Bank euro foreign exchange reference rates')
    expect(notice).toContain('available free of charge at https://www.ecb.europa.eu/stats/eurofxref/')
    expect(notice).toContain('for information purposes only')
    expect(notice).toContain('computed here')
  })

  test('shows the notice before payment too, within the size of a quote', async () => {
    const { notice } = await convert({ from: 'USD', to: 'JPY' })
    expect(fx.about).toContain(notice)
    expect(fx.about.length).toBeLessThanOrEqual(450)
  })
})

describe('the amount', () => {
  test.each([
    ['USD', 'JPY', 0, '0'],
    ['USD', 'JPY', 100, '15983.396'],
    ['USD', 'JPY', 0.1, '15.9834'],
    ['USD', 'JPY', 1e6, '159833960'],
    ['USD', 'JPY', 1e15, '159833960000000000'],
    ['EUR', 'USD', 0.3, '0.35052'],
    ['EUR', 'USD', 1e-9, '0'],
    ['IDR', 'USD', 1, '0.00005818'],
    ['IDR', 'USD', 17187.58, '0.99999594'],
    ['IDR', 'USD', 123456.789, '7.1829'],
    // Both roundings take a tie to the even digit.
    ['EUR', 'USD', 0.125, '0.14605'],
    ['EUR', 'HKD', 1.5, '13.726'],
    ['EUR', 'ISK', 0.00000625, '0.000895'],
    ['USD', 'USD', 12.345678, '12.345678'],
  ])('%s to %s, %d: %s', async (from, to, amount, converted) => {
    expect(await askText(fx, { from, to, amount }, asking())).toContain(`"converted":${converted},`)
  })

  test('rounds ties to even', async () => {
    const held = [{ day: '2026-04-13', rates: { ...days.at(-1)?.rates, USD: '1.00005', JPY: '1.00015' } }]
    const converted = (to: string, amount: number) =>
      askText(fx, { from: 'EUR', to, amount }, asking(evening, held))
    expect(await converted('USD', 1)).toContain('"converted":1,')
    expect(await converted('JPY', 1)).toContain('"converted":1.0002,')
    expect(await converted('USD', 0.0001)).toContain('"converted":0.0001,')
    expect(await converted('JPY', 0.0001)).toContain('"converted":0.00010002,')
  })

  test.each([-1, -1e-9, 1.1e15, Number.NaN, Number.POSITIVE_INFINITY, '5 USD', null, true, []])(
    'may not be %s',
    async amount => {
      const { code, message } = await refusal({ from: 'USD', to: 'JPY', amount })
      expect(code).toBe('invalid_request')
      expect(message).toContain('amount')
    },
  )
})

describe('the day', () => {
  test.each([
    ['2026-04-13', '2026-04-13'],
    ['2026-04-12', '2026-04-10'],
    ['2026-04-11', '2026-04-10'],
    ['2026-04-06', '2026-04-02'],
    ['2026-04-05', '2026-04-02'],
    ['2026-04-03', '2026-04-02'],
    ['2026-01-13', '2026-01-13'],
  ])('asked for %s is answered with %s', async (date, rateDate) => {
    expect(await convert({ from: 'USD', to: 'JPY', date })).toMatchObject({
      requested_date: date,
      rate_date: rateDate,
    })
  })

  test('is the newest when none is asked for', async () => {
    expect(await convert({ from: 'USD', to: 'JPY' })).toMatchObject({
      requested_date: null,
      rate_date: '2026-04-13',
    })
  })

  test('today, before publication, is the day before', async () => {
    const noon = '2026-04-13T10:00:00Z'
    const held = days.filter(({ day }) => day < '2026-04-13')
    expect(await ask(fx, { from: 'USD', to: 'JPY', date: '2026-04-13' }, asking(noon, held))).toMatchObject({
      requested_date: '2026-04-13',
      rate_date: '2026-04-10',
    })
  })

  test('is found for every date of every window, the far edge included', async () => {
    for (let today = '2026-03-06'; today <= '2026-04-13'; today = dayPlus(today, 1)) {
      const at = `${today}T21:00:00Z`
      for (const back of [0, 1, 45, 88, 89, 90]) {
        const date = dayPlus(today, -back)
        const { rate_date } = await convert({ from: 'USD', to: 'JPY', date }, at)
        expect(rate_date <= date && rate_date >= dayPlus(date, -5), `${date} on ${today}`).toBe(true)
      }
    }
  })

  test('turns at midnight in Frankfurt', async () => {
    const date = '2026-04-11'
    expect((await refusal({ from: 'USD', to: 'JPY', date }, '2026-04-10T21:59:59Z')).code).toBe(
      'invalid_date',
    )
    expect(await convert({ from: 'USD', to: 'JPY', date }, '2026-04-10T22:00:00Z')).toMatchObject({
      rate_date: '2026-04-10',
    })
  })
})

describe('a refusal is free', () => {
  const pair = { from: 'USD', to: 'JPY' }

  test('invalid_date: a day that is not in the calendar', async () => {
    for (const date of ['2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2025-02-29'])
      expect(await refusal({ ...pair, date })).toMatchObject({ code: 'invalid_date', status: 400 })
  })
  test('invalid_date: a day in the future', async () => {
    expect(await refusal({ ...pair, date: '2026-04-14' })).toEqual({
      code: 'invalid_date',
      status: 400,
      message: 'date is in the future: it is 2026-04-13 in Frankfurt',
    })
  })
  test('date_out_of_range: a day before the window', async () => {
    expect(await refusal({ ...pair, date: '2026-01-12' })).toMatchObject({
      code: 'date_out_of_range',
      status: 422,
    })
  })
  test.each(['BGN', 'HRK', 'RUB', 'BTC', 'XAU', 'ZZZ'])('unsupported_currency: %s', async code => {
    for (const body of [
      { from: code, to: 'USD' },
      { from: 'USD', to: code },
      { from: code, to: code },
    ])
      expect(await refusal(body)).toMatchObject({ code: 'unsupported_currency', status: 422 })
  })
  test('unsupported_currency: says what became of the lev, and lists what there is', async () => {
    const { message } = await refusal({ from: 'bgn', to: 'USD', date: '2026-01-13' })
    expect(message).toContain('Bulgaria uses EUR since 2026-01-01')
    expect(message).toContain('EUR, AUD, BRL')
  })
  test('no_rate: a currency without a rate on the day found', async () => {
    const held = days.map(({ day, rates: { THB, ...rates } }) =>
      day === '2026-04-10' || !THB ? { day, rates } : { day, rates: { ...rates, THB } },
    )
    expect(await refusal({ from: 'USD', to: 'THB', date: '2026-04-12' }, evening, held)).toEqual({
      code: 'no_rate',
      status: 422,
      message: 'The ECB published no THB rate on 2026-04-10',
    })
  })
  test('stale_data: the feed has been silent for too long', async () => {
    const silent = '2026-04-17T16:30:00Z'
    expect(await refusal(pair, silent)).toMatchObject({ code: 'stale_data', status: 502 })
    expect(await convert({ ...pair, date: '2026-04-13' }, silent)).toMatchObject({ rate: 159.83396 })
  })
  test('stale_data: the day before it is more than 7 days away', async () => {
    const held = days.filter(({ day }) => day < '2026-04-02' || day > '2026-04-09')
    expect(await refusal({ ...pair, date: '2026-04-09' }, evening, held)).toMatchObject({
      code: 'stale_data',
    })
    expect(await ask(fx, { ...pair, date: '2026-04-08' }, asking(evening, held))).toMatchObject({
      rate_date: '2026-04-01',
    })
  })
  test('not_ready: nothing is loaded yet, or not yet so far back', async () => {
    expect(await refusal(pair, evening, [])).toMatchObject({ code: 'not_ready', status: 503 })
    const held = days.slice(-1)
    expect(await refusal({ ...pair, date: '2026-04-10' }, evening, held)).toMatchObject({ code: 'not_ready' })
  })
  test('stale_data: polls were good, but brought nothing', async () => {
    const { shelf, now } = asking(evening, [])
    polled(shelf, 'ecb', now())
    await expect(ask(fx, pair, { shelf, now })).rejects.toMatchObject({ code: 'stale_data' })
  })
  test.each([
    [{}, 'from'],
    [{ from: 'USD' }, 'to'],
    [{ from: 'US', to: 'JPY' }, 'from'],
    [{ from: 'USDT', to: 'JPY' }, 'from'],
    [{ from: 'USD', to: 'JP1' }, 'to'],
    [{ from: 'US\nD', to: 'JPY' }, 'from'],
    [{ from: 'ÄÖÜ', to: 'JPY' }, 'from'],
    [{ from: 840, to: 'JPY' }, 'from'],
    [{ ...pair, date: '13.04.2026' }, 'date'],
    [{ ...pair, date: '2026-4-13' }, 'date'],
    [{ ...pair, date: '' }, 'date'],
    [{ ...pair, date: null }, 'date'],
    [{ ...pair, day: '2026-04-13' }, 'day'],
  ])('invalid_request: %j', async (body, named) => {
    const { code, status, message } = await refusal(body)
    expect({ code, status }).toEqual({ code: 'invalid_request', status: 400 })
    expect(message).toContain(named)
  })
})

describe('between all pairs of a day', () => {
  /** Allows two roundings to 8 digits. The relative error is largest for numbers that begin with 1. */
  const within = (a: Decimal, b: Decimal) => expect(a.div(b).minus(1).abs().lte(1e-7)).toBe(true)

  test('there are 30 currencies, and rates and amounts fit each other', async () => {
    const today = asking()
    const codes = ['EUR', ...Object.keys(days.at(-1)?.rates ?? {})]
    expect(codes).toHaveLength(30)
    const Rounding = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_HALF_EVEN })
    const rates = new Map<string, Decimal>()
    for (const [i, from] of codes.entries())
      for (const [j, to] of codes.entries()) {
        const amount = Number(`${(i * 31 + j * 17) % 1000}.${(i * 7919 + j * 104729) % 10000}`)
        const text = await askText(fx, { from, to, amount }, today)
        const [, rate = '', converted = ''] = /"rate":([\d.]+),"converted":([\d.]+),/.exec(text) ?? []
        rates.set(from + to, new Rounding(rate))
        const product = new Rounding(amount).times(rate)
        const expected = from === to ? product : product.toDecimalPlaces(product.lt(1) ? 8 : 4)
        expect(new Rounding(converted).eq(expected), text).toBe(true)
        expect(rate.replace('.', '').replace(/^0+/, '').length, text).toBeLessThanOrEqual(8)
      }
    const rate = (from: string, to: string) => rates.get(from + to) as Decimal
    for (const from of codes)
      for (const to of codes) {
        within(rate(from, to).times(rate(to, from)), new Rounding(1))
        within(rate(from, to), rate(from, 'EUR').times(rate('EUR', to)))
      }
  })
})
