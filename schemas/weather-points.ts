/** The grid cell and the zones of a point. Only a hash of the caller's point is kept. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'
import { Instant, Sha256 } from './values/values.ts'
import { GridCell } from './weather-forecasts.ts'

const nullableText = z.string().min(1).nullable()
const column = 'Nullable(String)'

const fields = {
  point_hash: field(Sha256, 'String', 'SHA-256 of latitude and longitude to four decimals'),
  fetched_at: field(Instant, "DateTime64(3, 'UTC')", 'When it was resolved'),
  covered: field(z.boolean(), 'Bool', 'false: the service has nothing on this point'),
  cell: field(GridCell.nullable(), column, 'Its cell, or the nearest on land'),
  marine: field(z.boolean(), 'Bool', 'Over water, with no land near'),
  forecast_zone: field(nullableText, column, 'Its public zone'),
  county: field(nullableText, column, 'Its county zone'),
  fire_zone: field(nullableText, column, 'Its fire weather zone'),
  city: field(nullableText, column, 'The nearest named place, which may be kilometres away'),
  state: field(nullableText, column, 'The state of that place'),
  time_zone: field(nullableText, column, 'IANA name'),
}

const dayMs = 86_400_000
/** Offices move their grids, so a mapping is fetched again. While the service is down, an older mapping is still used. */
export const pointLastsMs = { fresh: 7 * dayMs, stale: 30 * dayMs, uncovered: 30 * dayMs }

export const weatherPoints = defineDataset({
  name: 'weather_points',
  about: 'The grid cells of points, each under the hash of the point’s coordinates',
  fields,
  key: ['point_hash'],
  identity: ['point_hash'],
  audience: 'service',
  keep: { ms: pointLastsMs.stale },
})
