/** Small databases in both published shapes, and a server that publishes them. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createOutside } from '../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import type { Outside } from '../../../../pipelines/rails/outside/upstreams/outside.ts'
import { Float32, type Mmdb, mmdb } from '../../../../pipelines/samples/mmdb.ts'

const nestedPlace = (country: string, city: string, inEu = false) => ({
  city: { names: { en: city } },
  continent: { code: 'NA', geoname_id: 6255149, names: { en: 'North America' } },
  country: { geoname_id: 1, is_in_european_union: inEu, iso_code: country, names: { en: `The ${country}` } },
  location: { latitude: 37.4225, longitude: -122.085 },
  subdivisions: [{ names: { en: `Region of ${city}` } }],
})
const flatPlace = (country_code: string, city: string) => ({
  country_code,
  state1: `Region of ${city}`,
  state2: '',
  city,
  postcode: '',
  latitude: new Float32(37.422),
  longitude: new Float32(-122.085),
  timezone: '',
})

const canaries4 = ['8.8.8.0/24', '1.1.1.0/24'] as const
const canary6 = '2606:4700::/32'

/** DB-IP's own form: one file for both families. */
export const nestedFile = (built: string, change: Partial<Mmdb> = {}): Buffer =>
  mmdb({
    type: 'DBIP-City-Lite (compat=City)',
    ipVersion: 6,
    built: new Date(built),
    ...change,
    networks: {
      [canaries4[0]]: nestedPlace('US', 'Mountain View'),
      [canaries4[1]]: nestedPlace('AU', 'Sydney'),
      [canary6]: nestedPlace('CA', 'Montreal'),
      ...change.networks,
    },
  })

/** The npm package's form: a file per family. Read as IPv4, the first two groups of the IPv6 canary are in Oslo. */
export const flatFiles = (built: string): { v4: Buffer; v6: Buffer } => ({
  v4: mmdb({
    type: 'city ipv4',
    ipVersion: 4,
    built: new Date(built),
    networks: {
      [canaries4[0]]: flatPlace('US', 'Mountain View'),
      [canaries4[1]]: flatPlace('AU', 'Sydney'),
      '38.6.0.0/16': flatPlace('NO', 'Oslo'),
    },
  }),
  v6: mmdb({
    type: 'city ipv6',
    ipVersion: 6,
    built: new Date(built),
    networks: { [canary6]: flatPlace('CA', 'Montreal') },
  }),
})

export { nestedPlace }

/** Serves the current `files`, and remembers the requested names. */
export async function startDownloads() {
  const files = new Map<string, Buffer>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const name = (request.url ?? '').replace('/free/', '')
    asked.push(name)
    const file = files.get(name)
    if (file) response.end(file)
    else response.writeHead(404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    files,
    asked,
    close: () =>
      new Promise<void>(resolve => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export const outsideOf = (url: string, now: () => number, signal = new AbortController().signal): Outside =>
  createOutside({ at: { DBIP_URL: url }, contact: 'test', now })(signal)
