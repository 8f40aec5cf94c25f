/** Where is a US street address? By the Census Bureau, interpolated along the street. */
import { defineOperation, exact, placeField, z } from 'farebox'
import { census, geocodeLookup, matchQuality, oneLine, qualityOf } from 'farebox/geocoding'
import { matchAnswer, censusNotice as notice, whyNoMatch } from '../geocoded.ts'

const text = z.string().nullable()
const source = census.credit

const match = z.strictObject({
  matched_address: z.string(),
  lat: exact(),
  lon: exact(),
  street: text,
  city: text,
  state: text,
  zip: text,
  county: text,
  county_fips: text.describe('Five digits: state and county'),
  state_name: text,
  census_tract: text.describe('Eleven digits: state, county and tract'),
  block_group: text.describe('Twelve digits: the tract and its block group'),
  congressional_district: text.describe('Four digits: state and district; 00 at large, 98 a delegate'),
  match_quality: z
    .enum(matchQuality)
    .describe(
      'exact: house number, ZIP and city are as typed; weak: the house number is not, or ZIP and city both',
    ),
})

const asked = '1600 Pennsylvania Avenue NW, Washington, DC 20500'
const answered = {
  matched_address: '1600 PENNSYLVANIA AVE NW, WASHINGTON, DC, 20502',
  lat: 38.898754,
  lon: -77.03535,
  street: '1600 PENNSYLVANIA AVE NW',
  city: 'WASHINGTON',
  state: 'DC',
  zip: '20502',
  county: 'District of Columbia',
  county_fips: '11001',
  state_name: 'District of Columbia',
  census_tract: '11001006202',
  block_group: '110010062021',
  congressional_district: '1198',
  match_quality: 'zip_differs',
} as const

export const geocode = defineOperation({
  id: 'geocodeAddress',
  path: '/geocode',
  price: '0.002',
  inBrief: 'Coordinates, county, FIPS codes and census tract of a US street address.',
  costs: 'looked up',
  sold: 'whole',
  trial: true,
  title: 'Where a US address is',
  about:
    'Coordinates, county, FIPS codes and census tract of a US street address with a house number, from the Census Bureau geocoder. Interpolated along the street, not rooftop: typically tens of metres off. Several matches are listed, best first. No match is free. A slow geocoder is a free 502: ask again after some seconds.',
  tags: ['geocoding', 'address', 'census', 'FIPS'],
  request: z.strictObject({
    address: placeField(
      'address',
      z
        .string()
        .overwrite(oneLine)
        .min(1, 'an address')
        .max(200, 'at most 200 characters')
        .describe('US street address with house number, and city and state or ZIP'),
    ),
  }),
  response: z.strictObject({
    input: z.string().describe('The address as it was read: one line, without control characters'),
    best: match.describe('The match that agrees most with the input, in house number, ZIP, city and state'),
    matches: z.array(match),
    match_count: z.int().optional(),
    source: z.string().optional(),
    notice: z.string(),
  }),
  refusals: { no_match: { status: 422, about: 'The geocoder knows no such address' } },
  example: {
    request: { address: asked },
    response: { input: asked, best: answered, matches: [answered], match_count: 1, source, notice },
  },
  async answer({ address }, { find, credit, isSample }, refuse) {
    const found = await find(geocodeLookup, address)
    const matches = (found?.matches ?? []).map(match => ({
      ...matchAnswer(match),
      match_quality: qualityOf(match, address),
    }))
    const [best] = matches
    if (!best) return refuse('no_match', whyNoMatch(found?.hint, { isSample }))
    return {
      input: address,
      best,
      matches,
      match_count: matches.length,
      source: credit(census),
      notice,
    }
  },
})
