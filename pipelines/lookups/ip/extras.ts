/**
 * A folder of files with more facts about addresses: an .mmdb of autonomous systems or the files of an npm package,
 * and lists of prefixes named hosting.txt, tor.txt and relay.txt. Each file is optional; without it, its facts are
 * unknown.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AsnResponse, Reader } from 'maxmind'
import type { IpAddress } from '../../../schemas/values/ip-address.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import {
  creditOfRanges,
  type Network,
  networkOf,
  openRanges,
  rangeFiles,
  rangePackage,
} from './network-ranges.ts'
import { Prefixes } from './prefixes.ts'

const kinds = ['hosting', 'tor', 'relay'] as const
type Kind = (typeof kinds)[number]

export interface KnownNetwork {
  /** Undefined if there is no database of networks. Null if it does not know the address. */
  network: Network | null | undefined
  /** Undefined if there is no such list. */
  flags: Record<Kind, boolean | undefined>
  /** The source to credit for each of them. */
  credits: Partial<Record<Kind | 'network', string>>
}

export interface Extras {
  find(address: IpAddress): KnownNetwork
}

/** A text that changes with the files. */
export async function stateOf(folder: string): Promise<string> {
  const files = await Promise.all(
    (await namesIn(folder)).map(async name => [name, await stat(join(folder, name))] as const),
  )
  return JSON.stringify(files.map(([name, { ino, size, mtimeMs }]) => [name, ino, size, mtimeMs]))
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    const known = [...kinds.map(kind => `${kind}.txt`), ...Object.values(rangeFiles), rangePackage]
    return (await readdir(folder)).filter(name => name.endsWith('.mmdb') || known.includes(name)).sort()
  } catch (error) {
    throw new UpstreamFailed(
      `the folder ${folder} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
}

/** Rejects with UpstreamFailed for a file that cannot be read. */
export async function openExtras(folder: string): Promise<Extras> {
  const networks: Reader<AsnResponse>[] = []
  const lists = new Map<Kind, { prefixes: Prefixes; credit: string }>()
  const ranges = new Map<string, Awaited<ReturnType<typeof openRanges>>>()
  let ofRanges: string | undefined
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    try {
      if (name === rangePackage) continue
      if (name.endsWith('.mmdb')) networks.push(networkReader(await readFile(path)))
      else if (name.endsWith('.csv')) {
        ofRanges ??= await creditOfRanges(folder)
        ranges.set(name, await openRanges(path))
      } else lists.set(name.slice(0, -'.txt'.length) as Kind, listOf(await readFile(path, 'utf8'), name))
    } catch (error) {
      throw new UpstreamFailed(`${path} cannot be used: ${error instanceof Error ? error.message : error}`)
    }
  }
  const [first] = networks
  const credit = first ? creditOf(first) : ofRanges
  const credits: KnownNetwork['credits'] = Object.fromEntries([
    ...(credit ? [['network', credit]] : []),
    ...[...lists].map(([kind, { credit }]) => [kind, credit]),
  ])
  const inRanges = (address: IpAddress) => {
    const found = ranges.get(rangeFiles[address.family])
    return found ? networkOf(found, address) : ranges.size ? null : undefined
  }
  return {
    find: address => ({
      network: networks.length ? networkIn(networks, address) : inRanges(address),
      flags: Object.fromEntries(
        kinds.map(kind => [kind, lists.get(kind)?.prefixes.has(address)]),
      ) as KnownNetwork['flags'],
      credits,
    }),
  }
}

function networkReader(file: Buffer): Reader<AsnResponse> {
  const reader = new Reader<AsnResponse>(file)
  const { databaseType } = reader.metadata
  if (!/asn|isp/i.test(databaseType)) throw new Error(`it is a database of ${databaseType}, not of networks`)
  return reader
}

/** One file of both families, or one for each. In an IPv4 file an IPv6 address finds a wrong network. */
function networkIn(readers: readonly Reader<AsnResponse>[], { family, text }: IpAddress): Network | null {
  const reader =
    readers.find(({ metadata }) => metadata.ipVersion === family) ??
    readers.find(({ metadata }) => metadata.ipVersion === 6)
  const found = reader?.get(text)
  return found?.autonomous_system_number
    ? { asn: found.autonomous_system_number, organization: found.autonomous_system_organization || null }
    : null
}

function creditOf({ metadata: { databaseType, description, buildEpoch } }: Reader<AsnResponse>): string {
  const said = (description as { en?: string } | undefined)?.en || databaseType
  return `${said} (${buildEpoch.toISOString().slice(0, 10)})`
}

/** A prefix or an address per line. The first comment names the list's owner. */
function listOf(text: string, name: string) {
  const lines = text.split(/\r?\n/).map(line => line.trim())
  const credit = lines.find(line => line.startsWith('#'))?.replace(/^#+\s*/, '')
  if (!credit) throw new Error('its first comment (# ...) must say whose list it is and under which licence')
  return {
    credit,
    prefixes: new Prefixes(
      lines.filter(line => line && !line.startsWith('#')),
      name,
    ),
  }
}
