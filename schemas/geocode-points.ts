/** The areas around a point, from the Census geocoder. Only a hash of the caller's point is kept. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset/dataset.ts'
import { geocodeLastsMs } from './geocodes.ts'
import { Instant, Sha256 } from './values/values.ts'

const text = z.string().min(1).nullable()
const column = 'Nullable(String)'

const fields = {
  point_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of latitude and longitude to five decimals'),
  fetched_at: field(Instant, "DateTime64(3, 'UTC')", 'When the geocoder was asked'),
  state: field(text, column, 'The postal code of the state; null: the point is in none'),
  state_name: field(text, column, 'Its name'),
  county: field(text, column, 'The county'),
  county_fips: field(text, column, 'State and county, five digits'),
  census_tract: field(text, column, 'State, county and tract, eleven digits'),
  block_group: field(text, column, 'The tract and its block group, twelve digits'),
  block: field(text, column, 'The tract and its block, fifteen digits'),
  congressional_district: field(text, column, 'State and district, four digits'),
  place: field(text, column, 'The incorporated place, if the point lies in one'),
}

type GeocodePoint = RowOf<typeof fields>
export type Ground = Omit<GeocodePoint, 'point_hash' | 'fetched_at'>

/** The topic keeps records as long as the memory, so a new instance reads back everything that is still valid. */
export const geocodePoints = defineDataset({
  name: 'geocode_points',
  about: 'Points whose county, tract and block were looked up, each under the hash of its coordinates',
  fields,
  key: ['point_hash'],
  identity: ['point_hash'],
  audience: 'service',
  keep: { ms: geocodeLastsMs.found },
})
