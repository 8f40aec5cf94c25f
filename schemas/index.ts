/** Every dataset, in one list. */
import { airportEvents } from './airport-events.ts'
import type { Dataset } from './dataset.ts'
import { fxRates } from './fx-rates.ts'
import { rejects } from './rejects.ts'
import { settlements } from './settlements.ts'
import { sourceTicks } from './source-ticks.ts'
import { tillClaims } from './till-claims.ts'
import { tillIntents } from './till-intents.ts'

export const datasets: readonly Dataset[] = [
  fxRates,
  airportEvents,
  settlements,
  sourceTicks,
  rejects,
  tillClaims,
  tillIntents,
]
