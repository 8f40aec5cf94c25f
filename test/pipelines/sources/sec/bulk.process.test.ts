import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { sources } from '../../../../pipelines/sources/index.ts'
import { bulkFacts, bulkSubmissions } from '../../../../pipelines/sources/sec/bulk.ts'
import { eventsIn } from '../../../../schemas/dataset/packed-events.ts'
import { datasets } from '../../../../schemas/index.ts'
import { secFacts } from '../../../../schemas/sec-facts.ts'
import { scratchFolder } from '../../../scratch.ts'
import { ArchiveWriter } from '../../../sec/archive-writer.ts'
import { cikName, companyFacts, submissions } from '../../../sec/company-facts.ts'
import { until } from '../../../until.ts'
import { type Edgar, recorded, startEdgar } from './sec-upstream.ts'

const factsPath = '/Archives/edgar/daily-index/xbrl/companyfacts.zip'
const submissionsPath = '/Archives/edgar/daily-index/bulkdata/submissions.zip'

function archive(write: (writer: ArchiveWriter) => void, form?: { isLarge: boolean }): Buffer {
  const file = join(scratchFolder(), 'archive.zip')
  const writer = new ArchiveWriter(file)
  write(writer)
  writer.close(form)
  return readFileSync(file)
}

async function pulled(
  source: typeof bulkFacts,
  edgar: Edgar,
  cursor?: unknown,
  stopAfter = Number.POSITIVE_INFINITY,
) {
  const events: { table: string; event: Record<string, unknown> }[] = []
  let last = cursor
  for await (const page of source.pull(cursor as never, edgar.outside(), needsOf(edgar))) {
    for (const { dataset, event } of page.events)
      events.push({ table: dataset.name, event: dataset.event.parse(event) as Record<string, unknown> })
    last = page.cursor
    if (events.length >= stopAfter) break
  }
  return {
    of: (table: string) => events.filter(one => one.table === table).map(({ event }) => event),
    cursor: last,
  }
}

const needsOf = ({ dataDir }: Edgar) => ({ dataDir, tell: () => {} })

const downloads = (edgar: Edgar, path: string) => edgar.paths().filter(asked => asked === path).length

describe('the archives', () => {
  it('are the only sources marked as bulk, which only a production service starts', () => {
    expect(sources.filter(({ bulk }) => bulk).map(({ name }) => name)).toEqual([
      'sec_submissions',
      'sec_facts',
    ])
  })
})

describe('the archive of submissions', () => {
  it('returns every filer with all of its filings, including older pages', async () => {
    const edgar = await startEdgar()
    edgar.says[submissionsPath] = archive(writer => {
      writer.add('placeholder.txt', Buffer.from('not a company'))
      writer.add('CIK0009990001.json', recorded('submissions.json'))
      writer.add('CIK0009990001-submissions-001.json', recorded('older.json'))
      writer.add('CIK0000000007.json', Buffer.from('{"cik":'))
      writer.add('CIK0000000008.json', submissions(8, 2500))
    })
    const { of, cursor } = await pulled(bulkSubmissions, edgar)
    expect(of('sec_companies').map(({ cik }) => cik)).toEqual([9990001, 8])
    expect(of('sec_filings')).toHaveLength(4 + 2 + 2500)
    expect(of('rejects')).toMatchObject([{ topic: 'sec_submissions' }])
    expect(cursor).toMatchObject({ doneAt: expect.any(Number) })
    expect(bulkSubmissions.due?.(Date.now(), cursor as never)).toBe(false)
    expect(bulkSubmissions.due?.(Date.now() + 21 * 3_600_000, cursor as never)).toBe(true)
  })
})

describe('the archive of facts', () => {
  it('is read in the 64-bit form, which it has with more than 65,535 members', async () => {
    const edgar = await startEdgar()
    edgar.says[factsPath] = archive(
      writer => {
        for (let i = 0; i < 100; i++) writer.add(`x${i}.json`, Buffer.from('{}'))
        writer.add(`${cikName(1)}.json`, companyFacts(1, 10))
      },
      { isLarge: true },
    )
    const { of } = await pulled(bulkFacts, edgar)
    expect(of('sec_facts')).toHaveLength(10)
    expect(of('sec_financials')).toMatchObject([{ cik: 1 }])
  })

  it('in the next night, returns only changed companies, and only their filings since', async () => {
    const edgar = await startEdgar()
    edgar.says[factsPath] = archive(writer => {
      writer.add(`${cikName(1)}.json`, companyFacts(1, 100))
      writer.add('CIK0009990001.json', recorded('companyfacts.json'))
    })
    const first = await pulled(bulkFacts, edgar)
    expect(first.of('sec_facts')).toHaveLength(110)
    const day = (first.cursor as { day: string }).day
    edgar.says[factsPath] = archive(writer => {
      writer.add(`${cikName(1)}.json`, companyFacts(1, 100))
      writer.add(
        'CIK0009990001.json',
        Buffer.from(
          recorded('companyfacts.json').toString().replaceAll('"filed":"2026-10-20"', `"filed":"${day}"`),
        ),
      )
    })
    const second = await pulled(bulkFacts, edgar, first.cursor)
    expect(second.of('sec_facts').map(({ filed }) => filed)).toEqual([day, day])
    expect(second.of('sec_financials')).toMatchObject([{ cik: 9990001 }])
  })

  it('continues with the current member, without another download', async () => {
    const edgar = await startEdgar()
    edgar.says[factsPath] = archive(writer => {
      for (let cik = 1; cik <= 5; cik++) writer.add(`${cikName(cik)}.json`, companyFacts(cik, 3000))
    })
    const first = await pulled(bulkFacts, edgar, undefined, 7000)
    const second = await pulled(bulkFacts, edgar, first.cursor)
    const ciks = new Set(second.of('sec_facts').map(({ cik }) => cik))
    expect([...ciks]).toEqual([3, 4, 5])
    expect(downloads(edgar, factsPath)).toBe(1)
  })

  it('is fetched again if it is damaged', async () => {
    const edgar = await startEdgar()
    const good = archive(writer => {
      for (let cik = 1; cik <= 3; cik++) writer.add(`${cikName(cik)}.json`, companyFacts(cik, 100))
    })
    const damaged = Buffer.from(good)
    damaged.fill(0, damaged.lastIndexOf(Buffer.from('PK\x01\x02')), damaged.length - 22)
    edgar.says[factsPath] = damaged
    let cursor: unknown
    await expect(async () => {
      for await (const page of bulkFacts.pull(undefined, edgar.outside(), needsOf(edgar)))
        cursor = page.cursor
    }).rejects.toThrow()
    expect(cursor).toBeDefined()
    edgar.says[factsPath] = good
    expect((await pulled(bulkFacts, edgar, cursor)).of('sec_facts')).toHaveLength(300)
    expect(downloads(edgar, factsPath)).toBe(2)
  })

  it('is fetched again if it is not an archive', async () => {
    const edgar = await startEdgar()
    edgar.says[factsPath] = Buffer.from('<html>maintenance</html>')
    await expect(pulled(bulkFacts, edgar)).rejects.toThrow('not a ZIP archive')
    edgar.says[factsPath] = archive(writer => writer.add(`${cikName(1)}.json`, companyFacts(1, 10)))
    expect((await pulled(bulkFacts, edgar)).of('sec_facts')).toHaveLength(10)
  })
})

interface Told {
  facts?: number
  tick?: { outcome: string; cursor: { reading?: { next: number } } | null; error: string | null }
  done?: { mostMb: number }
  line?: string
}

function ingest(edgar: Edgar, folder: string): { child: ChildProcess; told: Told[]; gone: Promise<unknown> } {
  const child = fork(fileURLToPath(new URL('../../../sec/bulk-process.ts', import.meta.url)), [
    edgar.url,
    folder,
  ])
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: Told[] = []
  child.on('message', message => void told.push(message as Told))
  return { child, told, gone: once(child, 'exit') }
}

describe('an ingest of its own', () => {
  it('continues after a kill, and loses nothing', async () => {
    const edgar = await startEdgar()
    const [companies, rows] = [40, 2000]
    edgar.says[factsPath] = archive(writer => {
      for (let cik = 1; cik <= companies; cik++) writer.add(`${cikName(cik)}.json`, companyFacts(cik, rows))
    })
    const folder = scratchFolder()
    const first = ingest(edgar, folder)
    await until(
      () => first.told.some(({ tick }) => (tick?.cursor?.reading?.next ?? 0) >= 5),
      'a few members',
      60_000,
    )
    first.child.kill('SIGKILL')
    await first.gone
    expect(first.told.some(({ done }) => done)).toBe(false)
    const second = ingest(edgar, folder)
    await until(() => second.told.some(({ done }) => done), 'the end', 90_000)
    await second.gone
    expect(downloads(edgar, factsPath)).toBe(1)

    const log = await openLog(`sqlite:${folder}/log.db`, { topics: datasets.map(({ topic }) => topic) })
    const facts = new Set<string>()
    let told = 0
    const watching = await log.watch(secFacts.topic, batch => {
      for (const { event: fact } of batch.flatMap(({ value }) => eventsIn(secFacts, value ?? ''))) {
        facts.add(secFacts.identity.map(column => fact?.[column as keyof typeof fact]).join(' '))
        told++
      }
    })
    await watching.caughtUp
    await watching.close()
    await log.close()
    expect(facts.size).toBe(companies * rows)
    expect(told).toBeLessThan(2 * companies * rows)
  })

  it('needs no more memory for a large company or a large archive', async () => {
    const edgar = await startEdgar()
    const large = companyFacts(1, 300_000)
    expect(large.length).toBeGreaterThan(40 * 2 ** 20)
    edgar.says[factsPath] = archive(writer => {
      writer.add(`${cikName(1)}.json`, large)
      for (let cik = 2; cik <= 40; cik++) writer.add(`${cikName(cik)}.json`, companyFacts(cik, 2000))
    })
    const { told, gone } = ingest(edgar, scratchFolder())
    await until(() => told.some(({ done }) => done), 'the end', 100_000)
    await gone
    expect(told.find(({ done }) => done)?.done?.mostMb).toBeLessThan(500)
    expect(told.find(({ line }) => line?.includes('done'))?.line).toMatch(/40 files, .* MB, .* MB\/s.*: done/)
  })
})
