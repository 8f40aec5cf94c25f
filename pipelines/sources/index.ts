/** Every source, in one list. */
import { alerts } from './alerts.ts'
import { ecb } from './ecb.ts'
import { faa } from './faa.ts'
import { sec } from './sec.ts'
import type { Source } from './source.ts'

export const sources: readonly Source[] = [ecb, faa, alerts, ...sec] as readonly Source[]
