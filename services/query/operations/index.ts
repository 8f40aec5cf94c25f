/** Every paid operation, in one list. */
import type { Operation } from '../operation.ts'
import { airportStatus } from './airport-status.ts'
import { dataCompany } from './data-company.ts'
import { dataDiligence } from './data-diligence.ts'
import { fx } from './fx.ts'
import { geocode } from './geocode.ts'
import { ip } from './ip.ts'
import { marketBest } from './market-best.ts'
import { marketDataset } from './market-dataset.ts'
import { marketSeller } from './market-seller.ts'
import { secCompany } from './sec-company.ts'
import { secFinancials } from './sec-financials.ts'

import { weather } from './weather.ts'

export const operations: readonly Operation[] = [
  fx,
  airportStatus,
  ip,
  weather,
  geocode,
  secCompany,
  secFinancials,
  dataCompany,
  dataDiligence,
  marketSeller,
  marketBest,
  marketDataset,
]
