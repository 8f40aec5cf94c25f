/** Every paid operation, in one list. */
import type { Operation } from '../operation.ts'
import { airportStatus } from './airport-status.ts'
import { fx } from './fx.ts'
import { geocode } from './geocode.ts'
import { ip } from './ip.ts'

export const operations: readonly Operation[] = [fx, airportStatus, ip, geocode]
