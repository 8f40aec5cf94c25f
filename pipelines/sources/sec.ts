/** The sources of EDGAR's facts: tickers every few hours, new filings every minute, bulk files every night. */
import { bulkFacts, bulkSubmissions } from './sec/bulk.ts'
import { current } from './sec/current.ts'
import { tickers } from './sec/tickers.ts'

export const sec = [tickers, current, bulkSubmissions, bulkFacts] as const
