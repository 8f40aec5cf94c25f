/** Many conversions in one payment. */
import { batchOf } from '../../../offer/batch.ts'
import { fx } from './fx.ts'

export const fxBatch = batchOf(fx, {
  id: 'exchangeRates',
  path: '/fx/batch',
  price: '0.02',
  title: 'Up to 100 currency conversions',
  about: `Conversions at the ECB's daily euro reference rates, which are free of charge at https://www.ecb.europa.eu/stats/eurofxref/, of rarer currencies at those of Poland's NBP.`,
})
