/**
 * Networks (ASN) in the files of the npm package @ip-location-db/asn: ranges of addresses as numbers, sorted. To find an
 * address costs about 20 steps.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { z } from 'zod'
import type { IpAddress } from '../../../schemas/values/ip-address.ts'

export interface Network {
  asn: number
  organization: string | null
}

export const rangeFiles = { 4: 'asn-ipv4-num.csv', 6: 'asn-ipv6-num.csv' } as const
export const rangePackage = 'package.json'

/** Reading half a million lines at once would hold up every caller. */
const linesAtOnce = 2_000
const line = /^(\d+),(\d+),(\d+),(?:"((?:[^"]|"")*)"|([^"]*))$/

interface Ranges {
  /** Numbers for IPv4, because they cost less than bigints. */
  starts: (number | bigint)[]
  ends: (number | bigint)[]
  asns: number[]
  organizations: string[]
}

export async function openRanges(path: string): Promise<Ranges> {
  const ranges: Ranges = { starts: [], ends: [], asns: [], organizations: [] }
  const known = new Map<string, string>()
  const read = path.endsWith(rangeFiles[4]) ? Number : BigInt
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  let last: number | bigint = -1
  for (const [i, text] of lines.entries()) {
    if (i % linesAtOnce === 0) await setImmediate()
    const [, first, end, asn, quoted, plain] = line.exec(text) ?? []
    if (first === undefined || end === undefined)
      throw new Error(`line ${i + 1} is "${text.slice(0, 60)}", which is not a range of a network`)
    const start = read(first)
    const until = read(end)
    // The published file has ranges that overlap the next one. There the next one is right, because it begins later.
    if (start <= last || until < start) throw new Error(`line ${i + 1} is not behind the line before it`)
    last = start
    const name = quoted?.replaceAll('""', '"') ?? plain ?? ''
    ranges.starts.push(start)
    ranges.ends.push(until)
    ranges.asns.push(Number(asn))
    // All ranges of an organisation share one text.
    ranges.organizations.push(known.get(name) ?? name)
    known.set(name, name)
  }
  return ranges
}

export function networkOf(ranges: Ranges, { family, value }: IpAddress): Network | null {
  const { starts, ends, asns, organizations } = ranges
  const wanted = family === 4 ? Number(value) : value
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] as bigint) <= wanted) low = middle + 1
    else high = middle
  }
  const at = low - 1
  const asn = asns[at]
  return asn && wanted <= (ends[at] as bigint) ? { asn, organization: organizations[at] || null } : null
}

const about = z.object({ name: z.string(), version: z.string() })

/** The package states the day of its data. Its terms ask us to name its own sources. */
export async function creditOfRanges(folder: string): Promise<string> {
  const { name, version } = about.parse(JSON.parse(await readFile(join(folder, rangePackage), 'utf8')))
  return `${name} ${version}, from Route Views (routeviews.org), IP Geolocation by DB-IP (https://db-ip.com) and NRO (nro.net), CC BY 4.0`
}
