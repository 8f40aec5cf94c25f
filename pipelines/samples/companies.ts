/**
 * One company as EDGAR describes it, with its real dates, and an invented one that files today: a report and a Form
 * 4, and three whose figures need reading. The recorded company files an invented Form 4 today as well, because a recorded one names a living person.
 */
import { readFileSync } from 'node:fs'
import { factsOfFiler, filers, submissionsOfFiler, withTickers } from './filers.ts'
import { pages } from './pages.ts'

const read = (file: string) => () => text(file)
const text = (file: string) => readFileSync(new URL(`sec/${file}`, import.meta.url), 'utf8')

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
const cik = '4000000001'
const report = `${cik}-26-000002`
const form4 = `${cik}-26-000001`
const recorded = { cik: '320193', form4: `${cik}-26-000003` }
const folder = (accession: string, of = cik) => `/Archives/edgar/data/${of}/${accession.replaceAll('-', '')}`
const hourMs = 3_600_000

const entry = (form: string, role: string, accession: string, now: number): string => `<entry>
<title>${form} - Example Devices Inc. (${cik}) (${role})</title>
<summary type="html"> &lt;b&gt;Filed:&lt;/b&gt; ${dayOf(now)} &lt;b&gt;AccNo:&lt;/b&gt; ${accession} &lt;b&gt;Size:&lt;/b&gt; 9 KB</summary>
<updated>${new Date(now - hourMs).toISOString()}</updated>
</entry>`

/** On a quiet day nobody else files. */
const currentFilings = (now: number): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><updated>${new Date(now).toISOString()}</updated>
${entry('8-K', 'Filer', report, now)}
${entry('4', 'Issuer', form4, now)}
</feed>`

const submissions = (now: number): string => {
  const [day, at] = [dayOf(now), new Date(now - hourMs).toISOString()]
  return JSON.stringify({
    cik,
    entityType: 'operating',
    sic: '3571',
    sicDescription: 'Electronic Computers',
    name: 'Example Devices Inc.',
    tickers: [],
    exchanges: [],
    category: 'Accelerated filer',
    fiscalYearEnd: '1231',
    stateOfIncorporation: 'DE',
    stateOfIncorporationDescription: 'DE',
    addresses: null,
    formerNames: [],
    filings: {
      recent: {
        accessionNumber: [report, form4],
        filingDate: [day, day],
        reportDate: [day, day],
        acceptanceDateTime: [at, at],
        form: ['8-K', '4'],
        items: ['2.02,9.01', ''],
        primaryDocument: ['report.htm', 'xslF345X05/form4.xml'],
        primaryDocDescription: ['8-K', 'FORM 4'],
        size: [9000, 6000],
        isXBRL: [0, 0],
      },
      files: [],
    },
  })
}

function recordedSubmissions(now: number): string {
  const told = JSON.parse(text('submissions.json')) as { filings: { recent: Record<string, unknown[]> } }
  const filing: Record<string, unknown> = {
    accessionNumber: recorded.form4,
    filingDate: dayOf(now),
    reportDate: dayOf(now),
    acceptanceDateTime: new Date(now - hourMs).toISOString(),
    form: '4',
    primaryDocument: 'xslF345X05/form4.xml',
    primaryDocDescription: 'FORM 4',
    size: 6000,
    isXBRL: 0,
    isInlineXBRL: 0,
  }
  for (const [column, values] of Object.entries(told.filings.recent)) values.unshift(filing[column] ?? '')
  return JSON.stringify(told)
}

const recordedForm4 = (now: number): string =>
  text('form4.xml')
    .replaceAll('DAY', dayOf(now))
    .replace(cik, recorded.cik.padStart(10, '0'))
    .replace('Example Devices Inc.', 'Apple Inc.')
    .replace('EXDV', 'AAPL')

const index = `<table><tr><td>2</td><td>EX-99.1</td><td><a href="${folder(report)}/release.htm">release.htm</a></td><td>EX-99.1</td><td>900</td></tr></table>`
const eightK =
  '<html><body><p>Item 2.02 Results of Operations and Financial Condition.</p><p>Example Devices Inc. issued a press release on its results for the quarter ended September 30, 2026, furnished as Exhibit 99.1.</p></body></html>'
const release =
  '<html><body><p>Example Devices Reports Third Quarter Results</p><p>Revenue was $212.4 million, an increase of 14% year-over-year.</p><p>Net income was $18.6 million, or $0.41 per diluted share.</p><p>For the fourth quarter the company expects revenue of $218 million to $222 million.</p></body></html>'

/** The pages of both hosts. */
export const sample = pages({
  '/files/company_tickers_exchange.json': () => withTickers(text('tickers.json')),
  '/cgi-bin/browse-edgar': currentFilings,
  '/submissions/CIK0000320193.json': recordedSubmissions,
  '/api/xbrl/companyfacts/CIK0000320193.json': read('companyfacts.json'),
  [`/submissions/CIK${cik}.json`]: submissions,
  ...Object.fromEntries(
    filers.flatMap(filer => [
      [`/submissions/CIK${filer.cik}.json`, () => submissionsOfFiler(filer)],
      [`/api/xbrl/companyfacts/CIK${filer.cik}.json`, () => factsOfFiler(filer)],
    ]),
  ),
  [`${folder(report)}/report.htm`]: () => eightK,
  [`${folder(report)}/${report}-index.htm`]: () => index,
  [`${folder(report)}/release.htm`]: () => release,
  [`${folder(recorded.form4, recorded.cik)}/form4.xml`]: recordedForm4,
  [`${folder(form4)}/form4.xml`]: now => text('form4.xml').replaceAll('DAY', dayOf(now)),
})
