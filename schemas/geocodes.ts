/** The Census geocoder's answers about addresses. Only a hash of the caller's address is kept. */
import { z } from 'zod'
import { defineDataset, field } from './dataset/dataset.ts'
import { Decimal, Instant, Sha256 } from './values/values.ts'

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

/** The areas around a match, beyond county and tract. */
const area = z.strictObject({ block_group: text, congressional_district: text })
export const nowhere: Area = { block_group: null, congressional_district: null }

const fields = {
  address_hash: field(Sha256, 'FixedString(64)', 'SHA-256 of the normalised address'),
  fetched_at: field(Instant, "DateTime64(3, 'UTC')", 'When the geocoder was asked'),
  matches: field(
    z.array(match),
    `Array(Tuple(${matchColumn}))`,
    'The places, best first; empty: it found none',
  ),
  areas: field(
    z.array(area).default([]),
    `Array(Tuple(block_group ${nullable}, congressional_district ${nullable}))`,
    'Block group and congressional district of each match, in the same order; empty in older rows',
  ),
  hint: field(text, nullable, 'What is missing in an address that the geocoder could not read'),
}

export type GeocodeMatch = z.output<typeof match>
export type Area = z.output<typeof area>

const dayMs = 86_400_000
/**
 * How long an answer of the geocoder is kept. One that found nothing is kept for a day: new street data may find the
 * place.
 */
export const geocodeLastsMs = { found: 90 * dayMs, notFound: dayMs }

/**
 * The topic keeps records as long as the cache does. So a query instance reads back everything that is still valid,
 * and needs no store for it.
 */
export const geocodes = defineDataset({
  name: 'geocodes',
  about: 'Geocoded addresses, each under the hash of its text',
  fields,
  key: ['address_hash'],
  identity: ['address_hash'],
  audience: 'service',
  keep: { ms: geocodeLastsMs.found },
})
