/** Packs a release into records of the log, and unpacks it when all its parts are there. */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ReleasePart } from '../../../schemas/market-weeks.ts'
import type { Release } from '../../../schemas/values/market-release.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

/** The limit for the text of a release. A longer text is not ours. */
const mostBytes = 256 << 20
/** In characters of base64. A record may hold 1 MB. */
const partLength = 700_000

export function toParts(text: string, { week, builtAt }: { week: string; builtAt: string }): ReleasePart[] {
  const release = sha256(text)
  const body = gzipSync(text, { level: 9 }).toString('base64')
  const parts = Math.ceil(body.length / partLength)
  return Array.from({ length: parts }, (_, part) => ({
    release,
    week,
    built_at: builtAt,
    part,
    parts,
    body: body.slice(part * partLength, (part + 1) * partLength),
  }))
}

export interface WholeRelease {
  sha256: string
  builtAt: string
  content: Release
}

/** The latest release whose parts are all there. */
export function newestWhole(rows: Iterable<ReleasePart>): WholeRelease | undefined {
  const whole = Map.groupBy(rows, ({ release }) => release)
    .values()
    .filter(parts => parts.length === parts[0]?.parts)
    .toArray()
    .sort(([a], [b]) => ((a as ReleasePart).built_at < (b as ReleasePart).built_at ? 1 : -1))[0]
  const [first] = whole ?? []
  if (!whole || !first) return undefined
  const body = whole.sort((a, b) => a.part - b.part).map(({ body }) => body)
  const text = gunzipSync(Buffer.from(body.join(''), 'base64'), { maxOutputLength: mostBytes }).toString()
  if (sha256(text) !== first.release)
    throw new Error(`the release ${first.release} does not have the hash that names it`)
  return { sha256: first.release, builtAt: first.built_at, content: JSON.parse(text) as Release }
}
