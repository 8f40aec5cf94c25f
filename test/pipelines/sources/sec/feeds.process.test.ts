import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { current } from '../../../../pipelines/sources/sec/current.ts'
import { daysBetween, fromIndex } from '../../../../pipelines/sources/sec/daily-index.ts'
import { tickers } from '../../../../pipelines/sources/sec/tickers.ts'
import type { Source } from '../../../../pipelines/sources/source.ts'
import { testRecorded } from '../../../samples.ts'
import { scratchFolder } from '../../../scratch.ts'
import { type Edgar, kestrel, recorded, startEdgar } from './sec-upstream.ts'

async function polled<C>(source: Source<C, { dataDir: string }>, cursor: C | undefined, edgar: Edgar) {
  const events: { table: string; event: Record<string, unknown> }[] = []
  let last = cursor
  for await (const page of source.pull(cursor, edgar.outside(), edgar)) {
    events.push(
      ...page.events.map(({ dataset, event }) => ({
        table: dataset.name,
        event: dataset.event.parse(event) as Record<string, unknown>,
      })),
    )
    last = page.cursor
  }
  const of = (table: string) => events.filter(one => one.table === table).map(({ event }) => event)
  return { of, count: events.length, cursor: last as C }
}

const day = '2026-11-02'
const at = (time: string) => Date.parse(`${day}T${time}Z`)

describe('the ticker list', () => {
  it('returns every ticker once, the first company of two, and later only changes', async () => {
    let now = at('11:20:00')
    const edgar = await startEdgar({ now: () => now })
    const first = await polled(tickers, undefined, edgar)
    expect(first.of('sec_tickers')).toEqual([
      { ticker: 'AAPL', day, cik: 320193, name: 'Apple Inc.', exchange: 'Nasdaq' },
      { ticker: 'KSTL', day, cik: kestrel, name: 'KESTREL AIRFRAMES INC', exchange: 'NYSE' },
      { ticker: 'KSTL-PA', day, cik: kestrel, name: 'KESTREL AIRFRAMES INC', exchange: null },
    ])
    expect(tickers.due?.(now + 3_600_000, first.cursor)).toBe(false)
    now += 86_400_000
    expect(tickers.due?.(now, first.cursor)).toBe(true)
    edgar.says['/files/company_tickers_exchange.json'] = JSON.stringify({
      fields: ['cik', 'name', 'ticker', 'exchange'],
      data: [
        [kestrel, 'KESTREL AIRFRAMES INC', 'KSTL', 'Nasdaq'],
        [320193, 'Apple Inc.', 'AAPL', 'Nasdaq'],
        [9990003, 'NEW CO', 'NEWC', null],
      ],
    })
    const second = await polled(tickers, first.cursor, edgar)
    expect(second.of('sec_tickers')).toEqual([
      { ticker: 'KSTL', day: '2026-11-03', cik: kestrel, name: 'KESTREL AIRFRAMES INC', exchange: 'Nasdaq' },
      { ticker: 'NEWC', day: '2026-11-03', cik: 9990003, name: 'NEW CO', exchange: null },
      { ticker: 'KSTL-PA', day: '2026-11-03', cik: null, name: '', exchange: null },
    ])
  })

  it('is not believed if it is cut short or not a list at all', async () => {
    const edgar = await startEdgar()
    const { cursor } = await polled(tickers, undefined, edgar)
    edgar.says['/files/company_tickers_exchange.json'] =
      '{"fields":["cik","name","ticker","exchange"],"data":[[1,"A","A",null]]}'
    await expect(polled(tickers, cursor, edgar)).rejects.toThrow('only 1 tickers')
    edgar.says['/files/company_tickers_exchange.json'] = '<html>maintenance</html>'
    await expect(polled(tickers, cursor, edgar)).rejects.toThrow('not the list')
  })
})

describe('the feed of new filings', () => {
  const submissions = '/submissions/CIK0009990001.json'
  const report8k = '/Archives/edgar/data/9990001/000999000126000012/kestrel-20261031.htm'
  const index8k = '/Archives/edgar/data/9990001/000999000126000012/0009990001-26-000012-index.htm'
  const release8k = '/Archives/edgar/data/9990001/000999000126000012/kestrel-ex991.htm'
  const facts = '/api/xbrl/companyfacts/CIK0009990001.json'

  it('fetches the company of a new filing, but not a mere signer', async () => {
    const edgar = await startEdgar({ now: () => at('20:06:00') })
    const { of, cursor } = await polled(current, undefined, edgar)
    expect(edgar.paths().slice(1)).toEqual([submissions, report8k, index8k, release8k])
    expect(edgar.paths()[0]).toBe(
      '/cgi-bin/browse-edgar?action=getcurrent&type=&count=100&start=0&owner=include&output=atom',
    )
    expect(of('sec_companies')).toMatchObject([{ cik: kestrel }])
    expect(of('sec_filings')).toHaveLength(4)
    expect(of('sec_events')).toMatchObject([{ accession: '0009990001-26-000012', told_by: 'text' }])
    expect(cursor.changed).toEqual([])
    const again = await polled(current, cursor, edgar)
    expect(again.count).toBe(0)
    expect(edgar.paths()).toHaveLength(6)
  })

  const report = (accession: string) =>
    recorded('getcurrent.atom')
      .toString()
      .replaceAll('0009990001-26-000012', accession)
      .replaceAll('8-K - KESTREL', '10-Q - KESTREL')
      .replaceAll('2026-11-02 &lt;', '2026-10-20 &lt;')

  it('fetches the facts of a report, and after the archives only returns what was filed since', async () => {
    const dataDir = scratchFolder()
    mkdirSync(`${dataDir}/sec`)
    for (const archive of ['submissions.zip', 'companyfacts.zip'])
      writeFileSync(`${dataDir}/sec/${archive}.seen`, '')
    const edgar = await startEdgar({ now: () => at('20:06:00'), dataDir })
    edgar.says['/cgi-bin/browse-edgar'] = report('0009990001-26-000011')
    const { of, cursor } = await polled(current, undefined, edgar)
    expect(edgar.paths().slice(1)).toEqual([submissions, facts])
    expect(of('sec_facts').map(({ accession }) => accession)).toEqual(
      Array.from({ length: 2 }, () => '0009990001-26-000011'),
    )
    expect(of('sec_financials')).toMatchObject([{ cik: kestrel }])
    expect(of('sec_filings')).toHaveLength(2)
    expect(cursor.changed).toEqual([])
  })

  it('fetches the facts of a 6-K with numbers, and none of one without', async () => {
    const edgar = await startEdgar({ now: () => at('20:06:00') })
    edgar.says['/cgi-bin/browse-edgar'] = report('0009990001-26-000011').replaceAll('10-Q - K', '6-K - K')
    const list = recorded('submissions.json').toString().replaceAll('"10-Q"', '"6-K"')
    edgar.says[submissions] = list
    await polled(current, undefined, edgar)
    expect(edgar.paths().slice(1)).toEqual([submissions, facts])
    const bare = await startEdgar({ now: () => at('20:06:00') })
    bare.says['/cgi-bin/browse-edgar'] = edgar.says['/cgi-bin/browse-edgar']
    bare.says[submissions] = list.replace(/"isXBRL":\[[^\]]*\]/, '"isXBRL":[0,0,0,0]')
    await polled(current, undefined, bare)
    expect(bare.paths().slice(1)).toEqual([submissions])
  })

  it('reads the Form 4 of an issuer line by line', async () => {
    const edgar = await startEdgar({ now: () => at('20:06:00') })
    edgar.says['/cgi-bin/browse-edgar'] = recorded('getcurrent.atom')
      .toString()
      .replaceAll('0009990001-26-000012', '0009990001-26-000009')
      .replace(
        '8-K - KESTREL AIRFRAMES INC (0009990001) (Filer)',
        '4 - KESTREL AIRFRAMES INC (0009990001) (Issuer)',
      )
    const { of } = await polled(current, undefined, edgar)
    expect(edgar.paths().slice(1)).toEqual([
      submissions,
      '/Archives/edgar/data/9990001/000999000126000009/form4.xml',
    ])
    expect(of('sec_insiders')).toMatchObject([{ code: 'S' }, { kind: 'holding' }, { code: 'M' }])
  })

  it('asks again after 1, 3 and 10 minutes while the filing is missing, and then leaves it to the night', async () => {
    let now = at('20:06:00')
    const edgar = await startEdgar({ now: () => now })
    edgar.says['/cgi-bin/browse-edgar'] = report('0009990001-26-000099')
    let { cursor } = await polled(current, undefined, edgar)
    const fetches = () => edgar.paths().filter(path => path === submissions).length
    const seen = [fetches()]
    for (let minute = 1; minute <= 30; minute++) {
      now += 60_000
      ;({ cursor } = await polled(current, cursor, edgar))
      seen.push(fetches())
    }
    expect([0, 1, 2, 3, 4, 13, 14, 30].map(minute => seen[minute])).toEqual([1, 2, 2, 2, 3, 3, 4, 4])
    expect(cursor.changed).toEqual([])
  })

  it('goes on with the others if the documents of one company fail', async () => {
    const now = at('20:06:00')
    const edgar = await startEdgar({ now: () => now })
    edgar.says[submissions] = { status: 500 }
    let cursor: never | undefined
    const pull = async () => {
      for await (const page of current.pull(cursor, edgar.outside(), edgar)) cursor = page.cursor as never
    }
    await expect(pull()).rejects.toThrow('500')
    await pull()
    expect((cursor as unknown as { changed: unknown[] }).changed).toHaveLength(1)
  })

  const indexPath = '/Archives/edgar/daily-index/2026/QTR4/master.20261102.idx'
  const index = [
    'Description:           Master Index of EDGAR Dissemination Feed',
    'CIK|Company Name|Form Type|Date Filed|File Name',
    '--------------------------------------------------------------------------------',
    '9990001|KESTREL AIRFRAMES INC|10-Q|20261102|edgar/data/9990001/0009990001-26-000011.txt',
    '9990055|SOME FUND|NPORT-P|20261102|edgar/data/9990055/0009990055-26-000001.txt',
    '',
  ].join('\n')

  it('closes the gap between the archive and the first poll by the index of the day, once it is out', async () => {
    let now = at('20:06:00')
    const edgar = await startEdgar({ now: () => now })
    edgar.says['/cgi-bin/browse-edgar'] = recorded('getcurrent.atom')
      .toString()
      .replace(/<entry>.*<\/entry>/s, '')
    edgar.says[indexPath] = index
    const first = await polled(current, undefined, edgar)
    expect(edgar.paths()).toHaveLength(1)
    expect(first.cursor).toMatchObject({ missed: [day] })
    now = at('23:59:00') + 4 * 3_600_000
    const second = await polled(current, first.cursor, edgar)
    expect(edgar.paths().slice(2)).toEqual([indexPath, submissions, facts])
    expect(second.of('sec_facts')).not.toEqual([])
    expect(second.cursor).toMatchObject({ missed: [], changed: [] })
    await polled(current, second.cursor, edgar)
    expect(edgar.paths().filter(path => path === indexPath)).toHaveLength(1)
  })

  it('gives up the index of a day without business, and requests none for a weekend', async () => {
    let now = at('20:06:00')
    const edgar = await startEdgar({ now: () => now })
    edgar.says['/cgi-bin/browse-edgar'] = recorded('getcurrent.atom')
      .toString()
      .replace(/<entry>.*<\/entry>/s, '')
    let { cursor } = await polled(current, undefined, edgar)
    now = at('23:59:00') + 5 * 3_600_000
    ;({ cursor } = await polled(current, cursor, edgar))
    expect(cursor).toMatchObject({ missed: [day] })
    now = at('23:59:00') + 13 * 3_600_000
    ;({ cursor } = await polled(current, cursor, edgar))
    expect(cursor).toMatchObject({ missed: [] })
    expect(daysBetween(Date.parse('2026-10-30T20:00:00Z'), Date.parse('2026-11-02T20:00:00Z'))).toHaveLength(
      4,
    )
    const { entries } = await fromIndex(['2026-10-31', '2026-11-01'], edgar.outside())
    expect(entries).toEqual([])
    expect(edgar.paths().filter(path => path.includes('master.202610'))).toEqual([])
  })

  it('reads the index of the days that the feed no longer shows completely', async () => {
    const now = at('20:06:00')
    const edgar = await startEdgar({ now: () => now })
    const entry = /<entry>.*?<\/entry>/s.exec(recorded('getcurrent.atom').toString())?.[0] ?? ''
    const full = Array.from({ length: 100 }, (_, i) =>
      entry.replaceAll('0009990001-26-000013', `0009990001-26-1${String(i).padStart(5, '0')}`),
    )
    edgar.says['/cgi-bin/browse-edgar'] = recorded('getcurrent.atom')
      .toString()
      .replace(/<entry>.*<\/entry>/s, full.join(''))
    const cursor = { at: Date.parse('2026-10-29T20:00:00Z'), seen: [], changed: [] }
    const { cursor: next } = await polled(current, cursor as never, edgar)
    expect(edgar.paths().filter(path => path.includes('daily-index'))).toEqual([
      '/Archives/edgar/daily-index/2026/QTR4/master.20261029.idx',
      '/Archives/edgar/daily-index/2026/QTR4/master.20261030.idx',
    ])
    expect(next).toMatchObject({ missed: [day] })
  })

  testRecorded('reads the pages of a recorded walk to its end', async ({ samples }) => {
    const folder = `${samples}/c-sec/getcurrent/walk1`
    const edgar = await startEdgar({ now: () => Date.parse('2025-12-12T23:05:00Z') })
    delete edgar.says['/cgi-bin/browse-edgar']
    for (const file of readdirSync(folder)) {
      const start = Number(/start(\d+)/.exec(file)?.[1])
      edgar.says[
        `/cgi-bin/browse-edgar?action=getcurrent&type=&count=100&start=${start}&owner=include&output=atom`
      ] = readFileSync(`${folder}/${file}`)
    }
    const cursor = { at: Date.parse('2025-12-12T20:00:00Z'), seen: [], changed: [] }
    const companies = new Set<number>()
    for await (const page of current.pull(cursor as never, edgar.outside(), edgar)) {
      for (const { cik } of (page.cursor as { changed: { cik: number }[] }).changed) companies.add(cik)
      break
    }
    expect(companies.size).toBeGreaterThan(300)
  })
})
