/** How did a pair of currencies do over a span of days? */
import { z } from 'zod'
import { ecbUpstream } from '../../../../pipelines/sources/ecb/upstream.ts'
import { nbpUpstream } from '../../../../pipelines/sources/nbp/upstream.ts'
import { fxDaily } from '../../../../schemas/fx-rates.ts'
import { berlin } from '../../../../schemas/tables/target-calendar.ts'
import { exact, IsoDate } from '../../../../schemas/values/values.ts'
import { number } from '../../../offer/answer.ts'
import { Failure } from '../../../offer/errors.ts'
import { defineOperation } from '../../../offer/operation.ts'
import { bankHistory } from './bank-history.ts'
import { bankNotice, bankOf, isBeyond } from './bank-rates.ts'
import { crossRate } from './cross-rate.ts'
import { currency, notice, provider, sortedDays } from './fx.ts'
import { gapsIn } from './gaps.ts'

/** The first day of the euro. */
const firstDay = '1999-01-04'
const day = z
  .string()
  .trim()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'a date as YYYY-MM-DD')

export const fxHistory = defineOperation({
  id: 'exchangeRateHistory',
  path: '/fx/history',
  price: '0.004',
  inBrief: 'Daily rates of a currency pair over any span since 1999-01-04. Gaps are told, not filled.',
  costs: 'held',
  sold: 'Sold if the pair has a rate in the span; a day whose rate is missing is told as a gap, and nothing is filled in.',
  title: 'Daily rates of a currency pair since 1999',
  about:
    "Daily rates of a pair over any span since 1999-01-04, currencies that are gone included, from the ECB's euro reference rates, which are free of charge at https://www.ecb.europa.eu/stats/eurofxref/; rarer ones from the National Bank of Poland since 2002.",
  tags: ['currency', 'exchange rate', 'history', 'ECB'],
  request: z.strictObject({
    from: currency.describe('Currency to convert from'),
    to: currency.describe('Currency to convert to'),
    start: day.describe(
      'First day, 1999-01-04 at the earliest; 2002-01-02 for currencies that the ECB never had',
    ),
    end: day.optional().describe('Last day; the newest where it is left out'),
  }),
  response: z.strictObject({
    from: z.string(),
    to: z.string(),
    start: z.string(),
    end: z.string(),
    rates: z
      .array(z.strictObject({ date: z.string(), rate: exact() }))
      .describe('Oldest first; 8 significant digits where a rate is computed'),
    count: z.int(),
    gaps: z
      .array(z.strictObject({ start: z.string(), end: z.string(), days: z.int(), reason: z.string() }))
      .describe('Days on which a rate of the pair was due, and none was published'),
    source: z.string(),
    provider: provider.optional(),
    notice: z.string(),
  }),
  refusals: {
    invalid_date: {
      status: 400,
      about: 'A date is not in the calendar, in the future, or the end is before the start',
    },
    date_out_of_range: { status: 422, about: `The span begins before ${firstDay}` },
    unsupported_currency: { status: 422, about: 'Neither bank published a rate of the currency' },
    no_rate: { status: 422, about: 'The pair has no rate in the span' },
  },
  example: {
    request: { from: 'USD', to: 'JPY', start: '2026-04-02', end: '2026-04-07' },
    response: {
      from: 'USD',
      to: 'JPY',
      start: '2026-04-02',
      end: '2026-04-07',
      rates: [
        { date: '2026-04-02', rate: 159.60087 },
        { date: '2026-04-07', rate: 159.84252 },
      ],
      count: 2,
      gaps: [],
      source: ecbUpstream.credit,
      provider: 'ECB',
      notice,
    },
  },
  answer({ from, to, start, end: asked }, { now, view, credit, isSample }, refuse) {
    const today = berlin(now()).day
    for (const date of [start, asked ?? start]) {
      if (!IsoDate.safeParse(date).success) refuse('invalid_date', `There is no day ${date} in the calendar`)
      if (date > today) refuse('invalid_date', `${date} is in the future: it is ${today} in Frankfurt`)
    }
    if (asked !== undefined && asked < start) refuse('invalid_date', `end ${asked} is before start ${start}`)
    if (start < firstDay) refuse('date_out_of_range', `The first rates are those of ${firstDay}`)

    const bank = bankOf(view)
    if (isBeyond(bank, from, to)) {
      const found = bankHistory(bank, { from, to, start, end: asked, today }, refuse)
      return { from, to, ...found, source: credit(nbpUpstream), provider: 'NBP', notice: bankNotice }
    }
    const held = view(fxDaily, { date: asked })
    const { days, newest } = held.once('days', sortedDays)
    if ((days[0] as string) > start && days[0] !== firstDay)
      throw new Failure('not_ready', `The rates before ${days[0]} are not loaded yet`, {
        'Retry-After': '30',
      })
    const ever = held.once('currencies', () => ({
      value: new Set(['EUR', ...[...held.rows()].flatMap(({ rates }) => Object.keys(rates))]),
    }))
    for (const code of [from, to])
      if (!ever.has(code))
        refuse(
          'unsupported_currency',
          isSample(ecbUpstream)
            ? `The bundled samples of rates have none of ${code}`
            : `Neither the ECB nor the National Bank of Poland ever published a rate of ${code}`,
        )

    const end = asked ?? newest.day
    const within = days.filter(date => start <= date && date <= end)
    const rated = within.flatMap(date => {
      const rates = { EUR: '1', ...held.get(date)?.rates }
      return from in rates && to in rates ? [{ date, rate: number(crossRate(from, to, rates)) }] : []
    })
    if (!rated.length) refuse('no_rate', `${from} and ${to} have no rate on any day from ${start} to ${end}`)
    return {
      from,
      to,
      start,
      end,
      rates: rated,
      count: rated.length,
      gaps: gapsIn({ start, end: end < newest.day ? end : newest.day }, rated, new Set(within)),
      source: credit(ecbUpstream),
      provider: 'ECB',
      notice,
    }
  },
})
