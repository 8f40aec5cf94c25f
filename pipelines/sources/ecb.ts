/** The ECB's euro reference rates: the daily file, the 90-day file for gaps, the whole history once. */
import { type FxDay, fxRates } from '../../schemas/fx-rates.ts'
import { berlin, dayPlus, isTargetDay, targetDays } from '../../schemas/target-calendar.ts'
import { type Outside, UpstreamFailed, type Validators } from '../outside.ts'
import { readXml } from '../xml.ts'
import { readZipped } from '../zip.ts'
import { emit, type Source } from './source.ts'

interface Cursor {
  newest: FxDay
  /** The days before the 90-day file are in the log too. */
  whole: boolean
  validators: Validators
}

const historyDays = 400
const fewestCurrencies = 25
const polledFromMinute = 15 * 60 + 50
const polledToMinute = 17 * 60 + 30

export const ecb: Source<Cursor> = {
  name: 'ecb',
  schedule: '*/5 * * * *',
  timeoutMs: 120_000,

  due(now, cursor) {
    if (!cursor?.whole) return true
    const { day, minute } = berlin(now)
    const known = cursor.newest.day
    if (targetDays(known, dayPlus(day, -1)) > 0) return true
    const expecting = isTargetDay(day) && minute >= polledFromMinute && minute <= polledToMinute
    return expecting ? known < day : minute % 60 < 5
  },

  async *pull(cursor, outside) {
    const { newest, whole = false, validators } = cursor ?? {}
    const daily = at(outside, 'eurofxref-daily.xml')
    const answer = await outside.get(daily, whole ? { validators } : {})
    if (answer.unchanged) return
    const today = theOnly(readXmlDays(answer.text(), daily, outside), daily)
    if (newest && today.day < newest.day)
      throw new UpstreamFailed(`${daily} went back from ${newest.day} to ${today.day}`)

    const gap = !newest || targetDays(newest.day, dayPlus(today.day, -1)) > 0
    const recent = gap ? [...before(today.day, await ninetyDays(outside)), today] : [today]
    const from = recent[0]?.day ?? today.day
    const next: Cursor = {
      newest: today,
      whole: whole && (!gap || (newest !== undefined && from <= newest.day)),
      validators: answer.validators,
    }
    const unknown = recent.filter(day => !newest || day.day > newest.day)
    checkMoves(unknown, newest, daily)
    // The ECB may correct the rates of its newest day.
    const corrected = newest && today.day === newest.day && !sameRates(today, newest) ? [today] : []
    checkMoves(corrected, newest, daily)
    yield { events: [...unknown, ...corrected].map(day => emit(fxRates, day)), cursor: next }

    if (next.whole) return
    const older = before(from, await history(outside))
    yield { events: older.map(day => emit(fxRates, day)), cursor: { ...next, whole: true } }
  },
}

const at = (outside: Outside, file: string) => `${outside.at.ECB_URL}/stats/eurofxref/${file}`

const before = (day: string, days: readonly FxDay[]) => days.filter(other => other.day < day)

const sameRates = (a: FxDay, b: FxDay) => JSON.stringify(a.rates) === JSON.stringify(b.rates)

function theOnly(days: readonly FxDay[], from: string): FxDay {
  const [day] = days
  if (!day || days.length > 1) throw new UpstreamFailed(`${from} holds ${days.length} days, not one`)
  return day
}

async function ninetyDays(outside: Outside): Promise<FxDay[]> {
  const url = at(outside, 'eurofxref-hist-90d.xml')
  return readXmlDays((await outside.get(url)).text(), url, outside)
}

async function history(outside: Outside): Promise<FxDay[]> {
  const url = at(outside, 'eurofxref-hist.zip')
  const { bytes } = await outside.get(url)
  const csv = await readZipped(bytes, 'eurofxref-hist.csv', url, 32 * 2 ** 20)
  const [[first, ...currencies] = [], ...rows] = csv
    .toString('utf8')
    .trim()
    .split(/\r?\n/)
    .map(line => line.replace(/,\s*$/, '').split(/\s*,\s*/))
  if (first !== 'Date') throw new UpstreamFailed(`${url} starts with "${first}", not with Date`)
  const oldest = dayPlus(berlin(outside.now()).day, -historyDays)
  const days = rows
    .filter(([day = '']) => day >= oldest)
    .map(([day, ...rates]) => ({
      day,
      rates: currencies.flatMap((currency, i) => (rates[i] === 'N/A' ? [] : [[currency, rates[i]]])),
    }))
  return checkDays(days, url, outside)
}

function readXmlDays(document: string, from: string, outside: Outside): FxDay[] {
  const root = readXml(document, from)
  if (root.name !== 'Envelope')
    throw new UpstreamFailed(`${from} has the root <${root.name}>, not <Envelope>`)
  const cubes = root.children.find(child => child.name === 'Cube')?.children ?? []
  const days = cubes.map(({ attributes, children }) => ({
    day: attributes.time,
    rates: children.map(({ attributes: { currency, rate } }) => [currency, rate]),
  }))
  return checkDays(days, from, outside)
}

/** Oldest first; a file with one wrong day is refused whole. */
function checkDays(days: { day: unknown; rates: unknown[][] }[], from: string, outside: Outside): FxDay[] {
  const today = berlin(outside.now()).day
  const seen = new Set<string>()
  const checked = days.map(({ day, rates }) => {
    const reject = (reason: string): never => {
      throw new UpstreamFailed(`${from}, day ${day}: ${reason}`)
    }
    const event = fxRates.event.safeParse({ day, rates: Object.fromEntries(rates) })
    if (!event.success) {
      const [issue] = event.error.issues
      return reject(`${issue?.path.join(' ')} is not ${issue?.message}`)
    }
    const currencies = Object.keys(event.data.rates).length
    if (currencies !== rates.length) return reject('a currency stands there twice')
    if (currencies < fewestCurrencies)
      return reject(`${currencies} currencies, fewer than ${fewestCurrencies}`)
    if (event.data.day > today) return reject('it is in the future')
    if (seen.has(event.data.day)) return reject('it stands there twice')
    seen.add(event.data.day)
    return event.data
  })
  return checked.sort((a, b) => (a.day < b.day ? -1 : 1))
}

/** A move too large to be true is held until the next day confirms it, so that a true one does not stop us for good. */
function checkMoves(days: readonly FxDay[], newest: FxDay | undefined, from: string): void {
  for (const [i, day] of days.entries()) {
    const previous = days[i - 1] ?? newest
    const next = days[i + 1]
    const moved = previous ? jumps(previous, day) : []
    const unconfirmed = moved.filter(currency => !next || jumps(day, next).includes(currency))
    if (unconfirmed.length)
      throw new UpstreamFailed(
        `${from}: ${unconfirmed.join(', ')} moved too far from ${previous?.day} to ${day.day}`,
      )
  }
}

const mostMoved = (currency: string) => (currency === 'TRY' ? 0.3 : 0.2)

const jumps = (a: FxDay, b: FxDay): string[] =>
  Object.keys(b.rates).filter(currency => {
    const then = a.rates[currency]
    return then !== undefined && Math.abs(Number(b.rates[currency]) / Number(then) - 1) > mostMoved(currency)
  })
