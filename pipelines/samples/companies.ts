/** One company in EDGAR's documents: its filings and the facts of its reports, with their original dates. */
import { readFileSync } from 'node:fs'
import { pages } from './pages.ts'

const read = (file: string) => () => readFileSync(new URL(`sec/${file}`, import.meta.url), 'utf8')

/** An empty feed: on this day nobody files. */
const currentFilings = (now: number): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><updated>${new Date(now).toISOString()}</updated></feed>`

/** The pages of both hosts. */
export const sample = pages({
  '/files/company_tickers_exchange.json': read('tickers.json'),
  '/cgi-bin/browse-edgar': currentFilings,
  '/submissions/CIK0000320193.json': read('submissions.json'),
  '/api/xbrl/companyfacts/CIK0000320193.json': read('companyfacts.json'),
})
