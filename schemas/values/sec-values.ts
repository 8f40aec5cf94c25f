/** The values in EDGAR's facts. */
import { z } from 'zod'

export const Accession = z.string().regex(/^\d{10}-\d{2}-\d{6}$/, 'an accession number')

/** Facts come by the hundred million. So the check covers what the store can hold, and not the calendar. */
export const SecDay = z
  .string()
  .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, 'a date as YYYY-MM-DD, from 1900 on')

export const paddedCik = (cik: number): string => String(cik).padStart(10, '0')
