/** Keeps the database up to date: opens what is on disk, fetches a newer month, and replaces the open one while it is in use. */
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { UpstreamFailed } from '../../rails/failures.ts'
import { metrics } from '../../rails/metrics.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { checkFetched, type IpDatabase, mmdbFiles, openIpDatabase } from './database.ts'
import { editionName, editionsIn, inUnfinished, keepEdition, originOf, removeAbandoned } from './editions.ts'
import { euDisagreements } from './eu-disagreements.ts'
import { monthly, type Publisher, repackaged } from './publishers.ts'

export interface IpUpkeepOptions {
  dataDir: string
  /** A database file or folder from the operator. Then nothing is fetched. */
  ipDatabase?: string | undefined
  /** The npm to call: a path, or a name on PATH. */
  npm?: string | undefined
}

const minuteMs = 60_000
const dayMs = 86_400_000
const monthOf = (at: Date): string => at.toISOString().slice(0, 7)

export class IpUpkeep {
  database: IpDatabase | undefined
  #opened: string | undefined
  #checkedAt = Number.NEGATIVE_INFINITY
  readonly #fetchedAt = new Map<string, number>()
  readonly #options: IpUpkeepOptions

  constructor(options: IpUpkeepOptions) {
    this.#options = options
  }

  async run(outside: Outside): Promise<void> {
    const { dataDir, ipDatabase } = this.#options
    if (ipDatabase !== undefined) return this.#openOwn(ipDatabase)
    const folder = join(dataDir, 'ip')
    await this.#openNewest(folder)
    const now = new Date(outside.now())
    if (!this.#due(now)) return
    this.#checkedAt = now.getTime()
    await removeAbandoned(folder, now.getTime())
    await inUnfinished(folder, work => this.#renew(folder, work, outside))
  }

  /** An operator's own file is not judged: it only has to open. */
  async #openOwn(path: string): Promise<void> {
    const files = await Promise.all(
      (await mmdbFiles(path)).map(async file => ({ file, ...(await stat(file)) })),
    )
    const state = JSON.stringify(files.map(({ file, ino, size, mtimeMs }) => [file, ino, size, mtimeMs]))
    if (state !== this.#opened) await this.#use(state, await openIpDatabase(path))
  }

  /** Removes an edition that no longer opens, so that it is fetched again. Until then the previous one is used. */
  async #openNewest(folder: string): Promise<void> {
    for (const edition of await editionsIn(folder)) {
      if (edition.name === this.#opened) return
      try {
        return await this.#use(edition.name, await openIpDatabase(edition.path))
      } catch (error) {
        if (!(error instanceof UpstreamFailed)) throw error
        await rm(edition.path, { recursive: true, force: true })
      }
    }
  }

  /** The file of a month appears in the first days of the month. */
  #due(now: Date): boolean {
    const pauseMs = !this.database ? 2 * minuteMs : now.getUTCDate() <= 5 ? dayMs : 7 * dayMs
    const old = !this.database || monthOf(this.database.built) < monthOf(now)
    return old && now.getTime() - this.#checkedAt >= pauseMs
  }

  async #renew(folder: string, work: string, outside: Outside): Promise<void> {
    const reasons: string[] = []
    for (const publisher of this.#publishers(new Date(outside.now()))) {
      try {
        if (await this.#take(publisher, folder, work, outside)) return
      } catch (error) {
        // The world fails: the next publisher may have the file.
        if (outside.signal.aborted) throw error
        reasons.push(`${error instanceof Error ? error.message : error}`.replace(/\s+/g, ' ').slice(0, 300))
      }
    }
    if (reasons.length)
      throw new UpstreamFailed(`no publisher has a newer IP database: ${reasons.join('; ')}`)
  }

  /** At the start of a month its file may not be there yet. */
  #publishers(now: Date): Publisher[] {
    const months = [now, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1))].map(monthOf)
    const held = this.database && monthOf(this.database.built)
    const newer = months.filter(month => held === undefined || month > held)
    return [...newer.map(monthly), repackaged(this.#options.npm ?? 'npm')]
  }

  /**
   * Resolves with whether the file was newer than the one in use. A file that was older, or failed its check, is not
   * fetched again.
   */
  async #take(publisher: Publisher, folder: string, work: string, outside: Outside): Promise<boolean> {
    const publication = await publisher(work, outside)
    if ((await editionsIn(folder)).some(edition => originOf(edition) === publication.name)) return false
    const fetchedAt = this.#fetchedAt.get(publication.name)
    if (fetchedAt !== undefined && this.database) return false
    if (fetchedAt !== undefined && outside.now() - fetchedAt < dayMs)
      throw new UpstreamFailed(`${publication.name} was fetched today and cannot be used`)
    const into = join(work, 'edition')
    await rm(into, { recursive: true, force: true })
    await mkdir(into)
    await publication.fetch(into)
    this.#fetchedAt.set(publication.name, outside.now())
    const database = await openIpDatabase(into)
    checkFetched(database)
    if (this.database && database.built <= this.database.built) return false
    const edition = await keepEdition(folder, into, editionName(database, publication.name))
    await this.#use(edition.name, database)
    return true
  }

  async #use(opened: string, database: IpDatabase): Promise<void> {
    this.database = database
    this.#opened = opened
    metrics.ipDatabaseBuiltAt.set(database.built.getTime() / 1000)
    metrics.ipEuDisagreements.reset()
    for await (const country of euDisagreements(database)) metrics.ipEuDisagreements.set({ country }, 1)
  }
}
