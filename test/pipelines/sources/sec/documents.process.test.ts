import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { ConceptCutter } from '../../../../pipelines/sources/sec/concepts.ts'
import { factDrift, factsOf, plain } from '../../../../pipelines/sources/sec/facts.ts'
import { entryOf } from '../../../../pipelines/sources/sec/feed.ts'
import {
  readOlderFilings,
  readSubmissions,
  type Submissions,
} from '../../../../pipelines/sources/sec/submissions.ts'
import { secCompanies } from '../../../../schemas/sec-companies.ts'
import { secFacts } from '../../../../schemas/sec-facts.ts'
import { filingUrl, secFilings } from '../../../../schemas/sec-filings.ts'
import { testRecorded } from '../../../samples.ts'
import { kestrel, recorded } from './sec-upstream.ts'

const at = '2026-11-02T20:06:00.000Z'

function cutInto(document: Buffer, chunkBytes: number) {
  const cutter = new ConceptCutter()
  const concepts = []
  for (let start = 0; start < document.length; start += chunkBytes)
    concepts.push(...cutter.cut(document.subarray(start, start + chunkBytes)))
  return { concepts, done: cutter.done }
}

describe('a document of facts', () => {
  const document = recorded('companyfacts.json')

  it('is cut into the same concepts wherever its pieces end', () => {
    const { facts } = JSON.parse(document.toString())
    const whole = Object.entries<Record<string, object>>(facts).flatMap(([taxonomy, concepts]) =>
      Object.entries(concepts).map(([name, concept]) => ({ taxonomy, name, concept })),
    )
    for (const chunkBytes of [1, 2, 3, 7, 64, 1000, document.length]) {
      const { concepts, done } = cutInto(document, chunkBytes)
      expect(done).toBe(true)
      expect(
        concepts.map(({ taxonomy, name, json }) => ({ taxonomy, name, concept: JSON.parse(json) })),
      ).toEqual(whole)
    }
  })

  it('reports new and missing fields of its facts, and fields of another type', () => {
    const concept = (row: object) => ({
      taxonomy: 'us-gaap',
      name: 'Assets',
      json: JSON.stringify({ units: { USD: [row] } }),
    })
    const row = {
      end: '2025-12-31',
      val: 1,
      accn: 'a',
      fy: 2025,
      fp: 'FY',
      form: '10-K',
      filed: '2026-01-01',
    }
    const { fp: _, ...changed } = { ...row, fy: '2025', scale: 3 }
    expect(factDrift(concept(row))).toEqual([])
    expect(factDrift(concept(changed)).map(({ kind, what }) => `${kind} ${what}`)).toEqual([
      'type fy',
      'unknown scale',
      'vanished fp',
    ])
  })

  it('is not complete if it was cut off', () => {
    expect(cutInto(document.subarray(0, document.length - 10), 64).done).toBe(false)
  })

  it('keeps the digits of its numbers', () => {
    const rows = '{"end":"2025-12-31","val":VALUE,"accn":"0000000001-26-000001","filed":"2026-01-01"}'
    const filedAs = (text: string) => {
      const json = `{"label":"say \\"val\\":1","units":{"USD":[${rows.replace('VALUE', text)}]}}`
      return [...factsOf(1, { taxonomy: 'us-gaap', name: 'Assets', json })][0]?.value
    }
    for (const text of [
      '1',
      '-0.03',
      '12345678901234567890',
      '0.1000',
      '1.50',
      '100000000000000000000000.000000000001',
    ])
      expect(filedAs(text)).toBe(text)
    expect([filedAs('2.4E8'), filedAs('1e-3'), filedAs('null')]).toEqual(['240000000', '0.001', undefined])
  })

  it.each([
    ['1.25E1', '12.5'],
    ['-1.25e+5', '-125000'],
    ['0.5E0', '0.5'],
    ['0.012e1', '0.12'],
    ['-3E-2', '-0.03'],
  ])('writes %s as %s', (exponent, decimal) => {
    expect(plain(exponent)).toBe(decimal)
  })

  testRecorded('is read whole: every row of the recorded ones is a fact', ({ samples }) => {
    const folder = `${samples}/c-sec/companyfacts`
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(`${folder}/${file}`)
      const { cik, facts } = JSON.parse(bytes.toString()) as {
        cik: string
        facts: Record<string, Record<string, { units: Record<string, unknown[]> }>>
      }
      const rows = Object.values(facts)
        .flatMap(concepts => Object.values(concepts))
        .flatMap(({ units }) => Object.values(units).flat())
      const read = cutInto(bytes, 65_536).concepts.flatMap(concept => [...factsOf(Number(cik), concept)])
      expect(read).toHaveLength(rows.length)
      for (const fact of read) secFacts.event.parse(fact)
    }
  })
})

describe('a document of submissions', () => {
  let read: Submissions
  beforeAll(async () => {
    read = await readSubmissions(recorded('submissions.json'), 'here', at)
  })

  it('has filings, newest first, and the places of the older ones', () => {
    const { company, filings, olderFiles } = read
    expect(filings[0]).toEqual({
      cik: kestrel,
      accession: '0009990001-26-000012',
      form: '8-K',
      filed: '2026-11-02',
      accepted: '2026-11-02T20:05:11.000Z',
      report_date: '2026-10-31',
      items: ['2.02', '9.01'],
      primary_document: 'kestrel-20261031.htm',
      primary_doc_description: '8-K',
      size: 88211,
      is_xbrl: true,
    })
    expect(olderFiles).toEqual(['CIK0009990001-submissions-001.json'])
    expect(company.filing_count).toBe(6)
  })

  it('reports what EDGAR has added, dropped and changed, in the document and in its columns', async () => {
    const drifted = async (text: string) =>
      (await readSubmissions(Buffer.from(text), 'here', at))
        .drift()
        .map(({ kind, what }) => `${kind} ${what}`)
    const text = recorded('submissions.json').toString()
    expect(await drifted(text)).toEqual(['unknown filings.somethingNew'])
    const value = JSON.parse(text)
    const { items: _, ...recent } = value.filings.recent
    const { sic: __, ...rest } = value
    const changed = {
      ...rest,
      phone: { home: '1' },
      rating: 'A',
      filings: { ...value.filings, recent: { ...recent, colour: ['red'] } },
    }
    expect((await drifted(JSON.stringify(changed))).toSorted()).toEqual([
      'type phone',
      'unknown filings.colour',
      'unknown filings.somethingNew',
      'unknown rating',
      'vanished filings.items',
      'vanished sic',
    ])
  })

  it('takes the end of the fiscal year from the newest annual report, if EDGAR leaves it out', async () => {
    const with_ = async (fiscalYearEnd: string | null, forms = '10-K') => {
      const text = recorded('submissions.json')
        .toString()
        .replace('"fiscalYearEnd":""', `"fiscalYearEnd":${JSON.stringify(fiscalYearEnd)}`)
        .replaceAll('"10-K"', `"${forms}"`)
      return (await readSubmissions(Buffer.from(text), 'here', at)).company.fiscal_year_end
    }
    expect(await Promise.all([with_('0103'), with_(''), with_(null), with_(null, 'S-1')])).toEqual([
      '01-03',
      '12-31',
      '12-31',
      null,
    ])
  })

  it('writes a foreign address with the name of its country', async () => {
    const text = recorded('submissions.json')
      .toString()
      .replace('"stateOrCountry":"KS"', '"stateOrCountry":"2M"')
      .replaceAll('"stateOrCountryDescription":"KS"', '"stateOrCountryDescription":"Germany"')
    const { company } = await readSubmissions(Buffer.from(text), 'here', at)
    expect(company.business_address).toBe('1 RUNWAY ROAD, WICHITA, Germany 67201')
  })

  it('is an upstream failure if it has another form', async () => {
    for (const text of ['<html>', '{"cik":1}'])
      await expect(readSubmissions(Buffer.from(text), 'here', at)).rejects.toThrow('here is not the document')
  })

  it('leads to each document, or to the index if there is no document', async () => {
    expect(filingUrl(read.filings[2] as never)).toBe(
      'https://www.sec.gov/Archives/edgar/data/9990001/000999000126000009/xslF345X05/form4.xml',
    )
    const [, paper] = await readOlderFilings(recorded('older.json'), kestrel, 'here')
    expect(filingUrl(paper as never)).toBe(
      'https://www.sec.gov/Archives/edgar/data/9990001/000999000112000001/0009990001-12-000001-index.htm',
    )
  })

  testRecorded('is read out of every recorded one', async ({ samples }) => {
    const folder = `${samples}/c-sec/submissions`
    expect(existsSync(folder)).toBe(true)
    for (const file of readdirSync(folder)) {
      const bytes = readFileSync(`${folder}/${file}`)
      const cik = Number(/CIK(\d+)/.exec(file)?.[1])
      const older = /submissions-\d+/.test(file)
      const rows = older
        ? await readOlderFilings(bytes, cik, file)
        : (await readSubmissions(bytes, file, at)).filings
      expect(rows.length).toBeGreaterThan(0)
      for (const row of rows) secFilings.event.parse(row)
      if (!older) secCompanies.event.parse((await readSubmissions(bytes, file, at)).company)
    }
  })
})

describe('an entry of the feed', () => {
  const summary = '<b>Filed:</b> 2026-11-02 <b>AccNo:</b> 0009990001-26-000012 <b>Size:</b> 86 KB'
  const at = '2026-11-02T15:05:11-05:00'

  it.each([
    ['8-K - KESTREL AIRFRAMES INC (0009990001) (Filer)', '8-K', 9990001, 'Filer'],
    ['SC 13G/A - A - B (HOLDINGS) CO (0000000012) (Subject)', 'SC 13G/A', 12, 'Subject'],
    ['4 - Vance Ronald J (0001572985) (Reporting)', '4', 1572985, 'Reporting'],
  ])('is read: %s', (title, form, cik, role) => {
    expect(entryOf(title, summary, at)).toEqual([
      {
        form,
        cik,
        role,
        accession: '0009990001-26-000012',
        filed: '2026-11-02',
        at: Date.parse('2026-11-02T20:05:11Z'),
      },
    ])
  })

  it('is skipped if it is not one', () => {
    expect(entryOf('Latest filings', summary, at)).toEqual([])
    expect(entryOf('4 - A (1) (Filer)', '', at)).toEqual([])
  })
})
