import { z } from 'zod'
import type { Place } from '../../../../pipelines/lookups/ip/place.ts'
import { dbIp, dbIpLink } from '../../../../pipelines/lookups/ip/upstream.ts'
import { ipLookup } from '../../../../pipelines/lookups/ip.ts'
import { inEu } from '../../../../schemas/countries.ts'
import { parseIpAddress } from '../../../../schemas/ip-address.ts'
import { rangeWithoutPlace } from '../../../../schemas/ip-ranges.ts'
import { defineOperation } from '../../../operation.ts'

const text = z.string().nullable()
const attribution = dbIp.credit

const precision = ({ city, region }: Place): string =>
  `${city ? 'city' : region ? 'region' : 'country'}-level estimate from the network's registration and measurement ` +
  "data; can be tens of kilometres off or show the provider's hub (mobile, VPN, satellite, anycast); not an address or a person"

export const ip = defineOperation({
  id: 'ipLookup',
  path: '/ip',
  price: '0.002',
  costs: 'held',
  trial: true,
  title: 'Where an IP address is',
  about:
    'Country (and whether it is in the EU), region, city, continent and coordinates of a public IPv4 or IPv6 address, ' +
    'from DB-IP City Lite. An estimate of the network, not of a person. Private, reserved and translation addresses ' +
    'are refused free.',
  tags: ['ip', 'geolocation', 'country', 'city', 'eu'],
  attribution: dbIpLink,
  request: z.strictObject({
    ip: z.string().meta({ description: 'An IPv4 or IPv6 address, without port, prefix length or zone' }),
  }),
  response: z.strictObject({
    ip: z.string().meta({ description: 'The address looked up, in canonical form' }),
    country: z.strictObject({ code: text, name: text, in_eu: z.boolean() }).nullable(),
    region: text,
    city: text,
    continent: z.strictObject({ code: z.string(), name: text }).nullable(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    precision: z.string(),
    database: z.string(),
    attribution: z.string(),
  }),
  refusals: {
    invalid_ip: { status: 400, about: 'The text is not an IPv4 or IPv6 address' },
    reserved_address: { status: 422, about: 'The address is private, reserved or of a translation prefix' },
    unknown_address: { status: 422, about: 'The database does not even know the country of the address' },
  },
  example: {
    request: { ip: '8.8.8.8' },
    response: {
      ip: '8.8.8.8',
      country: { code: 'US', name: 'United States', in_eu: false },
      region: 'California',
      city: 'Mountain View',
      continent: { code: 'NA', name: 'North America' },
      latitude: 37.422,
      longitude: -122.085,
      precision: precision({ city: 'Mountain View' } as Place),
      database: 'DB-IP City Lite 2026-06',
      attribution,
    },
  },
  async answer(question, { find }, refuse) {
    const address = parseIpAddress(question.ip)
    if (!address)
      return refuse(
        'invalid_ip',
        'ip is not an address: four numbers from 0 to 255 without leading zeros, or IPv6',
      )
    const range = rangeWithoutPlace(address)
    if (range)
      return refuse(
        'reserved_address',
        `${address.text} is in ${range.prefix} (${range.name}), which has no public location`,
      )
    const place = await find(ipLookup, address)
    if (!place) return refuse('unknown_address', `Nothing is known about where ${address.text} is`)
    const country = place.country && { ...place.country, in_eu: inEu(place.country.code) }
    return { ip: address.text, ...place, country, precision: precision(place), attribution }
  },
})
