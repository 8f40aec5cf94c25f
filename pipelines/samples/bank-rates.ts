/** Invented rates in the format of the National Bank of Poland. They are near the real ones and move a little. */
import { berlin, dayPlus, isTargetDay } from '../../schemas/tables/target-calendar.ts'
import type { Sample } from '../rails/outside/upstreams/upstream.ts'
import { euroAverages } from './rates.ts'

/** Zloty for one unit of each currency. */
const zlotyAverages = {
  A: {
    EUR: '4.2465',
    ...Object.fromEntries(
      Object.entries(euroAverages)
        .filter(([code]) => code !== 'PLN')
        .map(([code, rate]) => [code, (4.2465 / Number(rate)).toPrecision(5)]),
    ),
    ...{ UAH: '0.0871', CLP: '0.003921', XDR: '5.0123' },
  },
  B: {
    ...{ AED: '0.9893', AFN: '0.0548', ARS: '0.002511', BDT: '0.0298', COP: '0.000929', DOP: '0.0577' },
    ...{ EGP: '0.0764', GEL: '1.3382', GHS: '0.3311', JOD: '5.1254', KES: '0.0281', KWD: '11.8714' },
    ...{ KZT: '0.006904', LKR: '0.0119', MAD: '0.3952', NGN: '0.002481', PEN: '1.0721', PKR: '0.0129' },
    ...{ QAR: '0.9979', RSD: '0.0362', SAR: '0.9688', TWD: '0.1152', UYU: '0.0912', VND: '0.000138' },
  },
}
type Series = keyof typeof zlotyAverages

const publishedFromMinute = 12 * 60
const wednesday = 3
const firstDay = '2002-01-02'

/** The bank publishes table A on every working day, and table B on every Wednesday that is a working day. */
const publishes = (series: string, day: string): series is Series =>
  isTargetDay(day) && (series === 'A' || (series === 'B' && new Date(day).getUTCDay() === wednesday))

function table(series: Series, day: string) {
  const age = Date.parse(day) / 86_400_000
  const rates = Object.entries(zlotyAverages[series]).map(([code, average], i) => {
    const wander = 1 + 0.012 * Math.sin(age / (11 + i) + i)
    const decimals = average.length - average.indexOf('.') - 1
    return { currency: code.toLowerCase(), code, mid: Number((Number(average) * wander).toFixed(decimals)) }
  })
  const number = String(Math.ceil(age) % 365).padStart(3, '0')
  return { table: series, no: `${number}/${series}/NBP/${day.slice(0, 4)}`, effectiveDate: day, rates }
}

/** The address of the newest table, or of all tables from one day to another. */
const address = /^\/api\/exchangerates\/tables\/([AB])\/(?:(\d{4}-\d{2}-\d{2})\/(\d{4}-\d{2}-\d{2})\/)?$/

export const sample: Sample = ({ path, now }) => {
  const [, series = '', from, to] = address.exec(path) ?? []
  if (!series) return undefined
  const { day: today, minute } = berlin(now)
  const newest = minute >= publishedFromMinute ? today : dayPlus(today, -1)
  const tables: object[] = []
  const start = from ?? dayPlus(newest, -14)
  for (
    let day = start < firstDay ? firstDay : start;
    day <= (to ?? newest) && day <= newest;
    day = dayPlus(day, 1)
  )
    if (publishes(series, day)) tables.push(table(series, day))
  if (!tables.length)
    return { status: 404, type: 'text/plain', body: '404 NotFound - Not Found - Brak danych' }
  return { type: 'application/json', body: JSON.stringify(from ? tables : tables.slice(-1)) }
}
