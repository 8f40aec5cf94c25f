/** Counts what happens at the door. A count is an addition in memory; each minute the sums go to the log. */
import type { IncomingMessage } from 'node:http'
import { MinuteSums } from '../../../pipelines/rails/minute-sums.ts'
import {
  type DoorCount,
  type doorOutcomes,
  type doorProtocols,
  tookBoundsMs,
} from '../../../schemas/door-counts.ts'
import { networks, type ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import type { Operation } from '../../offer/operation.ts'
import { isObject } from '../../till/header.ts'
import type { Presented } from '../../till/till.ts'
import { type SentPayment, sentIn } from '../mpp/sent.ts'
import { type ClientFamily, familyOf } from './client-family.ts'
import { shapeOf } from './question-shape.ts'

type Outcome = (typeof doorOutcomes)[number]

/** How a call came. */
export interface Way {
  protocol: (typeof doorProtocols)[number]
  network: ReceiptNetwork | 'none'
  client: ClientFamily
  paying: boolean
}

/** What was asked, by its names in settlements. */
interface AskedFor {
  origin: string
  operation: string
}

interface Happened {
  outcome: Outcome
  tookMs: number
  code?: string
  shape?: string
}

type Sum = Omit<DoorCount, 'minute' | 'instance' | 'part'>

export class Door {
  readonly #tellsShapes: boolean
  readonly #sums: MinuteSums<Sum>

  constructor(now: () => number, { tellsShapes = false } = {}) {
    this.#sums = new MinuteSums(now)
    this.#tellsShapes = tellsShapes
  }

  count(
    { origin, operation }: AskedFor,
    way: Way,
    { outcome, tookMs, code = '', shape = '' }: Happened,
  ): void {
    const { protocol, network, client, paying } = way
    const key = `${origin} ${operation} ${protocol} ${network} ${client} ${paying} ${outcome} ${code} ${shape}`
    let sum = this.#sums.of(key)
    if (!sum) {
      if (this.#sums.isFull && origin !== '') {
        this.count(nothingNamed, way, { outcome, tookMs })
        return
      }
      sum = this.#sums.add(key, {
        ...{ origin, operation, protocol, network, client, paying, outcome, code, shape, calls: 0 },
        ...{ took: new Array<number>(tookBoundsMs.length + 1).fill(0), took_ms: 0 },
      })
    }
    sum.calls += 1
    sum.took_ms += tookMs
    sum.took[placeOf(tookMs)] = (sum.took[placeOf(tookMs)] as number) + 1
  }

  /** Counts a call that was refused or failed, by its code. */
  refuse(labels: AskedFor, way: Way, { code, status, tookMs, shape }: Refusal): void {
    const outcome = status === 429 ? 'limited' : status >= 500 ? 'failed' : 'refused'
    this.count(labels, way, { outcome, tookMs, code, ...(shape !== undefined && { shape }) })
  }

  /** A call that ends later, and whose way is known then. */
  begin(labels: AskedFor, way: () => Way) {
    const startedAt = performance.now()
    const tookMs = () => performance.now() - startedAt
    return {
      tookMs,
      count: (outcome: Outcome) => this.count(labels, way(), { outcome, tookMs: tookMs() }),
      refuse: ({ code, status }: Pick<Refusal, 'code' | 'status'>, shape?: string) =>
        this.refuse(labels, way(), { code, status, tookMs: tookMs(), shape }),
    }
  }

  /** Undefined unless the operator wants to know shapes. */
  shapeOf(operation: Operation, question: unknown): string | undefined {
    return this.#tellsShapes ? shapeOf(operation, question) : undefined
  }

  /** Takes what was counted since the last time, as rows of one telling. */
  take(): DoorCount[] {
    return this.#sums.take().map(sum => ({ ...sum, took_ms: Math.round(sum.took_ms) }))
  }
}

interface Refusal {
  code: string
  status: number
  tookMs: number
  shape?: string | undefined
}

/** What the call asked for is not known. */
export const nothingNamed: AskedFor = { origin: '', operation: '' }

function placeOf(tookMs: number): number {
  let place = 0
  while (place < tookBoundsMs.length && tookMs >= (tookBoundsMs[place] as number)) place++
  return place
}

const protocolOf: Readonly<Record<SentPayment['protocol'], Way['protocol']>> = {
  x402: 'x402',
  'x402 of version 1': 'x402_v1',
  mpp: 'mpp',
}

/** How a call by HTTP came. `presented` is absent where its payment cannot be read. */
export function wayOf(request: IncomingMessage, presented: Presented | undefined): Way {
  const sent = sentIn(request)
  return {
    protocol: sent ? protocolOf[sent.protocol] : 'http',
    network: networkIn(presented),
    client: familyOf(request.headers['user-agent']),
    paying: sent !== undefined,
  }
}

/** A payment of version 1 has the name of its network, and the others its CAIP-2. */
const namesOfNetworks = new Map<unknown, ReceiptNetwork>(
  Object.entries(networks).flatMap(([name, { caip2, receipt }]) => [
    [name, receipt],
    [caip2, receipt],
  ]),
)

export function networkIn(presented: Presented | undefined): Way['network'] {
  const { accepted, network } = presented?.json ?? {}
  return namesOfNetworks.get(isObject(accepted) ? accepted.network : network) ?? 'none'
}
