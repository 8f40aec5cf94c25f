/** Where a US street address is, by the Census geocoder: slow, often away, and asked once per address. */
import { z } from 'zod'
import { type GeocodeMatch, geocodeLastsMs, geocodes } from '../../schemas/geocodes.ts'
import { instant } from '../../schemas/values.ts'
import { readJson } from '../json.ts'
import type { Outside } from '../outside/outside.ts'
import { addressHash, urbanization, wordings } from './geocode/address.ts'
import { matchesOf, ranked, replied } from './geocode/matches.ts'
import { keeping, type Lookup, type Upstream } from './lookup.ts'

export { oneLine } from './geocode/address.ts'

export interface Geocoded {
  /** Best first. */
  matches: GeocodeMatch[]
  hint: string | null
}

/** A single site that has been seen to take 14 s; what takes longer than this is not coming. */
const census: Upstream = {
  name: 'CENSUS_URL',
  timeoutMs: 25_000,
  pausesMs: [500],
  atOnce: 4,
  mostWaiting: 64,
  circuit: { failures: 5, openMs: 30_000 },
}

const always = {
  benchmark: 'Public_AR_Current',
  vintage: 'Current_Current',
  layers: 'States,Counties,Census Tracts',
  format: 'json',
}

export const geocodeLookup: Lookup<string, Geocoded> = {
  name: 'geocode',
  timeoutMs: 8_000,
  upstream: census,
  keep: keeping({
    dataset: geocodes,
    nameOf: addressHash,
    write: (address_hash, { value, at }) => ({
      address_hash,
      fetched_at: instant(at),
      matches: value?.matches ?? [],
      hint: value?.hint ?? null,
    }),
    read: ({ matches, hint, fetched_at }) => ({ value: { matches, hint }, at: Date.parse(fetched_at) }),
    lasts: value => {
      const ms = value?.matches.length ? geocodeLastsMs.found : geocodeLastsMs.notFound
      return { freshMs: ms, staleMs: ms }
    },
    most: 50_000,
    fetchMs: 90_000,
  }),
  async find(address, outside) {
    for (const [i, url] of questions(address, outside.at.CENSUS_URL).entries()) {
      const { matches, hint } = await ask(url, outside)
      if (hint !== null && i === 0) return { matches: [], hint }
      if (matches.length) return { matches: ranked(matches, address), hint: null }
    }
    return { matches: [], hint: null }
  },
}

const mostQuestions = 3

function questions(address: string, base: string): string[] {
  const urlOf = (search: string, asked: Record<string, string>) =>
    `${base}/geocoder/geographies/${search}?${new URLSearchParams({ ...asked, ...always })}`
  const urb = urbanization(address)
  const lines = wordings(address).map(text => urlOf('onelineaddress', { address: text }))
  return urb ? [...lines.slice(0, mostQuestions - 1), urlOf('addressPR', urb)] : lines.slice(0, mostQuestions)
}

const complaints = z.object({ errors: z.array(z.string()) })
const complaint = /"errors"\s*:\s*\[/

/** Its firewall and its maintenance answer 200 with a page: what has no result is a failure, and tried again. */
const isReply = (status: number, text: string): boolean =>
  (status === 200 && text.includes('"addressMatches"')) || (status === 400 && complaint.test(text))

async function ask(url: string, outside: Outside): Promise<Geocoded> {
  const reply = await outside.get(url, { accept: 'application/json', proof: isReply })
  if (reply.status === 400)
    return { matches: [], hint: readJson(complaints, reply.text(), census.name).errors.join('; ') }
  return { matches: matchesOf(readJson(replied, reply.text(), census.name)), hint: null }
}
