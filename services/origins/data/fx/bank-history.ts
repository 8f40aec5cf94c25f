/** The history of a pair at the National Bank of Poland: the days that have a rate, and the gaps. */
import { dayPlus } from '../../../../schemas/tables/target-calendar.ts'
import { number } from '../../../offer/answer.ts'
import { Failure } from '../../../offer/errors.ts'
import { type Bank, bankCross, bankFirstDay, isFresh } from './bank-rates.ts'
import type { RateGap } from './gaps.ts'

interface Span {
  from: string
  to: string
  start: string
  end: string | undefined
  today: string
}

/** The bank's history begins in a week of holidays. */
const begunBy = '2002-01-31'
/** The longest usual pause between two daily tables is that of Christmas. A holiday may move a weekly table. */
const usualPauseDays = { daily: 5, weekly: 9 }

export function bankHistory(
  bank: Bank,
  { from, to, start, end: asked, today }: Span,
  refuse: (code: 'unsupported_currency' | 'date_out_of_range' | 'no_rate', message: string) => never,
) {
  if (start < bankFirstDay)
    refuse('date_out_of_range', `The first rates of the National Bank of Poland are those of ${bankFirstDay}`)
  const [first = ''] = bank.days
  if (first > start && first > begunBy)
    throw new Failure('not_ready', `The rates before ${first} are not loaded yet`, { 'Retry-After': '30' })
  const codes = [from, to]
  const has = (day: string) => codes.every(code => bank.rate(code, day) !== undefined)
  for (const code of codes)
    if (!bank.days.some(day => bank.rate(code, day) !== undefined))
      refuse('unsupported_currency', `The National Bank of Poland never published a rate of ${code}`)

  const newest = bank.days.at(-1) as string
  if ((asked === undefined || asked > newest) && !isFresh(bank, codes, today))
    throw new Failure('stale_data', `The last rates of the National Bank of Poland are those of ${newest}`)
  const end = asked ?? newest
  const days = bank.days.filter(day => start <= day && day <= end && has(day))
  if (!days.length) refuse('no_rate', `${from} and ${to} have no rate on any day from ${start} to ${end}`)
  const rates = days.map(date => ({ date, rate: number(bankCross(bank, from, to, date)) }))
  const pauseDays = codes.every(code => bank.daily.has(code)) ? usualPauseDays.daily : usualPauseDays.weekly
  return {
    start,
    end,
    rates,
    count: rates.length,
    gaps: gapsBetween([dayPlus(start, -1), ...days, dayPlus(end < newest ? end : newest, 1)], pauseDays),
  }
}

/** Finds the pauses that are longer than usual. */
function gapsBetween(days: readonly string[], pauseDays: number): RateGap[] {
  return days.slice(1).flatMap((day, i) => {
    const before = days[i] as string
    if (dayPlus(before, pauseDays) >= day) return []
    const gap = { start: dayPlus(before, 1), end: dayPlus(day, -1) }
    const length = Math.round((Date.parse(gap.end) - Date.parse(gap.start)) / 86_400_000) + 1
    return [{ ...gap, days: length, reason: 'no rate of the pair was published' }]
  })
}
