import { describe, expect, it } from 'vitest'
import { eventOfItems } from '../../../../../pipelines/domains/company/events/event.ts'
import { NotReady, UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { secCompanies } from '../../../../../schemas/sec-companies.ts'
import { type SecEvent, secEvents } from '../../../../../schemas/sec-events.ts'
import { type SecFiling, secFilings } from '../../../../../schemas/sec-filings.ts'
import { dataDiligence } from '../../../../../services/origins/data/company/data-diligence.ts'
import { ask } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, cik, company, type Edgar, filing, loadedCompany } from './a-company.ts'

const filings = [
  filing('8-K', '2025-05-01', { items: ['2.02', '9.01'] }),
  filing('8-K', '2025-04-14', { items: ['5.02'] }),
  filing('8-K/A', '2025-04-20', { items: ['4.01'] }),
  filing('8-K', '2025-03-02', { items: ['99.99'] }),
  filing('8-K', '2024-06-29', { items: ['1.03'] }),
  filing('10-K', '2025-02-20', { report_date: '2024-12-31' }),
  filing('10-Q', '2025-05-02', { report_date: '2025-03-31' }),
  filing('DEF 14A', '2025-04-10', { report_date: '2025-05-20' }),
  filing('S-3', '2024-01-05'),
  filing('424B5', '2024-09-01'),
  filing('NT 10-K', '2025-03-01'),
]
const event = (filing: SecFiling, changed: Partial<SecEvent> = {}): SecEvent => ({
  ...eventOfItems(filing, { name: 'Example Devices Inc.', industry: null }),
  summary: `The text of ${filing.form} ${filing.filed}.`,
  told_by: 'text',
  ...changed,
})
/** EDGAR has the text of each report. */
const reading = (of: readonly SecFiling[]): Edgar => ({
  documents: async (loaded, { filings: reports }) => {
    const wanted = new Set(reports.map(({ accession }) => accession))
    loaded.put(
      secEvents,
      of.filter(({ accession }) => wanted.has(accession)).map(report => event(report)),
    )
  },
})
const asked = () => asking(loadedCompany(filings), reading(filings))

describe('a company that is loaded', () => {
  it('is answered with ratios, figures and the time', async () => {
    const known = asked()
    const answer = await ask(dataDiligence, { ticker: 'EXD' }, known)
    expect(answer).toMatchObject({
      cik,
      name: 'Example Devices Inc.',
      industry: 'Electronic Computers',
      ratios: { revenue_growth_pct: 18.18, net_margin_pct: 11.54, liabilities_to_assets_pct: null },
      financials_note: expect.stringContaining('Changed by a later filing'),
      financials: { revenue: { latest_annual: { value: 1300000000 } } },
      source: 'SEC EDGAR (sec.gov)',
      prepared_at: '2025-06-30T12:00:00.000Z',
    })
    expect(known.fetched).toEqual(['event_texts'])
  })

  const figures = [{ what: 'revenue' as const, value: '$1.3 billion', sentence: 'Revenue was $1.3 billion.' }]

  it('has the 8-K events of the last twelve months, their texts read when it is asked', async () => {
    const known = asking(loadedCompany(filings), {
      documents: async (loaded, { filings: reports, name }) => {
        expect(name).toBe('Example Devices Inc.')
        loaded.put(
          secEvents,
          filings
            .filter(({ accession }) => reports.some(report => report.accession === accession))
            .map(report => event(report, report.items.includes('2.02') ? { figures } : {})),
        )
      },
    })
    const { recent_material_events: events } = await ask(dataDiligence, { cik }, known)
    expect(
      events.map(({ form, filed, summary, figures, note }) => [form, filed, summary, figures, note]),
    ).toEqual([
      ['8-K', '2025-05-01', 'The text of 8-K 2025-05-01.', figures, undefined],
      ['8-K/A', '2025-04-20', 'The text of 8-K/A 2025-04-20.', undefined, undefined],
      ['8-K', '2025-04-14', 'The text of 8-K 2025-04-14.', undefined, undefined],
      ['8-K', '2025-03-02', 'The text of 8-K 2025-03-02.', undefined, undefined],
    ])
    expect(events[0]?.url).toMatch(
      /^https:\/\/www\.sec\.gov\/Archives\/edgar\/data\/9000003\/\d{18}\/document\.htm$/,
    )
    expect(known.fetched).toEqual(['event_texts'])
    await ask(dataDiligence, { cik }, known)
    expect(known.fetched).toEqual(['event_texts'])
  })

  it('describes an event by its items if its text does not come in time, and says so', async () => {
    const { recent_material_events: events } = await ask(dataDiligence, { cik }, inTime(2))
    expect(events.map(({ summary, note }) => [summary, note !== undefined])).toEqual([
      ['The text of 8-K 2025-05-01.', false],
      ['Example Devices Inc. amended an earlier report: changed its auditor.', true],
      ['The text of 8-K 2025-04-14.', false],
      [null, true],
    ])
  })

  /** So many texts come before the time is over. */
  const inTime = (count: number) =>
    asking(loadedCompany(filings), {
      documents: async loaded => {
        loaded.put(
          secEvents,
          filings.slice(0, count).map(report => event(report)),
        )
        throw new UpstreamFailed('event_texts took longer than 10000 ms')
      },
    })

  it.each([0, 1])('is not sold with the texts of %i of 4 events', async count => {
    const failure = ask(dataDiligence, { cik }, inTime(count))
    await expect(failure).rejects.toThrow(
      `${4 - count} of 4 reports of the last year could not be read in time`,
    )
    await expect(failure).rejects.toBeInstanceOf(NotReady)
  })

  it('asks for no known text, and not again for one that EDGAR does not have', async () => {
    const known = asked()
    known.looked.put(
      secEvents,
      filings.map((report, i) => event(report, { told_by: i % 2 ? 'no text' : 'model' })),
    )
    const { recent_material_events: events } = await ask(dataDiligence, { cik }, known)
    expect(events.map(({ note }) => note)).toEqual([undefined, undefined, undefined, undefined])
    expect(known.fetched).toEqual([])
  })

  it('is no answer after an error of ours', async () => {
    const known = asking(loadedCompany(filings), {
      documents: () => Promise.reject(new TypeError('a mistake')),
    })
    await expect(ask(dataDiligence, { cik }, known)).rejects.toThrow('a mistake')
  })

  it('has ten events at most', async () => {
    const many = Array.from({ length: 12 }, (_, i) => filing('8-K', `2025-05-${10 + i}`, { items: ['8.01'] }))
    const { recent_material_events: events } = await ask(
      dataDiligence,
      { cik },
      asking(loadedCompany(many), reading(many)),
    )
    expect(events.map(({ filed }) => filed)).toEqual(
      Array.from({ length: 10 }, (_, i) => `2025-05-${21 - i}`),
    )
  })

  it('names the newest filing of each kind that counts, and of offerings and late reports those of a year', async () => {
    const { key_filings: found } = await ask(dataDiligence, { cik }, asked())
    expect(found?.map(({ form, title }) => [form, title])).toEqual([
      ['10-K', 'Annual report (10-K) for the period ended 2024-12-31'],
      ['10-Q', 'Quarterly report (10-Q) for the period ended 2025-03-31'],
      ['DEF 14A', 'Proxy statement (DEF 14A) for the meeting of 2025-05-20'],
      ['424B5', 'Offering of securities (424B5)'],
      ['NT 10-K', 'Notice of a late report (NT 10-K)'],
    ])
  })

  it('finds the annual report of a heavy filer beyond its newest filings', async () => {
    const recent = Array.from({ length: 5 }, (_, i) => filing('424B2', `2025-06-1${i}`))
    const heavy = loadedCompany(recent).put(secCompanies, [company({ filing_count: 7 })])
    const older = [filing('10-K', '2025-02-20'), filing('DEF 14A', '2025-04-10')]
    const known = asking(heavy, { olderFilings: loaded => Boolean(loaded.put(secFilings, older)) })
    const { key_filings: found } = await ask(dataDiligence, { cik }, known)
    expect(found?.map(({ form }) => form)).toEqual(['10-K', 'DEF 14A', '424B2'])
    expect(known.fetched).toEqual(['older_filings'])
  })

  it('finds the year’s events of a heavy filer beyond its newest thousand', async () => {
    const recent = Array.from({ length: 1000 }, (_, i) =>
      filing('424B2', '2025-06-20', { accession: `0009000003-25-9${String(i).padStart(5, '0')}` }),
    )
    const older = [
      filing('10-K', '2025-02-20'),
      filing('8-K', '2025-03-03', { items: ['2.05'] }),
      filing('8-K', '2024-03-03'),
    ]
    const known = asking(loadedCompany([...recent, ...older]), reading(older))
    const answer = await ask(dataDiligence, { cik }, known)
    expect(answer.recent_material_events.map(({ filed, summary }) => [filed, summary])).toEqual([
      ['2025-03-03', 'The text of 8-K 2025-03-03.'],
    ])
    expect(answer.key_filings?.map(({ form }) => form)).toEqual(['10-K', '424B2'])
    expect(known.fetched).toEqual(['event_texts'])
  })

  it('has no ratios without financial data, and no events of a foreign filer', async () => {
    const foreign = new Loaded()
      .put(secCompanies, [company({ filing_count: 1 })])
      .put(secFilings, [filing('6-K', '2025-06-01', { is_xbrl: false })])
    const answer = await ask(dataDiligence, { cik }, asking(foreign))
    expect(answer).toMatchObject({ ratios: null, financials: null, recent_material_events: [] })
    expect(answer.key_filings?.map(({ form }) => form)).toEqual(['6-K'])
  })
})

describe('is refused, free:', () => {
  it.each([
    [{}, 400, 'missing_company'],
    [{ ticker: 'EXD', cik: 1 }, 400, 'conflicting_company'],
    [{ ticker: 'ZZZZ' }, 422, 'unknown_ticker'],
    [{ cik: 1 }, 422, 'unknown_company'],
  ])('%j: %i %s', async (body, status, error) => {
    expect(await refusal(dataDiligence, body, asked())).toMatchObject({ status, error, charged: false })
  })

  it('a filer who has filed nothing that counts', async () => {
    const person = new Loaded()
      .put(secCompanies, [company({ filing_count: 1 })])
      .put(secFilings, [filing('4', '2025-06-01', { is_xbrl: false })])
    expect(await refusal(dataDiligence, { cik }, asking(person))).toMatchObject({
      ...{ status: 422, error: 'nothing_filed', charged: false },
    })
  })

  it('a question with a field too many', async () => {
    await expect(ask(dataDiligence, { cik, form: '8-K' }, asked())).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })
})
