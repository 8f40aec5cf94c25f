/** Every dataset, in one list. */
import type { Dataset } from './dataset.ts'
import { rejects } from './rejects.ts'
import { settlements } from './settlements.ts'
import { sourceTicks } from './source-ticks.ts'

export const datasets: readonly Dataset[] = [sourceTicks, settlements, rejects]
