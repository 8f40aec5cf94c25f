/** The forecast of a point, from its cell. If that cell no longer has one, from another cell. */

import {
  type Forecast,
  type ForecastPlace,
  forecastLookup,
  type Outlook,
  outlookLookup,
  type Point,
  placeLookup,
} from '../../../../pipelines/lookups/forecast.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { number } from '../../../offer/answer.ts'
import { Failure } from '../../../offer/errors.ts'
import type { Tools } from '../../../offer/operation.ts'

type Units = Outlook['units']

type ForecastFound =
  | { why: 'found'; place: ForecastPlace; forecast: Forecast }
  | { why: 'uncovered' | 'marine' | 'no_forecast' }

/** One move to a new cell, and one more if that cell is over water. */
const mostMoves = 2

export async function forecastAt(
  point: Point,
  find: Tools['find'],
  units: Units = 'us',
): Promise<ForecastFound> {
  let without: Point['without']
  for (let moves = 0; moves <= mostMoves; moves++) {
    const place = await find(placeLookup, { ...point, without })
    if (!place) return { why: 'uncovered' }
    if (place.cell === null) return { why: place.marine ? 'marine' : 'no_forecast' }
    const { cell } = place
    const forecast = await (units === 'us'
      ? find(forecastLookup, cell)
      : find(outlookLookup, { cell, units, hourly: false }))
    if (forecast && forecast.missing === null) return { why: 'found', place, forecast }
    without = { cell: place.cell, marine: forecast?.missing === 'marine' }
  }
  throw new UpstreamFailed(`no cell with a forecast, ${without?.cell} the last`)
}

/** The hours of the same cell, up to the end of the last period in the answer. */
export async function hoursAt(
  cell: string,
  until: string | undefined,
  { find, now }: Pick<Tools, 'find' | 'now'>,
  units: Units,
) {
  const hours = await find(outlookLookup, { cell, units, hourly: true })
  if (!hours || hours.missing !== null) throw new UpstreamFailed(`cell ${cell} has no forecast by the hour`)
  const before = Date.parse(until ?? '')
  return periodsFrom(hours, hours.periods.length, now())
    .filter(({ start }) => Date.parse(start) < before)
    .map(({ name: _, detail: __, ...hour }) => hour)
}

/** After two days it is no longer a forecast, even if the upstream still serves it. */
const oldestMs = 48 * 3_600_000

export function periodsFrom({ periods, updated }: Forecast, most: number, now: number) {
  const ahead = periods.filter(({ end }) => Date.parse(end) > now)
  if (ahead.length === 0 || (updated !== null && now - Date.parse(updated) > oldestMs))
    throw new Failure('stale_data', `The newest forecast is of ${updated ?? 'an unknown time'}`)
  return ahead.slice(0, most).map(period => ({
    ...period,
    temperature: number(period.temperature),
    precipitation_chance: period.precipitation_chance === null ? null : number(period.precipitation_chance),
  }))
}
