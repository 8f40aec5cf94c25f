import { describe, expect, it } from 'vitest'
import { UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { secCompanies } from '../../../../../schemas/sec-companies.ts'
import { secFilings } from '../../../../../schemas/sec-filings.ts'
import { secFinancials } from '../../../../../schemas/sec-financials.ts'
import { Failure } from '../../../../../services/offer/errors.ts'
import { secCompany } from '../../../../../services/origins/data/company/sec-company.ts'
import type { Shelf } from '../../../../../services/query/shelf.ts'
import { ask, askText, polled } from '../../ask.ts'
import { Loaded } from '../../loaded.ts'
import { refusal } from '../../refusal.ts'
import { asking, cik, company, filing, loadedCompany, now, ofFacts, shelfOf } from './a-company.ts'

const filings = [
  filing('10-K', '2025-02-20', { report_date: '2024-12-31', primary_document: 'exd-20241231.htm' }),
  filing('10-K/A', '2025-04-28'),
  filing('4', '2025-05-02', { primary_document: 'xslF345X05/form4.xml' }),
  filing('UPLOAD', '2025-03-01', { primary_document: '' }),
  filing('SCHEDULE 13G', '2025-02-12'),
  filing('SC 13G', '2024-02-12'),
]
const forms = (answer: { recent_filings: { form: string }[] }) =>
  answer.recent_filings.map(({ form }) => form)

describe('a company that is loaded', () => {
  const asked = () => asking(loadedCompany(filings))

  it('is answered whole', async () => {
    expect(await ask(secCompany, { ticker: 'EXD', limit: 1, form: '10-K' }, asked())).toEqual({
      cik,
      name: 'Example Devices Inc.',
      tickers: ['EXD', 'EXD-PA'],
      exchanges: ['Nasdaq'],
      industry: 'Electronic Computers',
      state_of_incorporation: 'DE',
      fiscal_year_end: '12-31',
      business_address: '1 Example Way, Springfield, DE 19700',
      edgar_url: 'https://www.sec.gov/edgar/browse/?CIK=9000003',
      recent_filings: [
        {
          form: '10-K',
          filed: '2025-02-20',
          report_date: '2024-12-31',
          accession: filings[0]?.accession,
          url: `https://www.sec.gov/Archives/edgar/data/9000003/${filings[0]?.accession.replaceAll('-', '')}/exd-20241231.htm`,
        },
      ],
      source: 'SEC EDGAR (sec.gov)',
    })
  })

  it('is the same however people write a class of its stock, which the SEC lists as BRK-B', async () => {
    const listed = () => asking(loadedCompany(filings), {}, { 'BRK-A': cik, 'BRK-B': cik })
    const answers = await Promise.all(
      ['BRK-B', 'BRK.B', 'brk/b', 'brk.b', '$BRK.B'].map(ticker => askText(secCompany, { ticker }, listed())),
    )
    expect(new Set(answers).size).toBe(1)
    expect(JSON.parse(answers[0] as string)).toMatchObject({ cik })
  })

  it('is the same by ticker, by cik, and by a cik as text', async () => {
    const answers = await Promise.all(
      [
        { ticker: 'exd' },
        { ticker: 'EXD.PRA' },
        { cik },
        { cik: 'CIK0009000003' },
        { cik: '9000003', ticker: null },
      ].map(body => askText(secCompany, body, asked())),
    )
    expect(new Set(answers).size).toBe(1)
  })

  it('is never fetched', async () => {
    const known = asked()
    await ask(secCompany, { ticker: 'EXD' }, known)
    expect(known.fetched).toEqual([])
  })

  it('lists the newest first, and no more than asked', async () => {
    const answer = await ask(secCompany, { cik, limit: 3 }, asked())
    expect(forms(answer)).toEqual(['4', '10-K/A', 'UPLOAD'])
  })

  it('links to the readable rendering of a form 4, and to the index of a filing without a document', async () => {
    const { recent_filings: found } = await ask(secCompany, { cik }, asked())
    expect(found.find(({ form }) => form === '4')?.url).toMatch(/\/xslF345X05\/form4\.xml$/)
    expect(found.find(({ form }) => form === 'UPLOAD')?.url).toMatch(/\d{10}-\d\d-\d{6}-index\.htm$/)
  })

  it.each([
    ['10-K', ['10-K']],
    ['10k', ['10-K']],
    ['form 10-K', ['10-K']],
    ['10-K/A', ['10-K/A']],
    ['SC 13G', ['SCHEDULE 13G', 'SC 13G']],
    ['schedule 13g', ['SCHEDULE 13G', 'SC 13G']],
    ['X-17A-5', []],
  ])('of form %s lists %j', async (form, expected) => {
    expect(forms(await ask(secCompany, { cik, form }, asked()))).toEqual(expected)
  })

  it('is serialised once, until one of its topics has an event about it', async () => {
    const known = asked()
    const first = await ask(secCompany, { cik }, known)
    expect(await ask(secCompany, { cik }, known)).toEqual(first)
    known.looked.put(secFilings, [filing('8-K', '2025-06-29')])
    expect(forms(await ask(secCompany, { cik, limit: 1 }, known))).toEqual(['8-K'])
    expect(forms(await ask(secCompany, { cik }, known))).toHaveLength(7)
  })
})

describe('older pages', () => {
  const recent = Array.from({ length: 5 }, (_, i) => filing('424B2', `2025-06-1${i}`))
  const older = [filing('10-K', '2024-02-20'), filing('10-K', '2023-02-21'), filing('424B2', '2022-01-03')]
  const heavy = () => new Loaded().put(secCompanies, [company({ filing_count: 8 })]).put(secFilings, recent)
  const brings = (loaded: Loaded) => Boolean(loaded.put(secFilings, older))

  it('are fetched if the newest filings do not fill the list of a form', async () => {
    const asked = asking(heavy(), { olderFilings: brings })
    const answer = await ask(secCompany, { cik, form: '10-K' }, asked)
    expect(answer.recent_filings.map(({ filed }) => filed)).toEqual(['2024-02-20', '2023-02-21'])
    expect(asked.fetched).toEqual(['older_filings'])
  })

  it('are fetched once', async () => {
    const asked = asking(heavy(), { olderFilings: brings })
    for (const form of ['10-K', '10-K', 'NT 10-K']) await ask(secCompany, { cik, form }, asked)
    expect(asked.fetched).toEqual(['older_filings'])
  })

  it('are fetched once of a filer that makes no annual reports', async () => {
    const asked = asking(heavy(), { olderFilings: loaded => Boolean(loaded.put(secFilings, older.slice(2))) })
    for (const form of ['10-K', 'NT 10-K']) await ask(secCompany, { cik, form }, asked)
    expect(asked.fetched).toEqual(['older_filings'])
  })

  it('are known to be loaded by the old annual reports among them', async () => {
    const asked = asking(
      heavy()
        .put(secCompanies, [company({ filing_count: 2000 })])
        .put(secFilings, older),
    )
    const many = Array.from({ length: 1000 }, (_, i) =>
      filing('424B2', '2025-06-20', { accession: `0009000003-25-9${String(i).padStart(5, '0')}` }),
    )
    asked.looked.put(secFilings, many)
    expect(forms(await ask(secCompany, { cik, form: 'NT 10-K' }, asked))).toEqual([])
    expect(asked.fetched).toEqual([])
  })

  it('are not requested if all of the company is loaded', async () => {
    const asked = asking(loadedCompany(filings))
    await ask(secCompany, { cik, form: 'NT 10-K' }, asked)
    expect(asked.fetched).toEqual([])
  })

  it('are left alone if the list is full, or if all of the company is loaded', async () => {
    const asked = asking(heavy(), { olderFilings: brings })
    await ask(secCompany, { cik, form: '424B2', limit: 5 }, asked)
    await ask(secCompany, { cik }, asked)
    expect(asked.fetched).toEqual([])
  })
})

describe('a company that is not loaded', () => {
  const fetches = { company: (loaded: Loaded) => Boolean(loaded.put(secCompanies, [company()])) }

  it('is fetched, then answered', async () => {
    const asked = asking(new Loaded().put(secFinancials, [ofFacts()]), fetches)
    expect((await ask(secCompany, { ticker: 'EXD' }, asked)).name).toBe('Example Devices Inc.')
    expect(asked.fetched).toEqual(['company'])
  })

  it('is not ready if it does not appear after the fetch', async () => {
    const asked = asking(new Loaded(), { company: () => true })
    await expect(ask(secCompany, { cik }, asked)).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  })
})

describe('a ticker that the daily list does not have', () => {
  const listing = [{ ticker: 'NEW-A', day: '2025-06-30', cik, name: '', exchange: null }]

  it('is looked up in the current list', async () => {
    const asked = asking(loadedCompany(), { listing })
    expect((await ask(secCompany, { ticker: 'new.a' }, asked)).cik).toBe(cik)
    expect((await ask(secCompany, { ticker: 'NEWA' }, asked)).cik).toBe(cik)
    expect(asked.fetched).toEqual(['listing', 'listing'])
  })

  it('is unknown if that list does not have it either', async () => {
    const asked = asking(loadedCompany(), { listing })
    expect(await refusal(secCompany, { ticker: 'NEW-B' }, asked)).toMatchObject({ error: 'unknown_ticker' })
  })
})

describe('a cik beside a ticker', () => {
  it('decides if the ticker belongs to no company', async () => {
    expect((await ask(secCompany, { cik, ticker: 'ZZZZ' }, asking(loadedCompany()))).cik).toBe(cik)
  })
})

describe('is refused, free:', () => {
  const asked = (listed?: Record<string, number | null>) => asking(loadedCompany(), {}, listed)
  const free = { charged: false }

  it('missing_company', async () => {
    expect(await refusal(secCompany, {}, asked())).toEqual({
      ...free,
      status: 400,
      error: 'missing_company',
      message: 'Send a ticker or a cik. Nothing was charged.',
    })
  })

  it('conflicting_company', async () => {
    expect(await refusal(secCompany, { ticker: 'EXD', cik: 320193 }, asked())).toEqual({
      ...free,
      status: 400,
      error: 'conflicting_company',
      message: 'The ticker EXD belongs to cik 9000003, not to 320193. Nothing was charged.',
    })
  })

  it('unknown_ticker, one that has left the list too', async () => {
    for (const listed of [{ EXD: cik }, { EXD: cik, OLD: null }])
      expect(await refusal(secCompany, { ticker: 'OLD' }, asked(listed))).toEqual({
        ...free,
        status: 422,
        error: 'unknown_ticker',
        message:
          'The SEC lists no ticker OLD; if the company has left the list, send its cik. Nothing was charged.',
      })
  })

  it('unknown_ticker with the content of the sample, if a bundled sample replaces the list', async () => {
    const sampled = { ...asked({ EXD: cik, 'EXD-PA': cik, OLD: null }), sampled: true }
    expect(await refusal(secCompany, { ticker: 'NVDA' }, sampled)).toMatchObject({
      error: 'unknown_ticker',
      message: 'The bundled sample of tickers lacks NVDA; it holds EXD, EXD-PA. Nothing was charged.',
    })
  })

  it('unknown_company', async () => {
    expect(await refusal(secCompany, { cik: 77 }, asked())).toMatchObject({
      status: 422,
      error: 'unknown_company',
    })
    expect(await refusal(secCompany, { cik: 77 }, { ...asked(), sampled: true })).toMatchObject({
      message: 'The bundled sample of filers lacks the cik 77. Nothing was charged.',
    })
  })

  it('unknown_company of a cik that no filer has had yet, without asking EDGAR', async () => {
    const known = asked()
    expect(await refusal(secCompany, { cik: 9_999_999_999 }, known)).toMatchObject({
      error: 'unknown_company',
    })
    expect([known.fetched, known.looked.asked]).toEqual([[], []])
  })

  it.each([
    { ticker: '' },
    { ticker: 5 },
    { cik: 0 },
    { cik: 1.5 },
    { cik: 'apple' },
    { cik: 10_000_000_000 },
    { cik, limit: 0 },
    { cik, limit: 41 },
    { cik, form: '' },
    { cik, filings: 3 },
  ])('a malformed question: %j', async body => {
    await expect(ask(secCompany, body, asked())).rejects.toBeInstanceOf(Failure)
    await expect(ask(secCompany, body, asked())).rejects.toMatchObject({
      code: 'invalid_request',
      status: 400,
    })
  })

  it('a ticker before the list is loaded', async () => {
    const { shelf: _, ...rest } = asked()
    const { Shelf } = await import('../../../../../services/query/shelf.ts')
    await expect(
      ask(secCompany, { ticker: 'EXD' }, { ...rest, shelf: new Shelf(rest.now) }),
    ).rejects.toMatchObject({
      code: 'not_ready',
      status: 503,
    })
  })
})

describe('a company that was loaded long ago', () => {
  const stale = () => {
    const loaded = loadedCompany(undefined, { read_at: '2025-06-20T00:00:00.000Z' })
    return { loaded, shelf: shelfOf({ EXD: cik }) }
  }
  const silentFor = (shelf: Shelf, hours: number) => polled(shelf, 'sec_current', now() - hours * 3_600_000)

  it('counts as fresh while the feed of new filings is read', async () => {
    const { loaded, shelf } = stale()
    silentFor(shelf, 23)
    const asked = { ...asking(loaded), shelf }
    expect(await ask(secCompany, { cik }, asked)).toMatchObject({ cik })
    expect(asked.fetched).toEqual([])
  })

  it('is fetched anew once the feed is silent for a day', async () => {
    const { loaded, shelf } = stale()
    silentFor(shelf, 25)
    const asked = {
      ...asking(loaded, { company: to => Boolean(to.put(secCompanies, [company({ name: 'Anew Inc.' })])) }),
      shelf,
    }
    expect(await ask(secCompany, { cik }, asked)).toMatchObject({ name: 'Anew Inc.' })
  })

  it('is a free 502 if EDGAR is away as well', async () => {
    const { loaded, shelf } = stale()
    silentFor(shelf, 25)
    const find = () => Promise.reject(new UpstreamFailed('EDGAR answered 503'))
    await expect(ask(secCompany, { cik }, { ...asking(loaded), shelf, find })).rejects.toThrow(UpstreamFailed)
  })
})
