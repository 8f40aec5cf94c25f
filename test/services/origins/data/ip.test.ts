import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ipLookup, networkLookup } from '../../../../pipelines/lookups/ip.ts'
import type { OpenLookup } from '../../../../pipelines/lookups/lookup.ts'
import { sampleIpDatabase } from '../../../../pipelines/samples/ip-database.ts'
import { mmdb } from '../../../../pipelines/samples/mmdb.ts'
import { errorBody, Refused } from '../../../../services/offer/errors.ts'
import type { Tools } from '../../../../services/offer/operation.ts'
import { ip } from '../../../../services/origins/data/ip/ip.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { nestedFile, nestedPlace, outsideOf } from '../../../pipelines/lookups/ip/databases.ts'
import { testRecorded } from '../../../samples.ts'
import { ask, askText } from '../ask.ts'

const now = () => Date.parse('2026-11-21T12:00:00Z')
const attribution = 'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0'
const estimate =
  "-level estimate from the network's registration and measurement data; can be tens of kilometres off or show the " +
  "provider's hub (mobile, VPN, satellite, anycast); not an address or a person"

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ip-operation-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Asks the operation as the server does, with the database at a path. */
async function over(database: string, ipExtras?: string) {
  const outside = outsideOf('http://127.0.0.1:9', now)
  const places = ipLookup.open({ dataDir: dir, ipDatabase: database })
  const networks = networkLookup.open({ ipExtras })
  for (const { prepare } of [places, networks]) await prepare?.run(outside)
  const find: Tools['find'] = (lookup, key) =>
    ((lookup.name === networkLookup.name ? networks : places) as OpenLookup).find(
      key,
      outside,
    ) as Promise<never>
  return { shelf: new Shelf(now), now, find }
}

const refused = (body: unknown, asking: Parameters<typeof ask>[2]) =>
  ask(ip, body, asking).then(
    answer => expect.unreachable(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => {
      expect(error).toBeInstanceOf(Refused)
      const { code, status, message } = error as Refused
      return { status, ...errorBody(code, message) }
    },
  )

describe('over the sample database', () => {
  let asking: Awaited<ReturnType<typeof over>>
  beforeAll(async () => {
    const file = join(dir, 'sample.mmdb')
    await writeFile(file, sampleIpDatabase(new Date('2026-11-01T00:00:00Z')))
    asking = await over(file)
  })

  test('8.8.8.8, as it is printed', async () => {
    expect(await askText(ip, { ip: '8.8.8.8' }, asking)).toBe(
      '{"ip":"8.8.8.8","country":{"code":"US","name":"United States","in_eu":false},"region":"California",' +
        '"city":"Mountain View","continent":{"code":"NA","name":"North America"},"latitude":37.422,' +
        '"longitude":-122.085,"database":"DB-IP City Lite 2026-11 (sample)",' +
        `"precision":"city${estimate}","attribution":"${attribution}",` +
        '"time_zone":"America/Los_Angeles","network":null,"flags":{"hosting":null,"tor":null,"relay":null},' +
        '"network_sources":{"network":null,"hosting":null,"tor":null,"relay":null}}',
    )
  })

  test.each([
    ['2606:4700:4700::1111', '2606:4700:4700::1111', 'Montreal'],
    ['2606:4700:4700:0:0:0:0:1111', '2606:4700:4700::1111', 'Montreal'],
    ['2620:FE::FE', '2620:fe::fe', 'Berkeley (North Berkeley)'],
    ['::ffff:8.8.8.8', '8.8.8.8', 'Mountain View'],
    [' 1.1.1.1 ', '1.1.1.1', 'Sydney'],
    ['11.0.0.1', '11.0.0.1', 'Columbus'],
  ])('%s is %s in %s', async (asked, text, city) => {
    expect(await ask(ip, { ip: asked }, asking)).toMatchObject({ ip: text, city, attribution })
  })

  test.each([
    ['102.35.0.1', 'RE', true],
    ['80.67.169.12', 'FR', true],
    ['212.58.244.70', 'GB', false],
  ])('%s is in %s, in the EU: %s', async (asked, code, in_eu) => {
    expect(await ask(ip, { ip: asked }, asking)).toMatchObject({ country: { code, in_eu } })
  })

  test.each(['', '010.8.8.8', '8.8.8', '8.8.8.8:53', '8.8.8.0/24', '[::1]', 'fe80::1%eth0', 'example.com'])(
    'invalid_ip: %j',
    async asked => {
      const body = await refused({ ip: asked }, asking)
      expect(body).toMatchObject({ status: 400, error: 'invalid_ip', charged: false })
      expect(body.message).toMatch(/Nothing was charged\.$/)
      if (asked) expect(body.message).not.toContain(asked)
    },
  )

  test('reserved_address names the range', async () => {
    expect(await refused({ ip: '100.64.1.2' }, asking)).toEqual({
      status: 422,
      error: 'reserved_address',
      message:
        '100.64.1.2 is in 100.64.0.0/10 (carrier-grade NAT), which has no public location. Nothing was charged.',
      charged: false,
    })
  })

  test.each([
    '::ffff:10.0.0.1',
    '192.168.1.1',
    '::1',
    '::8.8.8.8',
    '2002:808:808::1',
    '64:ff9b::8.8.8.8',
    '4000::1',
  ])('reserved_address: %s', async asked => {
    expect(await refused({ ip: asked }, asking)).toMatchObject({ status: 422, error: 'reserved_address' })
  })

  test.each(['223.255.255.254', '2a00::1'])('unknown_address: %s', async asked => {
    expect(await refused({ ip: asked }, asking)).toMatchObject({
      status: 422,
      error: 'unknown_address',
      message: `Nothing is known about where ${asked} is. Nothing was charged.`,
    })
    expect(await refused({ ip: asked }, { ...asking, sampled: true })).toMatchObject({
      message: `The bundled sample of places lacks ${asked}. Nothing was charged.`,
    })
  })

  test.each([undefined, {}, { ip: 8 }, { ip: ['8.8.8.8'] }, { ip: '8.8.8.8', lang: 'en' }, '8.8.8.8'])(
    '%j is not a question',
    async body => {
      await expect(ask(ip, body, asking)).rejects.toMatchObject({ code: 'invalid_request' })
    },
  )
})

test('parts that a record lacks are null, and the precision says how far it goes', async () => {
  const file = join(dir, 'parts.mmdb')
  const country = { iso_code: 'DE', names: { en: 'Germany' } }
  const networks = {
    '20.0.0.0/8': { country },
    '21.0.0.0/8': { country, subdivisions: [{ names: { en: 'Hesse' } }] },
    '22.0.0.0/8': { country: { iso_code: 'ZZ' }, city: { names: { en: 'Atlantis' } } },
    '23.0.0.0/8': { country: { iso_code: 'ZZ' } },
    '24.0.0.0/8': nestedPlace('US', 'Denver'),
  }
  await writeFile(file, nestedFile('2026-11-01', { networks }))
  const asking = await over(file)
  expect(await ask(ip, { ip: '20.0.0.1' }, asking)).toEqual({
    ip: '20.0.0.1',
    country: { code: 'DE', name: 'Germany', in_eu: true },
    region: null,
    city: null,
    continent: { code: 'EU', name: 'Europe' },
    latitude: null,
    longitude: null,
    database: 'DB-IP City Lite 2026-11',
    precision: `country${estimate}`,
    attribution,
    time_zone: null,
    network: null,
    flags: { hosting: null, tor: null, relay: null },
    network_sources: { network: null, hosting: null, tor: null, relay: null },
  })
  expect((await ask(ip, { ip: '21.0.0.1' }, asking)).precision).toBe(`region${estimate}`)
  expect(await ask(ip, { ip: '22.0.0.1' }, asking)).toMatchObject({ country: null, city: 'Atlantis' })
  expect(await refused({ ip: '23.0.0.1' }, asking)).toMatchObject({ error: 'unknown_address' })
  expect((await ask(ip, { ip: '24.0.0.1' }, asking)).continent).toEqual({ code: 'NA', name: 'North America' })
})

test('the network, the flags and their sources come from the operator’s folder', async () => {
  const [file, folder] = [join(dir, 'cities.mmdb'), await mkdtemp(join(dir, 'extras-'))]
  await writeFile(file, nestedFile('2026-11-01'))
  const asn = { autonomous_system_number: 15169, autonomous_system_organization: 'Google LLC' }
  const built = new Date('2026-11-01T00:00:00Z')
  const database = mmdb({ type: 'DBIP-ASN-Lite', ipVersion: 6, built, networks: { '8.8.8.0/24': asn } })
  await writeFile(join(folder, 'asn.mmdb'), database)
  await writeFile(join(folder, 'hosting.txt'), '# A list of hosts, CC0\n8.0.0.0/9\n')
  await writeFile(join(folder, 'tor.txt'), '# Tor Project\n1.1.1.1\n2606:4700:4700::1111\n')
  const asking = await over(file, folder)
  expect(await ask(ip, { ip: '8.8.8.8' }, asking)).toMatchObject({
    network: { asn: 15169, organization: 'Google LLC' },
    flags: { hosting: true, tor: false, relay: null },
    network_sources: {
      network: 'DBIP-ASN-Lite (2026-11-01)',
      hosting: 'A list of hosts, CC0',
      tor: 'Tor Project',
      relay: null,
    },
  })
  expect(await ask(ip, { ip: '1.1.1.1' }, asking)).toMatchObject({
    network: null,
    flags: { hosting: false, tor: true },
  })
  expect((await ask(ip, { ip: '2606:4700:4700::1111' }, asking)).flags.tor).toBe(true)
})

test('the time zone comes from the record, or from a country or US state with only one', async () => {
  const file = join(dir, 'zones.mmdb')
  const networks = {
    '20.0.0.0/8': { country: { iso_code: 'FR' } },
    '21.0.0.0/8': { country: { iso_code: 'US' } },
    '22.0.0.0/8': { country: { iso_code: 'US' }, location: { time_zone: 'America/Denver' } },
    '23.0.0.0/8': { country_code: 'AU', timezone: 'Australia/Sydney' },
    '24.0.0.0/8': { country_code: 'US', state1: 'Hawaii' },
    '25.0.0.0/8': { country_code: 'US', state1: 'Tennessee' },
  }
  await writeFile(file, nestedFile('2026-11-01', { networks }))
  const asking = await over(file)
  const zones = ['20', '21', '22', '23', '24', '25'].map(
    async first => (await ask(ip, { ip: `${first}.0.0.1` }, asking)).time_zone,
  )
  expect(await Promise.all(zones)).toEqual([
    'Europe/Paris',
    null,
    'America/Denver',
    'Australia/Sydney',
    'Pacific/Honolulu',
    null,
  ])
})

test('the example is an answer, and the description fits the quote', () => {
  expect(ip.response.parse(ip.example.response)).toEqual(ip.example.response)
  expect(ip.request.parse(ip.example.request)).toEqual(ip.example.request)
  expect(ip.about.length).toBeLessThanOrEqual(450)
})

interface Recorded {
  ip: string
  db: 'ipv4' | 'ipv6'
  note?: string
  result:
    | null
    | (Record<'city' | 'country_code' | 'state1', string> & Record<'latitude' | 'longitude', number>)
}
testRecorded('the published database answers as it was recorded', async ({ samples, skip }) => {
  const { IP_DATABASE: real } = process.env
  if (!real) return skip('IP_DATABASE is unset')
  const asking = await over(real)
  const recorded = JSON.parse(await readFile(join(samples, 'h-ip/lookups-shared.json'), 'utf8'))
  const fitting = (recorded.lookups as Recorded[]).filter(({ note }) => note === undefined)
  expect(fitting.length).toBeGreaterThan(20)
  for (const { ip: asked, result } of fitting) {
    if (!result) {
      expect(await refused({ ip: asked }, asking)).toMatchObject({ status: 422 })
      continue
    }
    const answer = await ask(ip, { ip: asked }, asking)
    const { city, region, country, latitude, longitude } = answer
    expect({ city, state1: region, country_code: country?.code }, asked).toEqual({
      city: result.city,
      state1: result.state1,
      country_code: result.country_code,
    })
    expect(
      [latitude, longitude].map(n => Math.fround(n as number)),
      asked,
    ).toEqual([result.latitude, result.longitude])
    expect(JSON.stringify([latitude, longitude]), asked).toMatch(/^\[-?\d+(\.\d{1,6})?,-?\d+(\.\d{1,6})?\]$/)
  }
})

test('a database of neither family is told apart from an empty one', async () => {
  const file = join(dir, 'neither.mmdb')
  await writeFile(file, mmdb({ type: 'City', ipVersion: 5 as 4, built: new Date(now()), networks: {} }))
  await expect(over(file)).rejects.toThrow(/cannot be opened/)
})
