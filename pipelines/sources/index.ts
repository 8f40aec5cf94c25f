/** The sources that every ingest process polls. Payments are read per network: payments.ts makes a source for each. */
import type { Summarise } from '../domains/company/events/model.ts'
import { alerts } from './alerts.ts'
import { catalog } from './catalog.ts'
import { ecb } from './ecb.ts'
import { faa } from './faa.ts'
import { nbp } from './nbp.ts'
import { sec } from './sec.ts'
import type { Source } from './source.ts'

/** What sources need in addition to the outside. Each gets what it declares. */
interface SourceNeeds {
  dataDir: string
  tell(line: string): void
  summarise?: Summarise | undefined
}

export const sources: readonly Source<unknown, SourceNeeds>[] = [ecb, nbp, faa, alerts, ...sec, catalog]
