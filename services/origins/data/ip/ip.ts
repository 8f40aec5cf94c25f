import { z } from 'zod'
import type { IpPlace } from '../../../../pipelines/lookups/ip/place.ts'
import { dbIp, dbIpLink } from '../../../../pipelines/lookups/ip/upstream.ts'
import { ipLookup, type KnownNetwork, networkLookup } from '../../../../pipelines/lookups/ip.ts'
import { inEu } from '../../../../schemas/tables/countries.ts'
import { rangeWithoutPlace } from '../../../../schemas/tables/ip-ranges.ts'
import { parseIpAddress } from '../../../../schemas/values/ip-address.ts'
import { defineOperation } from '../../../offer/operation.ts'

const text = z.string().nullable()
const flag = z.boolean().nullable()
const attribution = dbIp.credit

const precision = ({ city, region }: IpPlace): string =>
  `${city ? 'city' : region ? 'region' : 'country'}-level estimate from the network's registration and measurement ` +
  "data; can be tens of kilometres off or show the provider's hub (mobile, VPN, satellite, anycast); not an address or a person"

const networkAnswer = (known: KnownNetwork | undefined) => ({
  network: known?.network ?? null,
  flags: {
    hosting: known?.flags.hosting ?? null,
    tor: known?.flags.tor ?? null,
    relay: known?.flags.relay ?? null,
  },
  network_sources: {
    network: known?.credits.network ?? null,
    hosting: known?.credits.hosting ?? null,
    tor: known?.credits.tor ?? null,
    relay: known?.credits.relay ?? null,
  },
})

export const ip = defineOperation({
  id: 'ipLookup',
  path: '/ip',
  price: '0.002',
  inBrief:
    'Country, city, coordinates, time zone, network (ASN), hosting, Tor and relay flags of an IP address.',
  costs: 'held',
  sold: 'Sold if the country is known.',
  trial: true,
  title: 'Where an IP address is',
  about:
    'Country (and whether it is in the EU), region, city, continent, coordinates, time zone, network (ASN) and hosting, Tor ' +
    'and relay flags of a public IPv4 or IPv6 address, from DB-IP City Lite and what else is at hand. An estimate of the network, not of a person. Private, reserved and translation addresses ' +
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
    time_zone: text.describe('IANA name; null: not known, as of a country or a US state with several'),
    network: z
      .strictObject({ asn: z.int(), organization: text })
      .nullable()
      .describe('The autonomous system that announces the address; null: not known'),
    flags: z
      .strictObject({ hosting: flag, tor: flag, relay: flag })
      .describe('Of a hosting provider, a Tor exit, a relay service; null: this deployment has no such list'),
    network_sources: z
      .strictObject({ network: text, hosting: text, tor: text, relay: text })
      .describe('Whom network and flags come from; null: this deployment has no such database'),
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
      time_zone: 'America/Los_Angeles',
      network: { asn: 15169, organization: 'Google LLC' },
      flags: { hosting: true, tor: false, relay: null },
      network_sources: {
        network: 'DB-IP ASN Lite, CC BY 4.0 (2026-11-01)',
        hosting: 'Example list of hosting prefixes, CC0',
        tor: 'Tor Project, list of exit addresses',
        relay: null,
      },
      precision: precision({ city: 'Mountain View' } as IpPlace),
      database: 'DB-IP City Lite 2026-06',
      attribution,
    },
  },
  async answer(question, { find, isSample }, refuse) {
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
    if (!place)
      return refuse(
        'unknown_address',
        isSample(dbIp)
          ? `The bundled sample of places lacks ${address.text}`
          : `Nothing is known about where ${address.text} is`,
      )
    const { timeZone, ...rest } = place
    const country = place.country && { ...place.country, in_eu: inEu(place.country.code) }
    return {
      ip: address.text,
      ...rest,
      country,
      precision: precision(place),
      attribution,
      time_zone: timeZone,
      ...networkAnswer(await find(networkLookup, address)),
    }
  },
})
