/** Reads the three files of the ECB into days. A file with any error in it is refused as a whole. */

import { type FxDay, fxRates } from '../../../schemas/fx-rates.ts'
import { berlin } from '../../../schemas/tables/target-calendar.ts'
import { withoutEnd } from '../../../schemas/values/text-end.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { readXml } from '../../rails/formats/xml.ts'
import { readZipped } from '../../rails/formats/zip.ts'
import type { Answer, Outside, UpstreamRequest, Validators } from '../../rails/outside/upstreams/outside.ts'
import { ecbUpstream } from './upstream.ts'

const fewestCurrencies = 25

interface Daily {
  today: FxDay
  validators: Validators
  from: string
}

const get = (outside: Outside, file: string, request?: UpstreamRequest) =>
  outside.get(ecbUpstream, `/stats/eurofxref/${file}`, request)

/** Undefined if the file has not changed since the answer with these validators. */
export async function readDaily(
  outside: Outside,
  validators: Validators | undefined,
): Promise<Daily | undefined> {
  const answer = await get(outside, 'eurofxref-daily.xml', { validators })
  if (answer.unchanged) return undefined
  const { from } = answer
  const days = await readXmlDays(answer, outside)
  const [today] = days
  if (!today || days.length > 1) throw new UpstreamFailed(`${from} holds ${days.length} days, not one`)
  return { today, validators: answer.validators, from }
}

/** The oldest day comes first. */
export async function readNinetyDays(outside: Outside): Promise<FxDay[]> {
  return readXmlDays(await get(outside, 'eurofxref-hist-90d.xml'), outside)
}

/** All days since 1999, oldest first. */
export async function readHistory(outside: Outside): Promise<FxDay[]> {
  const { bytes, from } = await get(outside, 'eurofxref-hist.zip')
  const csv = await readZipped(bytes, 'eurofxref-hist.csv', from, 32 * 2 ** 20)
  const [[first, ...currencies] = [], ...rows] = csv
    .toString('utf8')
    .trim()
    .split(/\r?\n/)
    .map(line =>
      withoutEnd(line, ', ')
        .split(',')
        .map(cell => cell.trim()),
    )
  if (first !== 'Date') throw new UpstreamFailed(`${from} starts with "${first}", not with Date`)
  const days = rows.map(([day, ...rates]) => ({
    day,
    rates: currencies.flatMap((currency, i) =>
      rates[i] === 'N/A' || !rates[i] ? [] : [[currency, rates[i]]],
    ),
  }))
  return checkDays(days, from, outside)
}

async function readXmlDays({ text, from }: Answer, outside: Outside): Promise<FxDay[]> {
  const root = await readXml(text(), from)
  if (root.name !== 'Envelope')
    throw new UpstreamFailed(`${from} has the root <${root.name}>, not <Envelope>`)
  const cubes = root.children.find(child => child.name === 'Cube')?.children ?? []
  const days = cubes.map(({ attributes, children }) => ({
    day: attributes.time,
    rates: children.map(({ attributes: { currency, rate } }) => [currency, rate]),
  }))
  return checkDays(days, from, outside)
}

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
    if (currencies !== rates.length) return reject('a currency occurs twice')
    if (currencies < fewestCurrencies)
      return reject(`${currencies} currencies, fewer than ${fewestCurrencies}`)
    if (event.data.day > today) return reject('it is in the future')
    if (seen.has(event.data.day)) return reject('it occurs twice')
    seen.add(event.data.day)
    return event.data
  })
  return checked.sort((a, b) => (a.day < b.day ? -1 : 1))
}
