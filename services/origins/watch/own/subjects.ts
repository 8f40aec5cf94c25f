/** The answers of ours that we watch for others: the operation, the facts that change its answer, and the part that is reported. */

import canonicalize from 'canonicalize'
import type { z } from 'zod'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { airportEvents } from '../../../../schemas/airport-events.ts'
import type { Dataset } from '../../../../schemas/dataset/dataset.ts'
import { fxBankRates } from '../../../../schemas/fx-bank-rates.ts'
import { fxRates } from '../../../../schemas/fx-rates.ts'
import { marketReleases } from '../../../../schemas/market-weeks.ts'
import { secFilings } from '../../../../schemas/sec-filings.ts'
import { weatherAlerts } from '../../../../schemas/weather-alerts.ts'
import type { Operation, Tools } from '../../../offer/operation.ts'
import { airportStatus } from '../../data/airport/airport-status.ts'
import { secCompany } from '../../data/company/sec-company.ts'
import { fx } from '../../data/fx/fx.ts'
import { marketSeller } from '../../data/market/market-seller.ts'
import { weather } from '../../data/weather/weather.ts'

/** The threshold, where the watched value is a number. */
export interface Sides {
  above?: number | undefined
  below?: number | undefined
}

export interface Thing {
  event: string
  operation: Operation
  /** Events of these datasets may change the answer. */
  datasets: readonly Dataset[]
  /** The part of the answer that the subscriber watches. While it stays the same, no event is sent. */
  told(answer: unknown, sides: Sides): unknown
  /** The record key of the events that concern this answer. Absent: all of them may. */
  keyOf?(answer: unknown): string
  /** The answer changes as time passes, without an event: so often it is asked for again. */
  everyMs?: number
  needsSides?: true
}

function thing<Response extends z.ZodType>(
  // biome-ignore lint/suspicious/noExplicitAny: a thing takes the questions of any operation
  operation: Operation<any, Response, any>,
  more: Omit<Thing, 'operation' | 'told' | 'keyOf'> & {
    told(answer: z.output<Response>, sides: Sides): unknown
    keyOf?(answer: z.output<Response>): string
  },
): Thing {
  return { operation, ...more } as unknown as Thing
}

const sideOf = (rate: number, { above, below }: Sides): string => {
  if (above !== undefined && rate > above) return 'above'
  return below !== undefined && rate < below ? 'below' : 'within'
}

const minuteMs = 60_000

export const things = {
  airport: thing(airportStatus, {
    event: 'airport.status_changed',
    datasets: [airportEvents],
    told: ({ status, events = [] }) => ({
      status,
      events: events.filter(({ active }) => active).map(({ type, reason }) => ({ type, reason })),
    }),
    everyMs: minuteMs,
  }),
  currency: thing(fx, {
    event: 'currency.crossed',
    datasets: [fxRates, fxBankRates],
    told: ({ rate }, sides) => ({ side: sideOf(Number(rate), sides) }),
    needsSides: true,
  }),
  filing: thing(secCompany, {
    event: 'company.filed',
    datasets: [secFilings],
    told: ({ recent_filings: [newest] }) => ({ newest: newest?.accession ?? null }),
    keyOf: ({ cik }) => String(cik),
  }),
  alert: thing(weather, {
    event: 'weather.alerts_changed',
    datasets: [weatherAlerts],
    told: ({ alerts }) => ({ alerts: alerts.map(({ event, severity }) => `${event}, ${severity}`).sort() }),
    everyMs: minuteMs,
  }),
  seller: thing(marketSeller, {
    event: 'seller.rank_changed',
    datasets: [marketReleases],
    told: ({ rank }) => ({ rank }),
  }),
} as const satisfies Record<string, Thing>

export type ThingName = keyof typeof things
export const thingNames = Object.keys(things) as [ThingName, ...ThingName[]]

/**
 * What is watched under this name: a thing of ours, or the operation of a file at this path. The log keeps what was told in the open,
 * so of a file's answer it is the digest.
 */
export function thingOf(what: string, { watched: sold }: Pick<Tools, 'watched'>): Thing | undefined {
  if (Object.hasOwn(things, what)) return things[what as ThingName]
  const operation = sold.get(what)
  if (!operation?.watched) return undefined
  const { everyMs, told } = operation.watched
  return {
    event: 'answer.changed',
    operation,
    datasets: [],
    told: answer => ({ sha256: sha256(canonicalize(told(answer)) ?? '') }),
    everyMs,
  }
}

/** The question of a subscriber. */
export interface WatchAsked extends Sides {
  question: Record<string, unknown>
}
