/** The forecast of a point: that of its cell, or of another cell where its own has none any more. */
import { UpstreamFailed } from '../../../../pipelines/failures.ts'
import {
  type Forecast,
  forecastLookup,
  type Place,
  type Point,
  placeLookup,
} from '../../../../pipelines/lookups/forecast.ts'
import { number } from '../../../answer.ts'
import { Failure } from '../../../errors.ts'
import type { Tools } from '../../../operation.ts'

export type ForecastFound =
  | { why: 'found'; place: Place; forecast: Forecast }
  | { why: 'uncovered' | 'marine' | 'no_forecast' }

/** Once to a new cell, and once more if that one is over water. */
const mostMoves = 2

export async function forecastAt(point: Point, find: Tools['find']): Promise<ForecastFound> {
  let without: Point['without']
  for (let moves = 0; moves <= mostMoves; moves++) {
    const place = await find(placeLookup, { ...point, without })
    if (!place) return { why: 'uncovered' }
    if (place.cell === null) return { why: place.marine ? 'marine' : 'no_forecast' }
    const forecast = await find(forecastLookup, place.cell)
    if (forecast && forecast.missing === null) return { why: 'found', place, forecast }
    without = { cell: place.cell, marine: forecast?.missing === 'marine' }
  }
  throw new UpstreamFailed(`no cell with a forecast, ${without?.cell} the last`)
}

/** After two days it is no forecast any more, even if the upstream still serves it. */
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
