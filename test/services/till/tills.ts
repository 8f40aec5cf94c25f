/** A till on a real SQLite log and a facilitator over HTTP, with questions to both. */
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import type { Operation } from '../../../services/offer/operation.ts'
import { openTill, type TillOptions } from '../../../services/till/open-till.ts'
import { receipt } from '../../../services/till/receipt.ts'
import type { Sold, Till } from '../../../services/till/till.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { echo, header, type Signed } from './paying.ts'
import { type StubFacilitator, startStubFacilitator } from './stub-facilitator.ts'
import { type Log, openTestBlobs, openTestLog, options } from './till-options.ts'

export { openTestLog, options, shared } from './till-options.ts'

export interface Bench {
  folder: string
  log: Log
  facilitator: StubFacilitator
  till: Till
  /** The names in the store of blobs. */
  blobs(): Promise<string[]>
  /** The number of runs of the handler. */
  runs: number
  buy(payment: Signed, ask?: Ask): Promise<Sold>
  /** Closes till and log and opens both again, as a new process would. */
  restart(more?: Partial<TillOptions>): Promise<void>
}

export interface Ask {
  operation?: Operation
  question?: string
  key?: string
  answer?: () => Promise<string>
  requestId?: string
  /** The caller. Without it, always the same one. */
  caller?: string
  /** A wallet's signed message. */
  proof?: string
}

let requests = 0

/** `as`: the till's view of its log. */
export async function openBench(
  more: Partial<TillOptions> = {},
  as = (log: Log): Log => log,
): Promise<Bench> {
  const folder = scratchFolder()
  const facilitator = await startStubFacilitator()
  const [log, blobs] = await Promise.all([openTestLog(folder), openTestBlobs(folder)])
  const bench: Bench = {
    folder,
    log,
    facilitator,
    till: await openTill(options(as(log), facilitator.url, { blobs, ...more })),
    async blobs() {
      const found = await readdir(`${folder}/blobs`, { recursive: true, withFileTypes: true })
      return found.filter(at => at.isFile()).map(at => `${basename(at.parentPath)}/${at.name}`)
    },
    runs: 0,
    async buy(payment, { operation = echo, question = '{}', key, answer, proof, ...more } = {}) {
      const { till } = bench
      const { caller = 'the payer', requestId = `request-${++requests}` } = more
      const asking = {
        product: operation,
        question,
        idempotencyKey: key,
        caller,
        requestId,
        answer: async () => {
          bench.runs++
          return answer ? answer() : '{"said":"hello"}'
        },
      }
      const presented = till.decode(header(payment))
      const owed = till.knows(presented) ? await till.again({ ...asking, presented, proof }) : undefined
      return owed ?? till.sell({ ...asking, payment: await till.check(presented, operation) })
    },
    async restart(again = {}) {
      await bench.till.close()
      await bench.log.close()
      bench.log = await openTestLog(folder)
      bench.till = await openTill(options(as(bench.log), facilitator.url, { blobs, ...more, ...again }))
    },
  }
  onTestFinished(async () => {
    await bench.till.close()
    await bench.log.close()
    await blobs.close()
    await facilitator.close()
  })
  return bench
}

/** All records on `settlements` until now. */
export async function settlementsOf(log: Log): Promise<SettlementEvent[]> {
  const events: SettlementEvent[] = []
  const watching = await log.watch(settlements.topic, batch => {
    for (const { value } of batch) events.push(settlements.event.parse(JSON.parse(value as string)))
  })
  await watching.caughtUp
  await watching.close()
  return events
}

/** Is this the body of that answer, with a receipt? A failure does not print a large one. */
export const isAnswer = (body: string, answer: string): boolean => body.startsWith(answer.slice(0, -1))

/** Waits for this many records, because the till reports a payment after its answer has left. */
export async function settlementsTold(log: Log, many: number): Promise<SettlementEvent[]> {
  let events: SettlementEvent[] = []
  await until(async () => {
    events = await settlementsOf(log)
    return events.length >= many
  }, `${many} settlements`)
  return events
}

/** The same answer from a call that charged nothing. */
export const asReplay = (body: string): string => `${body.slice(0, -2)},"replayed":true,"charged_now":false}}`

/** The printed receipt, checked against its schema. */
export const receiptOf = (sold: Sold) => receipt.parse(JSON.parse(sold.body).receipt)
export const failure = (code: string) => expect.objectContaining({ code })
