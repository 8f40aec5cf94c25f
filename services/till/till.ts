/** The Till: everything about money. The server calls what stands in `Till` and nothing else of this folder. */
import { randomUUID } from 'node:crypto'
import { openBase } from '../../pipelines/chain/base.ts'
import { openSolana } from '../../pipelines/chain/solana.ts'
import type { Log } from '../../pipelines/log/log.ts'
import { type NetworkName, networks } from '../../schemas/networks.ts'
import type { Operation } from '../operation.ts'
import { Allowance } from './allowance.ts'
import type { CdpKey } from './cdp-key.ts'
import { Claims } from './claims.ts'
import { Contact } from './contact.ts'
import { Facilitator, type FacilitatorOptions } from './facilitator.ts'
import { Ledger } from './ledger.ts'
import { checkPayment, decodePayment, spendIdIn } from './payment.ts'
import { Quotes } from './quote.ts'
import { Recovery } from './recovery.ts'
import { replays } from './replay.ts'
import { type Limits, type Step, seller } from './sale.ts'
import { Turns } from './turns.ts'

/** What an operation costs, as sent: the header, and the same JSON mirrored with error, message and charged. */
export interface Quote {
  header: string
  /** What an unpaid call is told, as bytes: encoding it anew was half of the work of a 402. */
  unpaid: Buffer
  body(code: string, message: string): string
}

/** A payment header as decoded: a JSON object, nothing more is known of it. */
export interface Decoded {
  payload: Record<string, unknown>
}

/** A payment that passed every check that can be made here. */
export interface Payment {
  spendId: string
  network: 'base' | 'solana'
  payer: string
}

export interface Sale {
  operation: Operation
  /** The question as canonical JSON. */
  question: string
  payment: Payment
  idempotencyKey: string | undefined
  requestId: string
  /** JSON text of the answer without its receipt; rejects with Refused or Failure. */
  answer(): Promise<string>
}

export interface Sold {
  /** The answer with its receipt. */
  body: string
  headers: Record<string, string>
  replayed: boolean
  /** To be called once the last byte is with the caller, or the caller is gone. */
  delivered(whole: boolean): void
}

export interface Till {
  quote(operation: Operation): Quote
  /** Header to payload, before the body is read: Failure 400 invalid_payment_header when it cannot be decoded. */
  decode(header: string): Decoded
  /** Everything that can be checked here: Failure 402 when it does not fit the operation's quote. */
  check(decoded: Decoded, operation: Operation): Promise<Payment>
  /** Has work been done for what this would spend, and its payer does not have it? No rate turns such a call away. */
  owes(decoded: Decoded): boolean
  /** The kept answer of this key, path and question, if there is one. Waits for a call in flight with it. */
  replay(idempotencyKey: string, operation: Operation, question: string): Promise<Sold | undefined>
  sell(sale: Sale): Promise<Sold>
  /** undefined: the facilitator answers; else why paid calls are 503 just now. */
  closed(): string | undefined
  /** Rejects when the log can no longer be read: then nothing here is sure any more. */
  ended: Promise<unknown>
  close(): Promise<void>
}

export interface TillConfig {
  facilitatorUrl: string
  facilitatorToken?: string | undefined
  cdpKey?: CdpKey | undefined
  payTo: readonly { name: NetworkName; address: string }[]
  publicUrl: string
  baseRpcUrls: readonly string[]
  solanaRpcUrls: readonly string[]
}

export interface TillOptions {
  operations: readonly Operation[]
  log: Log
  config: TillConfig
  now: () => number
  /** Told what was survived along the way. */
  onError?: (error: unknown) => void
  /** Its name among instances. Where one process owns the log it is the same at each start: then leases survive it. */
  instance?: string
  limits?: Partial<Limits & { waitMs: number; sweepMs: number }>
  timeoutsMs?: FacilitatorOptions['timeoutsMs']
  /** For tests: told at each step of a sale, which may be its last. */
  step?: (step: Step) => void
}

const usual = { sales: 256, answerMs: 30_000, unknownMs: 110_000, waitMs: 15_000, sweepMs: 15_000 }

/** Opens with the facilitator down too; what earlier runs left behind is looked after from here on. */
export async function openTill(options: TillOptions): Promise<Till> {
  const {
    operations,
    log,
    config,
    now,
    instance = randomUUID(),
    onError = () => {},
    step = () => {},
  } = options
  const limits = { ...usual, ...options.limits }
  const quotes = new Quotes({ operations, publicUrl: config.publicUrl, payTo: config.payTo, now })
  const facilitator = new Facilitator({
    url: config.facilitatorUrl,
    token: config.facilitatorToken,
    cdpKey: config.cdpKey,
    now,
    timeoutsMs: options.timeoutsMs,
  })
  const contact = new Contact(facilitator, supported => quotes.refresh(supported))

  const baseName = config.payTo.find(({ name }) => networks[name].chain === 'base')?.name ?? 'base'
  const base = openBase({ rpcUrls: config.baseRpcUrls, asset: networks[baseName].asset })
  const solana = openSolana({ rpcUrls: config.solanaRpcUrls, now })

  const claims = await Claims.open(log, instance, now)
  const ledger = await Ledger.open({ log, process: randomUUID(), logNow: () => claims.logNow(), onError })
  const turns = new Turns()
  const recovery = new Recovery({
    ledger,
    claims,
    turns,
    ask: (trace, sinceMs) =>
      trace.chain === 'base' ? base.transferOf(trace, sinceMs) : solana.transferOf(trace, sinceMs),
    onError,
  })

  const background = new Set<Promise<void>>()
  function aside(work: Promise<unknown>): void {
    const done: Promise<void> = work.then(() => {}, onError).finally(() => background.delete(done))
    background.add(done)
  }

  const holding = { turns, claims, ledger, waitMs: limits.waitMs, aside }
  const replaying = replays(holding)
  const sell = seller({
    ...holding,
    facilitator,
    contact,
    recovery,
    allowance: new Allowance(now),
    replays: replaying,
    now,
    limits,
    step,
    onError,
  })
  const isContract = (address: string) => base.isContract(address).catch(() => undefined)

  const ended = Promise.all([claims.ended, ledger.ended])
  ended.catch(onError)
  let sweeping = recovery.sweep()
  let closed = false
  const sweeper = setInterval(() => {
    sweeping = sweeping.then(() => (closed ? undefined : recovery.sweep()))
  }, limits.sweepMs).unref()
  await contact.ask()

  return {
    quote: operation => quotes.of(operation),
    decode: decodePayment,
    check: (decoded, operation) => checkPayment(decoded, operation, { quotes, now, isContract }),
    owes: decoded => {
      const spendId = spendIdIn(decoded)
      return spendId !== undefined && ledger.book.owed(spendId)
    },
    replay: replaying.replay,
    sell,
    closed: () => contact.down,
    ended,
    async close() {
      closed = true
      clearInterval(sweeper)
      contact.close()
      await sweeping
      await Promise.all(background)
      await Promise.all([claims.close(), ledger.close(), facilitator.close()])
    },
  }
}
