/** Every source, in one list. */
import { alerts } from './alerts.ts'
import { catalog } from './catalog.ts'
import { ecb } from './ecb.ts'
import { faa } from './faa.ts'
import { paymentsBase } from './payments-base.ts'
import { paymentsSolana } from './payments-solana.ts'
import { sec } from './sec.ts'
import type { Source } from './source.ts'

export const sources: readonly Source[] = [
  ecb,
  faa,
  alerts,
  ...sec,
  catalog,
  paymentsBase,
  paymentsSolana,
] as readonly Source[]
