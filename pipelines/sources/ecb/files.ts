/** The three files of the ECB, read into days. A file with anything wrong in it is refused whole. */
import { type FxDay, fxRates } from '../../../schemas/fx-rates.ts'
import { berlin, dayPlus } from '../../../schemas/target-calendar.ts'
import { UpstreamFailed } from '../../failures.ts'
import type { Outside, Validators } from '../../outside/outside.ts'
import { readXml } from '../../xml.ts'
import { readZipped } from '../../zip.ts'

const historyDays = 400
const fewestCurrencies = 25

interface Daily {
  today: FxDay
  validators: Validators
  url: string
}

const at = (outside: Outside, file: string) => `${outside.at.ECB_URL}/stats/eurofxref/${file}`

/** undefined: unchanged since the validators. */
export async function readDaily(
  outside: Outside,
  validators: Validators | undefined,
): Promise<Daily | undefined> {
  const url = at(outside, 'eurofxref-daily.xml')
  const answer = await outside.get(url, { validators })
  if (answer.unchanged) return undefined
  const days = readXmlDays(answer.text(), url, outside)
  const [today] = days
  if (!today || days.length > 1) throw new UpstreamFailed(`${url} holds ${days.length} days, not one`)
  return { today, validators: answer.validators, url }
}

/** Oldest first. */
export async function readNinetyDays(outside: Outside): Promise<FxDay[]> {
  const url = at(outside, 'eurofxref-hist-90d.xml')
  return readXmlDays((await outside.get(url)).text(), url, outside)
}

/** The last 400 days, oldest first. */
export async function readHistory(outside: Outside): Promise<FxDay[]> {
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
