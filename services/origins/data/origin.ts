/** Public data: rates, airports, addresses, weather, companies, the market of x402 sellers. */
import manifest from '../../../package.json' with { type: 'json' }
import { salesCorrected } from '../../../schemas/sales-corrected.ts'
import { defineOrigin } from '../../offer/origin.ts'
import { airportStatus } from './airport/airport-status.ts'
import { dataCompany } from './company/data-company.ts'
import { dataDiligence } from './company/data-diligence.ts'
import { secCompany } from './company/sec-company.ts'
import { secEvents } from './company/sec-events.ts'
import { secFinancials } from './company/sec-financials.ts'
import { secInsiders } from './company/sec-insiders.ts'
import { versionsOfFinancials } from './company/versions.ts'
import { dataDrawings } from './drawings.ts'
import { dataWords } from './field-words.ts'
import { fx } from './fx/fx.ts'
import { fxBatch } from './fx/fx-batch.ts'
import { fxHistory } from './fx/fx-history.ts'
import { versionsOfRates } from './fx/versions.ts'
import { geocode } from './geocode/geocode.ts'
import { geocodeBatch } from './geocode/geocode-batch.ts'
import { geocodeReverse } from './geocode/geocode-reverse.ts'
import { ip } from './ip/ip.ts'
import { ipBatch } from './ip/ip-batch.ts'
import { marketBest } from './market/market-best.ts'
import { marketDataset } from './market/market-dataset.ts'
import { marketHistory } from './market/market-history.ts'
import { marketMethod } from './market/market-method.ts'
import { marketSeller } from './market/market-seller.ts'
import { weather } from './weather/weather.ts'

export const data = defineOrigin({
  name: 'data',
  title: 'Public data sold by the call',
  version: manifest.version,
  address: 'PUBLIC_URL',
  words: dataWords,
  drawings: dataDrawings,
  operations: [
    fx,
    fxBatch,
    fxHistory,
    airportStatus,
    ip,
    ipBatch,
    weather,
    geocode,
    geocodeBatch,
    geocodeReverse,
    secCompany,
    secFinancials,
    secInsiders,
    secEvents,
    dataCompany,
    dataDiligence,
    marketSeller,
    marketBest,
    marketDataset,
    marketHistory,
  ],
  versions: {
    [fx.id]: versionsOfRates(fx),
    [fxBatch.id]: versionsOfRates(fxBatch),
    [fxHistory.id]: versionsOfRates(fxHistory),
    [secFinancials.id]: versionsOfFinancials,
  },
  writes: [salesCorrected],
  free: [marketMethod],
  pages: [],
})
