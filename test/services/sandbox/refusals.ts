/** A question that meets each refusal of each operation of the data origin, over the samples of the sandbox. */
import { dayPlus } from '../../../schemas/tables/target-calendar.ts'
import { instant } from '../../../schemas/values/values.ts'

const today = instant(Date.now()).slice(0, 10)
/** An invented company that files reports without figures. */
const withoutFigures = { cik: 4000000001 }

const ofCompanies = {
  missing_company: {},
  conflicting_company: { ticker: 'AAPL', ...withoutFigures },
  unknown_ticker: { ticker: 'ZZZZ' },
  unknown_company: { cik: 999 },
}
const ofRates = {
  invalid_date: { from: 'USD', to: 'JPY', date: '2026-02-30' },
  date_out_of_range: { from: 'USD', to: 'JPY', date: dayPlus(today, -400) },
  unsupported_currency: { from: 'USD', to: 'XAU' },
}
const unpaidSeller = { no_activity: { host: 'closed.emptyquay.dev' } }
const unknownSeller = { invalid_host: { host: 'no host' }, unknown_seller: { host: 'nobody.dev' } }

export const refusals: Record<string, Record<string, object | undefined>> = {
  // The samples have a rate of every currency on each of the last 90 days.
  '/fx': { ...ofRates, no_rate: undefined },
  '/fx/batch': { nothing_answered: { items: [ofRates.unsupported_currency] } },
  '/fx/history': {
    invalid_date: { from: 'USD', to: 'JPY', start: '2026-02-30' },
    date_out_of_range: { from: 'USD', to: 'JPY', start: '1990-01-01' },
    unsupported_currency: { from: 'USD', to: 'XAU', start: '2026-04-02' },
    no_rate: { from: 'USD', to: 'CNY', start: '2004-06-01', end: '2004-06-30' },
  },
  '/airport/status': { unknown_airport: { airport: 'QQQQ' }, outside_coverage: { airport: 'LHR' } },
  '/ip': {
    invalid_ip: { ip: '8.8.8' },
    reserved_address: { ip: '10.0.0.1' },
    unknown_address: { ip: '5.5.5.5' },
  },
  '/ip/batch': { nothing_answered: { items: [{ ip: '10.0.0.1' }] } },
  '/weather': {
    outside_coverage: { lat: 48.85, lon: 2.35 },
    marine_location: { lat: 43.5, lon: -87 },
    no_match: { address: '1 Nowhere St, Boston, MA' },
  },
  '/geocode': { no_match: { address: '1 Nowhere St, Boston, MA' } },
  '/geocode/batch': { nothing_answered: { items: [{ address: '1 Nowhere St, Boston, MA' }] } },
  '/geocode/reverse': { outside_coverage: { lat: 48.85, lon: 2.35 } },
  '/sec/company': ofCompanies,
  '/sec/financials': {
    ...ofCompanies,
    future_date: { ticker: 'AAPL', as_of: dayPlus(today, 2) },
    no_financial_data: withoutFigures,
  },
  '/sec/insiders': {
    ...ofCompanies,
    invalid_span: { ticker: 'AAPL', from: '2026-02-02', to: '2026-02-01' },
    no_match: { ticker: 'AAPL', from: '2025-02-01', to: '2025-02-02' },
  },
  '/sec/events': {
    invalid_span: { from: '2026-02-02', to: '2026-02-01' },
    no_match: { industry: 'whaling' },
  },
  '/data/company': ofCompanies,
  // Each company of the samples has filed something.
  '/data/diligence': { ...ofCompanies, nothing_filed: undefined },
  '/market/seller': { ...unknownSeller, ...unpaidSeller },
  '/market/best': { no_match: { task: 'knit a scarf for a walrus' } },
  '/market/dataset': {},
  '/market/history': unknownSeller,
}
