/** Finds the place of a US street address. The Census geocoder is slow and often down, so we ask it once per address. */
import { z } from 'zod'
import { geocodeLastsMs, geocodes, nowhere } from '../../schemas/geocodes.ts'
import { instant } from '../../schemas/values/values.ts'
import { readJson } from '../rails/formats/json.ts'
import type { Answer, Outside } from '../rails/outside/upstreams/outside.ts'
import { addressHash, urbanization, wordings } from './geocode/address.ts'
import { type Located, matchesOf, ranked, replied } from './geocode/matches.ts'
import { always, census } from './geocode/upstream.ts'
import { keeping, type Lookup } from './lookup.ts'

export { oneLine } from './geocode/address.ts'
export { type Located, matchQuality, qualityOf } from './geocode/matches.ts'
export { groundLookup } from './geocode/reverse.ts'

interface Geocoded {
  /** The best match comes first. */
  matches: Located[]
  hint: string | null
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
      matches: (value?.matches ?? []).map(
        ({ block_group: _, congressional_district: __, ...match }) => match,
      ),
      areas: (value?.matches ?? []).map(({ block_group, congressional_district }) => ({
        block_group,
        congressional_district,
      })),
      hint: value?.hint ?? null,
    }),
    read: ({ matches, areas, hint, fetched_at }) => ({
      value: { matches: matches.map((match, i) => ({ ...match, ...(areas[i] ?? nowhere) })), hint },
      at: Date.parse(fetched_at),
    }),
    lasts: value => {
      const ms = value?.matches.length ? geocodeLastsMs.found : geocodeLastsMs.notFound
      return { freshMs: ms, staleMs: ms }
    },
    most: 50_000,
    fetchMs: 90_000,
  }),
  open: () => ({ find: geocoded }),
}

async function geocoded(address: string, outside: Outside): Promise<Geocoded> {
  for (const [i, path] of questions(address).entries()) {
    const { matches, hint } = await ask(path, outside)
    if (hint !== null && i === 0) return { matches: [], hint }
    if (matches.length) return { matches: ranked(matches, address), hint: null }
  }
  return { matches: [], hint: null }
}

const mostQuestions = 3

function questions(address: string): string[] {
  const pathOf = (search: string, asked: Record<string, string>) =>
    `/geocoder/geographies/${search}?${new URLSearchParams({ ...asked, ...always })}`
  const urb = urbanization(address)
  const lines = wordings(address).map(text => pathOf('onelineaddress', { address: text }))
  return urb
    ? [...lines.slice(0, mostQuestions - 1), pathOf('addressPR', urb)]
    : lines.slice(0, mostQuestions)
}

const complaints = z.object({ errors: z.array(z.string()) })
const complaint = /"errors"\s*:\s*\[/

/** Its firewall and its maintenance page answer 200 too. An answer without a result is a failure, and is tried again. */
const isReply = ({ status, text }: Answer): boolean =>
  (status === 200 && text().includes('"addressMatches"')) || (status === 400 && complaint.test(text()))

async function ask(path: string, outside: Outside): Promise<Geocoded> {
  const reply = await outside.get(census, path, { accept: 'application/json', proof: isReply })
  if (reply.status === 400)
    return { matches: [], hint: readJson(complaints, reply.text(), reply.from).errors.join('; ') }
  return { matches: matchesOf(readJson(replied, reply.text(), reply.from)), hint: null }
}
