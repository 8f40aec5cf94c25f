/** What the Census geocoder says of an address. Of the address that a caller typed, only the hash stays. */
import { z } from 'zod'
import { defineDataset, field, type RowOf } from './dataset.ts'
import { Decimal, Instant, Sha256 } from './values.ts'

const text = z.string().min(1).nullable()

const match = z.strictObject({
  matched_address: z.string().min(1),
  lat: Decimal,
  lon: Decimal,
  street: text,
  city: text,
  state: text,
  zip: text,
  county: text,
  county_fips: text,
  state_name: text,
  census_tract: text,
})

const nullable = 'Nullable(String)'
const matchColumns: Record<keyof z.output<typeof match>, string> = {
  matched_address: 'String',
  lat: 'Decimal(9, 6)',
  lon: 'Decimal(9, 6)',
  street: nullable,
  city: nullable,
  state: nullable,
  zip: nullable,
  county: nullable,
  county_fips: nullable,
  state_name: nullable,
  census_tract: nullable,
}
const matchColumn = Object.entries(matchColumns)
  .map(([name, column]) => `${name} ${column}`)
  .join(', ')

const fields = {
  address_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of the address, normalised'),
  fetched_at: field(Instant, "DateTime64(3, 'UTC')", 'When the geocoder was asked'),
  matches: field(z.array(match), `Array(Tuple(${matchColumn}))`, 'Best first; empty: it knows none'),
  hint: field(text, nullable, 'What the geocoder misses in an address that it could not read'),
}

export type GeocodeMatch = z.output<typeof match>
export type Geocode = RowOf<typeof fields>

const dayMs = 86_400_000
/** How long an answer of the geocoder is kept; one that found nothing may be cured by tomorrow's street data. */
export const geocodeLastsMs = { found: 90 * dayMs, notFound: dayMs }

/**
 * The topic forgets by age, and its age is that of the cache: a query instance reads back just what still holds,
 * without a store.
 */
export const geocodes = defineDataset({
  name: 'geocodes',
  about: 'Addresses that were geocoded, each under the hash of its text',
  fields,
  key: ['address_hash'],
  identity: ['address_hash'],
  audience: 'service',
  keep: { ms: geocodeLastsMs.found },
})
