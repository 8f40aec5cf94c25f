/** A database of places, held completely in memory. A lookup takes at most 128 steps and asks nobody. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type CityResponse, Reader } from 'maxmind'
import type { IpAddress } from '../../../schemas/values/ip-address.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import { countryCodeOf, type IpPlace, type IpRecord, placeOf } from './place.ts'

export class IpDatabase {
  readonly built: Date
  /** The database's name in answers. */
  readonly title: string
  readonly #readers: {
    readonly 4: Reader<CityResponse> | undefined
    readonly 6: Reader<CityResponse> | undefined
  }
  readonly types: readonly string[]

  /**
   * One file for both families, or one for each. They are kept apart, because in an IPv4 file an IPv6 address finds a
   * wrong place.
   */
  constructor(files: readonly Buffer[]) {
    const readers = files.map(file => new Reader<CityResponse>(file))
    const newest = readers.sort((a, b) => b.metadata.buildEpoch.getTime() - a.metadata.buildEpoch.getTime())
    const six = newest.find(reader => reader.metadata.ipVersion === 6)
    this.#readers = { 4: newest.find(reader => reader.metadata.ipVersion === 4) ?? six, 6: six }
    const used = [...new Set(Object.values(this.#readers))].filter(reader => reader !== undefined)
    this.types = used.map(reader => reader.metadata.databaseType)
    this.built = new Date(Math.min(...used.map(reader => reader.metadata.buildEpoch.getTime())))
    const sample = this.types.some(type => /sample/i.test(type)) ? ' (sample)' : ''
    this.title = `DB-IP City Lite ${this.built.toISOString().slice(0, 7)}${sample}`
  }

  find(address: IpAddress): IpPlace | undefined {
    const record = this.record(address)
    return record && placeOf(record, this.title)
  }

  record({ family, text }: Pick<IpAddress, 'family' | 'text'>): IpRecord | undefined {
    return (this.#readers[family]?.get(text) as IpRecord | null | undefined) ?? undefined
  }
}

/** The .mmdb files at a path, which is a file or a folder. */
export async function mmdbFiles(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path]
  const names = await readdir(path)
  return names.filter(name => name.endsWith('.mmdb')).map(name => join(path, name))
}

/** Rejects with UpstreamFailed if it cannot open the database. */
export async function openIpDatabase(path: string): Promise<IpDatabase> {
  try {
    const files = await mmdbFiles(path)
    if (files.length === 0) throw new Error('no .mmdb file was found')
    return new IpDatabase(await Promise.all(files.map(file => readFile(file))))
  } catch (error) {
    // A partial file, another format or no file: the world failed, and the current database stays open.
    throw new UpstreamFailed(`${path} cannot be opened: ${error instanceof Error ? error.message : error}`)
  }
}

const canaries = [
  { family: 4, text: '8.8.8.8', country: /^US$/ },
  { family: 4, text: '1.1.1.1', country: /^AU$/ },
  { family: 6, text: '2606:4700::1', country: /^[A-Z]{2}$/ },
] as const

/** Checks a fetched file before use: it must be about cities, and must have the right country for well-known addresses. */
export function checkFetched(database: IpDatabase): void {
  const other = database.types.find(type => !/city/i.test(type))
  if (other !== undefined) throw new UpstreamFailed(`the fetched database is of type ${other}`)
  for (const { family, text, country } of canaries) {
    const code = countryCodeOf(database.record({ family, text }) ?? {}) ?? 'nothing'
    if (!country.test(code)) throw new UpstreamFailed(`the fetched database has ${code} for ${text}`)
  }
}
