/** A few well-known addresses in the form of DB-IP City Lite, for a machine that cannot reach a publisher. */
import { gzipSync } from 'node:zlib'
import type { Sample } from '../rails/outside/upstreams/upstream.ts'
import { Float32, mmdb } from './mmdb.ts'

const place = (country_code: string, state1: string, city: string, latitude: number, longitude: number) => ({
  country_code,
  state1,
  state2: '',
  city,
  postcode: '',
  latitude: new Float32(latitude),
  longitude: new Float32(longitude),
  timezone: '',
})

const mountainView = place('US', 'California', 'Mountain View', 37.422, -122.085)
const berkeley = place('US', 'California', 'Berkeley (North Berkeley)', 37.8806, -122.268)
const sydney = place('AU', 'New South Wales', 'Sydney', -33.8688, 151.209)
const sanJose = place('US', 'California', 'San Jose (Tasman and Zanker)', 37.4084, -121.954)
const paris = place('FR', 'Ile-de-France', 'Paris', 48.8575, 2.35138)
const london = place('GB', 'England', 'London', 51.5072, -0.127586)
const columbus = place('US', 'Ohio', 'Columbus', 39.9819, -82.9048)
const montreal = place('CA', 'Quebec', 'Montreal', 45.5019, -73.5674)
const lePort = place('RE', 'Reunion', 'Le Port', -20.9522, 55.3024)

const networks = {
  '1.1.1.0/24': sydney,
  '8.8.8.0/24': mountainView,
  '9.9.9.0/24': berkeley,
  '11.0.0.0/8': columbus,
  '80.67.169.0/24': paris,
  '102.35.0.0/16': lePort,
  '208.67.222.0/24': sanJose,
  '212.58.244.0/24': london,
  '2001:4860::/32': montreal,
  '2606:4700::/32': montreal,
  '2620:fe::/48': berkeley,
  '2a01:e0a::/32': paris,
}

/** Answers from it say that they come from a sample. */
export const sampleIpDatabase = (built: Date): Buffer =>
  mmdb({ type: 'city sample', ipVersion: 6, built, networks })

/** The file of this month is always available. */
export const sample: Sample = ({ path, now }) =>
  path === `/free/dbip-city-lite-${new Date(now).toISOString().slice(0, 7)}.mmdb.gz`
    ? { type: 'application/gzip', body: gzipSync(sampleIpDatabase(new Date(now))) }
    : undefined
