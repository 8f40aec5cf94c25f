/** One company as EDGAR tells of it: its filings and the facts of its reports, as filed. Nothing is dated anew. */
import { readFileSync } from 'node:fs'

const read = (file: string) => () => readFileSync(new URL(`sec/${file}`, import.meta.url), 'utf8')

export const ticker = read('tickers.json')
export const submissions = read('submissions.json')
export const companyFacts = read('companyfacts.json')

/** A quiet day: nobody files. */
export const currentFilings = (now: number): string =>
  `<?xml version="1.0" encoding="ISO-8859-1" ?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>Latest Filings</title><updated>${new Date(now).toISOString()}</updated></feed>`
