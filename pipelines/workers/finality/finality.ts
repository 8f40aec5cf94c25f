/**
 * Follows every sale until its chain calls it final. The log is the queue: a start reads it from the oldest sale that waits, so a
 * kill loses nothing. Exactly one process does it.
 */
import { Decimal } from 'decimal.js'
import { finality, takenBack, takenBackStates } from '../../../schemas/finality.ts'
import { type SettlementEvent, settlements } from '../../../schemas/settlements.ts'
import { networks, type ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import { EvmStanding } from '../../domains/payments/evm/standing.ts'
import type { Standing } from '../../domains/payments/standing.ts'
import { openSvmStanding } from '../../domains/payments/svm/standing.ts'
import { networkVariables } from '../../domains/payments/variables.ts'
import { eventsIn } from '../../rails/log/events.ts'
import type { Log, LogPosition, Received } from '../../rails/log/log.ts'
import { metrics } from '../../rails/metrics.ts'
import type { Running } from '../../rails/running.ts'
import { type PaymentReader, paymentReaders } from '../../sources/payments/readers.ts'
import type { Worker } from '../worker.ts'
import { Book } from './book.ts'
import { Follower } from './follower.ts'

interface FinalityNeeds {
  log: Pick<Log, 'watch' | 'end' | 'append'>
  chains: readonly { network: ReceiptNetwork; standing: Standing }[]
  now: () => number
  everyMs?: number
  /** The longest time from a settlement to its record in the log. */
  lateMs?: number
  /** The most sales that wait in memory, of all networks. */
  most?: number
  onFailed(name: string, error: unknown): void
}

const usualMs = 4000
/**
 * A sale may be in the log so long after its settlement: a sick log takes it late. What comes later still is older than any
 * block that Solana may yet drop; on EVM the final head is further behind than this.
 */
const usualLateMs = 60_000
/** Some 500 bytes each. While so many wait, the others wait in the log. */
const mostWaiting = 150_000

export async function followFinality(needs: FinalityNeeds): Promise<Running> {
  const names = needs.chains.map(({ network }) => network)
  const book = await Book.open(needs.log, needs.now, names)
  const from = book.from(names)
  const sales = new Sales(needs, book, from)
  const watching = await needs.log.watch(settlements.topic, batch => sales.hear(batch), { from })
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= sales.rounds().finally(() => {
      running = undefined
    })
  }, needs.everyMs ?? usualMs).unref()
  return {
    ended: watching.ended,
    async close() {
      clearInterval(timer)
      sales.stop()
      await running
      await watching.close()
    },
  }
}

/** The sales of all networks that wait for finality. */
class Sales {
  readonly #needs: FinalityNeeds
  readonly #book: Book
  readonly #read: Map<number, bigint>
  readonly #followers: ReadonlyMap<ReceiptNetwork, Follower>
  readonly #stopping = new AbortController()
  /** When the newest record that was read came into the log. */
  #heardMs = 0
  /** Resolves after each round, which may have made room. */
  #round = Promise.withResolvers<void>()

  constructor(needs: FinalityNeeds, book: Book, from: LogPosition) {
    this.#needs = needs
    this.#book = book
    this.#read = new Map(from)
    this.#followers = new Map(
      needs.chains.map(({ network, standing }) => [network, this.#follow(network, standing)]),
    )
  }

  #follow(network: ReceiptNetwork, standing: Standing): Follower {
    for (const state of takenBackStates) metrics.takenBack.inc({ network, state }, 0)
    return new Follower({
      standing,
      tell: async (sale, state, standingTx) => {
        const atMs = await this.#book.tell(network, sale, state, standingTx)
        metrics.takenBack.inc({ network, state })
        return atMs
      },
      onFailed: error => this.#needs.onFailed(network, error),
    })
  }

  async hear(batch: readonly Received[]): Promise<void> {
    const most = this.#needs.most ?? mostWaiting
    while (this.#size >= most && !this.#stopping.signal.aborted) await this.#round.promise
    if (this.#stopping.signal.aborted) return
    for (const { event, record } of eventsIn(settlements, batch)) {
      const { network, state, payment_tx: tx } = event
      if (network === 'none' || state !== 'settled' || tx === null) continue
      const isOver = this.#book.isOver(network, record.partition, record.offset)
      if (!isOver)
        this.#followers.get(network)?.add(followedOf(event, tx, record), this.#book.toldOf(event.spend_id))
    }
    for (const { partition, offset, at } of batch) {
      this.#read.set(partition, offset + 1n)
      this.#heardMs = at
    }
  }

  async rounds(): Promise<void> {
    const { onFailed } = this.#needs
    const asked = [...this.#followers].map(([network, follower]) =>
      this.#askOne(network, follower).catch(error => {
        if (!this.#stopping.signal.aborted) onFailed(network, error)
      }),
    )
    await Promise.all(asked)
    this.#round.resolve()
    this.#round = Promise.withResolvers()
  }

  stop(): void {
    this.#stopping.abort(new Error('stopping'))
    this.#round.resolve()
  }

  async #askOne(network: ReceiptNetwork, follower: Follower): Promise<void> {
    try {
      if (follower.isIdle) return
      await follower.round(this.#stopping.signal, await this.#readMs())
      const line = { final: follower.line('final'), safe: follower.line('safe') }
      await this.#book.draw(network, line, this.#nextOf(follower))
    } finally {
      const { oldestMs } = follower
      const lagMs = oldestMs === undefined ? 0 : Math.max(0, this.#needs.now() - oldestMs)
      metrics.finalityWaiting.set({ network }, follower.size)
      metrics.finalityUnsafe.set({ network }, follower.unsafe)
      metrics.finalityLag.set({ network }, lagMs / 1000)
    }
  }

  /** Every sale that was settled up to this time is read, by the time that the log gave to the records. */
  async #readMs(): Promise<number> {
    const asked = this.#needs.now()
    const end = await this.#needs.log.end(settlements.topic)
    const isLevel = [...end].every(([partition, offset]) => (this.#read.get(partition) ?? 0n) >= offset)
    return (isLevel ? asked : this.#heardMs) - (this.#needs.lateMs ?? usualLateMs)
  }

  /** The place in the log before which no sale of the network waits. */
  #nextOf(follower: Follower): LogPosition {
    const next = new Map(this.#read)
    for (const { partition, offset } of follower.sales())
      if (offset < (next.get(partition) ?? 0n)) next.set(partition, offset)
    return next
  }

  get #size(): number {
    let size = 0
    for (const follower of this.#followers.values()) size += follower.size
    return size
  }
}

/** USDC has as many on every network. */
const decimals = 6

const followedOf = (
  { spend_id, request_id, payer, pay_to, amount_usdc, at }: SettlementEvent,
  tx: string,
  { partition, offset }: Pick<Received, 'partition' | 'offset'>,
) => ({
  ...{ partition, offset },
  spendId: spend_id,
  requestId: request_id,
  tx,
  receiptTx: tx,
  payer,
  payTo: pay_to,
  amountUsdc: amount_usdc,
  amount: BigInt(new Decimal(amount_usdc).mul(10 ** decimals).toFixed(0)),
  atMs: Date.parse(at),
})

const standingBy = (reader: PaymentReader): Standing =>
  reader.family === 'evm' ? new EvmStanding(reader) : openSvmStanding(reader)

export const following: Worker = {
  part: 'finality',
  role: 'ingest',
  reads: [settlements, finality, takenBack],
  writes: [finality, takenBack],
  variables: [networkVariables],
  async open({ alone, use, now, onFailed }) {
    const readers = await use(paymentReaders)
    const chains = [...readers.values()].map(reader => ({
      network: networks[reader.network].receipt,
      standing: standingBy(reader),
    }))
    return alone('finality', ({ log }) => followFinality({ log, now, chains, onFailed }))
  },
}
