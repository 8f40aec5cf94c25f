/** The sources that every ingest polls. Payments are read per network: payments.ts makes a source for each. */
import { alerts } from './alerts.ts'
import { catalog } from './catalog.ts'
import { ecb } from './ecb.ts'
import { faa } from './faa.ts'
import { sec } from './sec.ts'
import type { Source } from './source.ts'

export const sources = [ecb, faa, alerts, ...sec, catalog] as readonly Source[]
