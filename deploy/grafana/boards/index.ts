/** Every board, in one list. */
import type { Board } from '../board.ts'
import { airports } from './airports.ts'
import { books } from './books.ts'
import { door } from './door.ts'
import { filings } from './filings.ts'
import { freshness } from './freshness.ts'
import { market } from './market.ts'
import { pipeline } from './pipeline.ts'
import { process } from './process.ts'
import { rails } from './rails.ts'
import { sales } from './sales.ts'
import { till } from './till.ts'
import { watching } from './watching.ts'

/** For operators, out of Prometheus. */
export const operating: readonly Board[] = [sales, freshness, pipeline, rails, till, watching, process]
/** For analysts, out of ClickHouse. */
export const analysing: readonly Board[] = [books, door, market, filings, airports]
