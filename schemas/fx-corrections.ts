/** Days of rates that the European Central Bank has published a second time, with other rates. */
import { defineDataset, field, latest, type RowOf } from './dataset/dataset.ts'
import { fxRates } from './fx-rates.ts'
import { Instant } from './values/values.ts'

const { day, rates } = fxRates.fields

const fields = {
  day,
  at: field(Instant, "DateTime64(3, 'UTC')", 'When we read the new rates'),
  was: { ...rates, about: 'The rates before, as published' },
  rates: { ...rates, about: 'The rates after, as published' },
}

export type FxCorrection = RowOf<typeof fields>

export const fxCorrected = latest<FxCorrection>({
  name: 'fx_corrected',
  about: 'Every correction of a day of euro reference rates: what it was, what it is, and since when',
  key: ['day', 'at'],
  held: true,
  required: false,
})

export const fxCorrections = defineDataset({
  name: 'fx_corrections',
  about: 'Corrections of euro reference rates by the European Central Bank, a row each',
  fields,
  key: ['day', 'at'],
  identity: ['day', 'at'],
  views: [fxCorrected],
})
