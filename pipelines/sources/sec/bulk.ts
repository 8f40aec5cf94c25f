/** Reads EDGAR's nightly archives: everything once, and later only what changed. It continues where it was killed. */
import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { rejects } from '../../../schemas/rejects.ts'
import { secCompanies } from '../../../schemas/sec-companies.ts'
import { secEvents } from '../../../schemas/sec-events.ts'
import { secFacts } from '../../../schemas/sec-facts.ts'
import { secFilings } from '../../../schemas/sec-filings.ts'
import { secFinancials } from '../../../schemas/sec-financials.ts'
import { instant } from '../../../schemas/values/values.ts'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { type Emitted, emit, type Source } from '../source.ts'
import { type Member, openArchive } from './archive.ts'
import { eventPages, maxDocumentBytes, olderPages, readFacts, submissionPages } from './company.ts'
import { ArchiveProgress } from './progress.ts'
import { SeenFilings } from './seen.ts'
import { readOlderFilings, readSubmissions } from './submissions.ts'
import { secWww } from './upstream.ts'

/** An archive on disk: the next member, and the day of the archive. */
interface Reading {
  next: number
  day: string
}

interface Cursor {
  reading?: Reading
  /** The day of the last archive that was read to its end. */
  day?: string
  doneAt?: number
}

/** The folder of the archives during reading, and the place for progress reports. */
interface Needs {
  dataDir: string
  tell(line: string): void
}

interface Bulk extends Pick<Source, 'name' | 'writes'> {
  schedule: string
  path: string
  /** Leaves out filings before `since`. */
  read(
    member: Member,
    cik: number,
    about: { since: string; today: string; of: string },
  ): AsyncIterable<readonly Emitted[]>
}

const hourMs = 3_600_000
const pauseMs = 20 * hourMs
const mostBytes = 16 * 2 ** 30
const mostUnreadable = 1000
/** A page holds many small filers, because each append, and each insert into the store, waits for the disk. */
const pageEvents = 8000
/** A change since the last archive may carry an earlier date. So a week is read twice, and nothing is missed. */
const overlapMs = 7 * 24 * hourMs

const day = (ms: number): string => instant(ms).slice(0, 10)

function bulk({ name, writes, schedule, path, read }: Bulk): Source<Cursor, Needs> {
  return {
    name,
    upstreams: [secWww],
    writes: [...writes, rejects],
    schedule,
    timeoutMs: 20 * hourMs,
    silentAfterMs: 50 * hourMs,
    bulk: true,

    due: (now, cursor) => !cursor?.doneAt || cursor.reading !== undefined || now - cursor.doneAt > pauseMs,

    async *pull(cursor, outside, { dataDir, tell }) {
      const known = cursor ?? {}
      const folder = join(dataDir, 'sec')
      const file = join(folder, basename(path))
      await mkdir(folder, { recursive: true })
      const start = (await standing(file, known)) ?? (await fetchArchive(outside, path, file, tell))
      const seen = await SeenFilings.load(dataDir, basename(file))
      const since = known.day && !seen.empty ? day(Date.parse(known.day) - overlapMs) : ''
      const at = (next: number): Cursor => ({ ...known, reading: { ...start, next } })
      yield { events: [], cursor: at(start.next) }

      const archive = await openArchive(file).catch(async error => {
        await rm(file, { force: true })
        throw error
      })
      const progress = new ArchiveProgress(path, outside.now, tell)
      let unreadable = 0
      let page: Emitted[] = []
      try {
        for await (const member of archive) {
          outside.signal.throwIfAborted()
          const unchanged = seen.check(member.name, member.crc)
          progress.at(member.archiveBytes, archive.bytes, `${member.index + 1} of ${archive.members} files, `)
          const cik = Number(/^CIK(\d{10})/.exec(member.name)?.[1] ?? 0)
          if (member.index < start.next || unchanged || cik === 0) continue
          const about = { since, today: day(outside.now()), of: start.day }
          try {
            for await (const events of read(member, cik, about)) {
              page.push(...events)
              if (page.length < pageEvents) continue
              yield { events: page, cursor: at(member.index) }
              page = []
            }
          } catch (error) {
            // One unreadable document must not block a million others. With many, the archive is broken.
            if (outside.signal.aborted || ++unreadable > mostUnreadable) throw error
            page.push(rejected(name, member, error, outside.now()))
          }
        }
      } catch (error) {
        // An archive that breaks in the middle stays broken, so the next try downloads it again.
        if (!outside.signal.aborted) await rm(file, { force: true })
        throw error
      } finally {
        await archive.close()
      }
      progress.done(archive.bytes, `${archive.members} files, `)
      // A member counts as seen only after it is in the log, so the last page must be written first.
      yield { events: page, cursor: at(archive.members) }
      await seen.save(dataDir, basename(file))
      yield { events: [], cursor: { day: start.day, doneAt: outside.now() } }
      await rm(file, { force: true })
    },
  }
}

const rejected = (topic: string, { name, crc }: Member, error: unknown, now: number): Emitted =>
  emit(rejects, {
    topic,
    place: `${name}/${crc}`,
    at: instant(now),
    reason: String(error instanceof Error ? error.message : error).slice(0, 500),
    event: '',
    sent_at: null,
  })

/** Finds an archive on disk and the next member to read. An archive that was read to its end does not count. */
async function standing(file: string, { reading, doneAt = 0 }: Cursor): Promise<Reading | undefined> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }))
  if (mtimeMs === 0) return undefined
  return reading ?? (mtimeMs > doneAt ? { next: 0, day: day(mtimeMs) } : undefined)
}

async function fetchArchive(
  outside: Outside,
  path: string,
  file: string,
  tell: Needs['tell'],
): Promise<Reading> {
  const progress = new ArchiveProgress(`${path}, download`, outside.now, tell)
  await outside.download(secWww, path, {
    file,
    maxBytes: mostBytes,
    onBytes: (bytes, of) => progress.at(bytes, of),
  })
  return { next: 0, day: day(outside.now()) }
}

export const bulkSubmissions = bulk({
  name: 'sec_submissions',
  writes: [secCompanies, secFilings, secEvents],
  schedule: '30 9 * * *',
  path: '/Archives/edgar/daily-index/bulkdata/submissions.zip',
  async *read(member, cik, { since, of }) {
    if (member.bytes > maxDocumentBytes)
      throw new UpstreamFailed(`${member.name} has more than ${maxDocumentBytes} bytes`)
    const json = Buffer.concat(await Array.fromAsync(await member.open()))
    if (/-submissions-\d+\.json$/.test(member.name))
      yield* olderPages(await readOlderFilings(json, cik, member.name), since)
    else {
      const submissions = await readSubmissions(json, member.name, `${of}T00:00:00.000Z`)
      yield* eventPages(submissions, since)
      yield* submissionPages(submissions, since)
    }
  },
})

export const bulkFacts = bulk({
  name: 'sec_facts',
  writes: [secFacts, secFinancials],
  schedule: '45 9 * * *',
  path: '/Archives/edgar/daily-index/xbrl/companyfacts.zip',
  async *read(member, cik, about) {
    yield* readFacts(cik, await member.open(), { ...about, from: member.name })
  },
})
