/** One company as EDGAR tells of it: its filings and the facts of its reports, as filed. Nothing is dated anew. */
import { readFileSync } from 'node:fs'
import { pages } from './pages.ts'

const read = (file: string) => () => readFileSync(new URL(`sec/${file}`, import.meta.url), 'utf8')

/** A quiet day: nobody files. */
const currentFilings = (now: number): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><updated>${new Date(now).toISOString()}</updated></feed>`

/** Of both hosts. */
export const sample = pages({
  '/files/company_tickers_exchange.json': read('tickers.json'),
  '/cgi-bin/browse-edgar': currentFilings,
  '/submissions/CIK0000320193.json': read('submissions.json'),
  '/api/xbrl/companyfacts/CIK0000320193.json': read('companyfacts.json'),
})
