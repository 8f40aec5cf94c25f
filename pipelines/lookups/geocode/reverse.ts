/** Finds the county, the tract and the block that a point lies in. The geocoder names no street address for a point. */
import { z } from 'zod'
import { type Ground, geocodePoints } from '../../../schemas/geocode-points.ts'
import { geocodeLastsMs } from '../../../schemas/geocodes.ts'
import { instant } from '../../../schemas/values/values.ts'
import { readJson } from '../../rails/formats/json.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import { keeping, type Lookup } from '../lookup.ts'
import { areaOf, geographies, layerOf } from './matches.ts'
import { always, census } from './upstream.ts'

interface GroundPoint {
  lat: number
  lon: number
}

/** A metre. Points that are nearer count as one point. */
const digits = 5
const pointText = ({ lat, lon }: GroundPoint) => `${lat.toFixed(digits)},${lon.toFixed(digits)}`

const replied = z.object({ result: z.object({ geographies }) })

/** Undefined if the point lies in no state. */
export const groundLookup: Lookup<GroundPoint, Ground> = {
  name: 'ground',
  timeoutMs: 8_000,
  upstream: census,
  keep: keeping({
    dataset: geocodePoints,
    nameOf: point => sha256(pointText(point)),
    write: (point_hash, { value, at }) => ({ point_hash, fetched_at: instant(at), ...(value ?? nothing) }),
    read: ({ point_hash: _, fetched_at, ...ground }) => ({
      value: ground.state_name === null ? undefined : ground,
      at: Date.parse(fetched_at),
    }),
    lasts: () => ({ freshMs: geocodeLastsMs.found, staleMs: geocodeLastsMs.found }),
    most: 50_000,
    fetchMs: 60_000,
  }),
  open: () => ({ find: readGround }),
}

const nothing: Ground = {
  state: null,
  state_name: null,
  county: null,
  county_fips: null,
  census_tract: null,
  block_group: null,
  block: null,
  congressional_district: null,
  place: null,
}

async function readGround({ lat, lon }: GroundPoint, outside: Outside): Promise<Ground | undefined> {
  const asked = { x: lon.toFixed(digits), y: lat.toFixed(digits), ...always }
  const reply = await outside.get(census, `/geocoder/geographies/coordinates?${new URLSearchParams(asked)}`, {
    accept: 'application/json',
    // Its firewall and its maintenance page answer 200 as well.
    proof: ({ status, text }) => status === 200 && text().includes('"geographies"'),
  })
  const found = readJson(replied, reply.text(), reply.from).result.geographies
  const [state, county, tract] = [/^States$/, /^Counties$/, /^Census Tracts$/].map(name =>
    layerOf(found, name),
  )
  if (!state?.NAME) return undefined
  return {
    state: state.STUSAB || null,
    state_name: state.NAME,
    county: county?.NAME || null,
    county_fips: county?.GEOID || null,
    census_tract: tract?.GEOID || null,
    ...areaOf(found),
    block: layerOf(found, /Census Blocks$/)?.GEOID || null,
    place: layerOf(found, /^Incorporated Places$/)?.NAME || null,
  }
}
