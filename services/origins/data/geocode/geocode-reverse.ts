/** Which state, county, tract, block and congressional district is a point in? */
import { defineOperation, z } from 'farebox'
import { census, groundLookup, mayBeCovered } from 'farebox/geocoding'
import { censusNotice as notice, onlySamples } from '../geocoded.ts'

const text = z.string().nullable()

export const geocodeReverse = defineOperation({
  id: 'geocodePoint',
  path: '/geocode/reverse',
  price: '0.002',
  inBrief: 'State, county, tract, block, congressional district and place of US coordinates.',
  costs: 'looked up',
  sold: 'Sold if the state is known.',
  title: 'What a US point lies in',
  about:
    'State, county, census tract, block group, block, congressional district and incorporated place of coordinates in the US, with their FIPS codes, from the Census Bureau geocoder. It names no street address. A point outside the US is refused free. A slow geocoder is a free 502: ask again after some seconds.',
  tags: ['geocoding', 'reverse', 'census', 'FIPS', 'congressional district'],
  request: z.strictObject({
    lat: z.number().min(-90).max(90).describe('Latitude'),
    lon: z.number().min(-180).max(180).describe('Longitude'),
  }),
  response: z.strictObject({
    lat: z.number(),
    lon: z.number(),
    state: text.describe('Postal code'),
    state_name: text,
    county: text,
    county_fips: text.describe('Five digits: state and county'),
    census_tract: text.describe('Eleven digits: state, county and tract'),
    block_group: text.describe('Twelve digits: the tract and its block group'),
    block: text.describe('Fifteen digits: the tract and its block'),
    congressional_district: text.describe('Four digits: state and district; 00 at large, 98 a delegate'),
    place: text.describe('The incorporated place, if the point lies in one'),
    source: z.string(),
    notice: z.string(),
  }),
  refusals: { outside_coverage: { status: 422, about: 'The point lies in no state or territory of the US' } },
  example: {
    request: { lat: 38.898754, lon: -77.03535 },
    response: {
      lat: 38.898754,
      lon: -77.03535,
      state: 'DC',
      state_name: 'District of Columbia',
      county: 'District of Columbia',
      county_fips: '11001',
      census_tract: '11001006202',
      block_group: '110010062021',
      block: '110010062021031',
      congressional_district: '1198',
      place: 'Washington city',
      source: census.credit,
      notice,
    },
  },
  async answer({ lat, lon }, { find, credit, isSample }, refuse) {
    const refuseOutside = () =>
      refuse('outside_coverage', `${lat}, ${lon} lies in no state or territory of the US`)
    if (!mayBeCovered([lon, lat])) refuseOutside()
    const ground = await find(groundLookup, { lat, lon })
    if (!ground && isSample(census))
      return refuse('outside_coverage', `${onlySamples('point')} near ${lat}, ${lon}`)
    if (!ground) return refuseOutside()
    return { lat, lon, ...ground, source: credit(census), notice }
  },
})
