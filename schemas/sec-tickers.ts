/** The company of each ticker, by the list that the SEC publishes. */
import { z } from 'zod'
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { Cik, IsoDate } from './values/values.ts'

const fields = {
  ticker: field(z.string().min(1), 'String', 'As the SEC spells it: BRK-B'),
  day: field(IsoDate, 'Date', 'The first day on which the list says so'),
  cik: field(Cik.nullable(), 'Nullable(UInt32)', 'The company; null: the ticker has left the list'),
  name: field(z.string(), 'String', 'Its name in the list'),
  exchange: field(z.string().nullable(), 'LowCardinality(Nullable(String))', 'Where it trades'),
}

export type SecTicker = RowOf<typeof fields>

export const tickerNow = latest<SecTicker>({
  name: 'ticker_now',
  about: 'Tickers and the companies they stand for; a ticker that has left the list has no cik',
  key: ['ticker'],
  held: true,
  source: 'sec_tickers',
})

export const secTickers = defineDataset({
  name: 'sec_tickers',
  about: 'The SEC’s list of tickers, a row for every change of it',
  fields,
  key: ['ticker'],
  identity: ['ticker', 'day'],
  views: [tickerNow],
})
