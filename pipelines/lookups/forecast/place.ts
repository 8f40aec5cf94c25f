/** Finds the grid cell and the zones of a point. */
import { z } from 'zod'
import { UpstreamFailed } from '../../rails/failures.ts'
import { readJson } from '../../rails/formats/json.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { readForecast } from './grid.ts'
import { askNws } from './nws.ts'

export interface Point {
  /** With four decimals: the service accepts no more. */
  lat: number
  lon: number
  /** A cell that has no forecast. A kept place with this cell is out of date. */
  without?: { cell: string; marine: boolean } | undefined
}

export interface ForecastPlace {
  cell: string | null
  marine: boolean
  zones: { forecast: string | null; county: string | null; fire: string | null }
  city: string | null
  state: string | null
  timeZone: string | null
}

export const pointText = ({ lat, lon }: Point): string => `${lat},${lon}`

const text = z.string().nullish()
const replied = z.object({
  properties: z.object({
    gridId: text,
    gridX: z.int().nullish(),
    gridY: z.int().nullish(),
    forecast: text,
    forecastZone: text,
    county: text,
    fireWeatherZone: text,
    timeZone: text,
    relativeLocation: z.object({ properties: z.object({ city: text, state: text }) }).nullish(),
  }),
})

const ugcOf = (zone: string | null | undefined): string | null => zone?.split('/').at(-1) || null

async function askPoint(point: Point, outside: Outside): Promise<ForecastPlace | undefined> {
  const answer = await askNws(`/points/${pointText(point)}`, outside)
  if (answer.status !== 200) return undefined
  const { properties: p } = readJson(replied, answer.text(), '/points')
  return {
    cell:
      p.gridId && p.forecast && p.gridX != null && p.gridY != null
        ? `${p.gridId}/${p.gridX},${p.gridY}`
        : null,
    marine: false,
    zones: { forecast: ugcOf(p.forecastZone), county: ugcOf(p.county), fire: ugcOf(p.fireWeatherZone) },
    city: p.relativeLocation?.properties.city || null,
    state: p.relativeLocation?.properties.state || null,
    timeZone: p.timeZone || null,
  }
}

export async function readPlace(point: Point, outside: Outside): Promise<ForecastPlace | undefined> {
  const place = await askPoint(point, outside)
  const { without } = point
  if (!place || !without || place.cell !== without.cell) return place
  if (!without.marine) throw new UpstreamFailed(`${without.cell} has no forecast, and no other cell is named`)
  return { ...place, ...(await nearestOnLand(point, without.cell, outside)) }
}

/** The points about 2 km to each side, the nearer ones first. On a coast the cell of a point on land may be over water. */
const neighbours = ({ lat, lon }: Point): Point[] =>
  [
    { lat, lon: lon + 0.02 },
    { lat, lon: lon - 0.02 },
    { lat: lat + 0.02, lon },
    { lat: lat - 0.02, lon },
  ].map(point => ({ lat: toFour(point.lat), lon: toFour(point.lon) }))

export const toFour = (degrees: number): number => Number(degrees.toFixed(4))

async function nearestOnLand(point: Point, wet: string, outside: Outside) {
  const tried = new Set([wet])
  for (const neighbour of neighbours(point)) {
    const cell = (await askPoint(neighbour, outside))?.cell
    if (!cell || tried.has(cell)) continue
    tried.add(cell)
    if ((await readForecast(cell, outside)).missing === null) return { cell, marine: false }
  }
  return { cell: null, marine: true }
}
