import { beforeAll, describe, expect, test } from 'vitest'
import { type FxTable, fxBankRates } from '../../../../schemas/fx-bank-rates.ts'
import { type FxDay, fxRates } from '../../../../schemas/fx-rates.ts'
import { fx } from '../../../../services/origins/data/fx/fx.ts'
import { fxBatch } from '../../../../services/origins/data/fx/fx-batch.ts'
import { fxHistory } from '../../../../services/origins/data/fx/fx-history.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { poll, startEcb } from '../../../pipelines/sources/ecb-upstream.ts'
import { pollNbp } from '../../../pipelines/sources/nbp-upstream.ts'
import { ask, askText, stock } from '../ask.ts'

const evening = '2026-04-13T16:30:00Z'
let days: FxDay[]
let tables: FxTable[]
beforeAll(async () => {
  const upstream = await startEcb()
  days = (await poll(upstream, evening)).days
  await upstream.close()
  tables = (await pollNbp(evening)).tables
})

const asking = (at = evening, held: readonly FxTable[] = tables) => {
  const now = () => Date.parse(at)
  const shelf = new Shelf(now)
  stock(shelf, fxRates, days)
  stock(shelf, fxBankRates, held)
  return { shelf, now }
}
const convert = (body: object, at?: string) => ask(fx, body, asking(at))

/** Expects a refusal, or a failure that is free as well. */
const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => expect.unreachable('answered'),
    ({ code, status, message }: { code: string; status: number; message: string }) => ({
      code,
      status,
      message,
    }),
  )

describe('/fx with a currency that the ECB does not have', () => {
  test('names the bank, and its notice in place of the ECB’s', async () => {
    const answer = await convert({ from: 'AED', to: 'USD', amount: 100 })
    expect(answer).toMatchObject({ provider: 'NBP', rate_date: '2026-04-08', requested_date: null })
    expect(answer.source).toBe('National Bank of Poland average exchange rates, tables A and B')
    expect(answer.notice).toContain(answer.source)
    expect(answer.notice).toContain('free of charge at https://nbp.pl')
    expect(answer.notice).not.toContain('European')
  })

  // 8 April: AED 0.9915, USD 3.6303, UAH 0.0833, EUR 4.2416; 13 April: UAH 0.0836, EUR 4.2544, CLP 0.003871.
  test.each([
    ['AED', 'PLN', '0.9915', '2026-04-08'],
    ['PLN', 'AED', '1.0085729', '2026-04-08'],
    ['AED', 'USD', '0.27311792', '2026-04-08'],
    ['USD', 'AED', '3.6614221', '2026-04-08'],
    ['VND', 'AED', '0.00013950580', '2026-04-08'],
    ['AED', 'AED', '1', '2026-04-08'],
    ['UAH', 'EUR', '0.019650244', '2026-04-13'],
    ['CLP', 'UAH', '0.046303828', '2026-04-13'],
    ['UAH', 'AED', '0.084014120', '2026-04-08'],
  ])('%s to %s is %s, of the newest day with both', async (from, to, rate, day) => {
    const text = await askText(fx, { from, to }, asking())
    expect(text).toContain(`"rate":${Number(rate) === 1 ? '1' : rate.replace(/0+$/, '')},`)
    expect(text).toContain(`"rate_date":"${day}"`)
  })

  test('takes the last day before the requested date', async () => {
    expect(await convert({ from: 'AED', to: 'PLN', date: '2026-04-07' })).toMatchObject({
      rate: 0.981585,
      rate_date: '2026-04-01',
      requested_date: '2026-04-07',
    })
    expect(await convert({ from: 'UAH', to: 'PLN', date: '2026-04-12' })).toMatchObject({
      rate_date: '2026-04-10',
    })
  })

  test('the ECB stays first for its own currencies', async () => {
    expect(await convert({ from: 'USD', to: 'JPY' })).toMatchObject({
      provider: 'ECB',
      rate: 159.83396,
      rate_date: '2026-04-13',
    })
    const gone = refusal(ask(fx, { from: 'BGN', to: 'USD' }, asking()))
    expect(await gone).toMatchObject({ code: 'unsupported_currency' })
  })

  test('many in one payment name the provider of each', async () => {
    const items = [
      { from: 'AED', to: 'PLN' },
      { from: 'USD', to: 'JPY' },
      { from: 'AED', to: 'ZZZ' },
    ]
    const { results } = (await ask(fxBatch, { items }, asking())) as {
      results: { answer: { provider: string } | null; error?: string }[]
    }
    expect(results.map(({ answer, error }) => answer?.provider ?? error)).toEqual([
      'NBP',
      'ECB',
      'unsupported_currency',
    ])
  })
})

describe('a refusal of such a currency is free', () => {
  const refused = (body: object, at?: string, held?: readonly FxTable[]) =>
    refusal(ask(fx, body, asking(at, held)))

  test('unsupported_currency: nothing of the bank is loaded', async () => {
    const { code, message } = await refused({ from: 'AED', to: 'USD' }, evening, [])
    expect(code).toBe('unsupported_currency')
    expect(message).toContain('AED')
  })
  test('unsupported_currency: neither bank has the other currency now', async () => {
    for (const other of ['ZZZ', 'BGN', 'RUB'])
      expect(await refused({ from: 'AED', to: other })).toMatchObject({ code: 'unsupported_currency' })
  })
  test('no_rate: the bank has no day with both near the date', async () => {
    expect(await refused({ from: 'AED', to: 'USD', date: '2026-02-02' })).toMatchObject({
      code: 'no_rate',
      status: 422,
    })
  })
  test('stale_data: its weekly table is four days late, its daily one a week', async () => {
    expect((await convert({ from: 'AED', to: 'USD' }, '2026-04-19T10:00:00Z')).rate_date).toBe('2026-04-08')
    expect(await refused({ from: 'AED', to: 'USD' }, '2026-04-20T10:00:00Z')).toMatchObject({
      code: 'stale_data',
      status: 502,
    })
    expect((await convert({ from: 'UAH', to: 'USD' }, '2026-04-20T10:00:00Z')).rate_date).toBe('2026-04-13')
    expect(await refused({ from: 'UAH', to: 'USD' }, '2026-04-21T10:00:00Z')).toMatchObject({
      code: 'stale_data',
    })
    expect(
      (await convert({ from: 'UAH', to: 'USD', date: '2026-04-13' }, '2026-04-21T10:00:00Z')).rate_date,
    ).toBe('2026-04-13')
  })
})

describe('/fx/history with a currency that the ECB does not have', () => {
  // The history of the bank reaches back to its beginning.
  const [first] = [
    { bank: 'NBP', series: 'A', day: '2002-01-02', quoted_in: 'PLN', rates: { EUR: '3.5' } },
  ] as const
  const all = () => [first as FxTable, ...tables]
  const history = (body: object, at?: string, held = all()) => ask(fxHistory, body, asking(at, held))
  const span = { from: 'AED', to: 'USD', start: '2026-04-01', end: '2026-04-13' }

  test('gives each day the rate that /fx gives it', async () => {
    const { rates, provider, gaps, end } = await history(span)
    expect([provider, end, gaps]).toEqual(['NBP', '2026-04-13', []])
    expect(rates.map(({ date }) => date)).toEqual(['2026-04-01', '2026-04-08'])
    for (const { date, rate } of rates)
      expect((await convert({ from: 'AED', to: 'USD', date })).rate).toBe(rate)
  })

  test('reports a missing week as a gap', async () => {
    const without = all().filter(({ series, day }) => !(series === 'B' && day === '2026-04-08'))
    const { rates, gaps } = await history({ ...span, start: '2026-03-30' }, evening, without)
    expect(rates).toHaveLength(1)
    expect(gaps).toEqual([
      {
        start: '2026-04-02',
        end: '2026-04-13',
        days: 12,
        reason: 'no rate of the pair was published',
      },
    ])
  })

  test('refuses what is out of range, unknown, without a rate, not loaded or stale', async () => {
    const codeOf = async (body: object, at?: string, held?: FxTable[]) =>
      (await refusal(history(body, at, held))).code
    expect(await codeOf({ ...span, start: '2001-12-31' })).toBe('date_out_of_range')
    expect(await codeOf({ ...span, to: 'ZZZ' })).toBe('unsupported_currency')
    expect(await codeOf({ ...span, start: '2026-04-09' })).toBe('no_rate')
    expect(await codeOf({ ...span, start: '2020-01-01' }, evening, [...tables])).toBe('not_ready')
    expect(await codeOf({ from: 'AED', to: 'USD', start: '2026-04-01' }, '2026-04-25T10:00:00Z')).toBe(
      'stale_data',
    )
  })
})
