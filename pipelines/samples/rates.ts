/** Invented euro rates in the ECB's formats. They are near the real ones and move a little from day to day. */
import { berlin, dayPlus, isTargetDay } from '../../schemas/tables/target-calendar.ts'
import { pages } from './pages.ts'
import { zip } from './zip.ts'

/** A rate has as many decimals as its average in this list. */
export const euroAverages = {
  ...{ USD: '1.1684', JPY: '186.75', CZK: '24.312', DKK: '7.4696', GBP: '0.87058', HUF: '378.15' },
  ...{ PLN: '4.2465', RON: '5.0912', SEK: '10.8830', CHF: '0.93125', ISK: '143.20', NOK: '11.2410' },
  ...{ TRY: '51.8420', AUD: '1.6612', BRL: '6.0874', CAD: '1.6174', CNY: '7.9852', HKD: '9.1467' },
  ...{ IDR: '20082.05', ILS: '3.5340', INR: '108.7425', KRW: '1740.86', MXN: '20.3145', MYR: '4.6519' },
  ...{ NZD: '2.0093', PHP: '70.154', SGD: '1.4968', THB: '37.815', ZAR: '19.3849' },
}

const publishedFromMinute = 16 * 60
const begin = '1999-01-04'
/** Some currencies were added later. Before that day, the file of all days has no rate for them. */
const beginOf: Record<string, string> = { CNY: '2005-04-01', BRL: '2008-01-02', INR: '2009-01-02' }

/** The days that the ECB would have published by now, newest first. */
export function publishedDays(now: number, oldest = dayPlus(berlin(now).day, -130)): string[] {
  const { day: today, minute } = berlin(now)
  const newest = minute >= publishedFromMinute ? today : dayPlus(today, -1)
  const days: string[] = []
  for (let day = newest; day >= oldest; day = dayPlus(day, -1)) if (isTargetDay(day)) days.push(day)
  return days
}

/** Every call returns the same rates for a day. */
function ratesOf(day: string): [currency: string, rate: string][] {
  const age = Date.parse(day) / 86_400_000
  return Object.entries(euroAverages).map(([currency, rate], i) => {
    const wander = 1 + 0.012 * Math.sin(age / (9 + i) + i)
    const decimals = rate.length - rate.indexOf('.') - 1
    return [currency, (Number(rate) * wander).toFixed(decimals)]
  })
}

function cube(day: string): string {
  const rates = ratesOf(day).map(([currency, rate]) => `\t\t\t<Cube currency='${currency}' rate='${rate}'/>`)
  return `\t\t<Cube time='${day}'>\n${rates.join('\n')}\n\t\t</Cube>`
}

const xml = (days: readonly string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
\t<gesmes:subject>Reference rates</gesmes:subject>
\t<gesmes:Sender>
\t\t<gesmes:name>Farebox sample</gesmes:name>
\t</gesmes:Sender>
\t<Cube>
${days.map(cube).join('\n')}
\t</Cube>
</gesmes:Envelope>
`

const dailyRates = (now: number): string => xml(publishedDays(now).slice(0, 1))

function ninetyDaysOfRates(now: number): string {
  const oldest = dayPlus(berlin(now).day, -90)
  return xml(publishedDays(now).filter(day => day >= oldest))
}

function historyOfRates(now: number): Buffer {
  const rows = publishedDays(now, begin).map(day => [
    day,
    ...ratesOf(day).map(([currency, rate]) => (day < (beginOf[currency] ?? begin) ? 'N/A' : rate)),
  ])
  const table = [['Date', ...Object.keys(euroAverages)], ...rows].map(row => `${row.join(',')},\n`).join('')
  return zip('eurofxref-hist.csv', table)
}

export const sample = pages({
  '/stats/eurofxref/eurofxref-daily.xml': dailyRates,
  '/stats/eurofxref/eurofxref-hist-90d.xml': ninetyDaysOfRates,
  '/stats/eurofxref/eurofxref-hist.zip': historyOfRates,
})
