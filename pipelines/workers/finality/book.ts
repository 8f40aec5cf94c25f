/** What the log says of finality: how far an earlier run came, and what it has told of payments that were taken back. */
import { type FinalityLine, finality, type TakenBack, takenBack } from '../../../schemas/finality.ts'
import { settlements } from '../../../schemas/settlements.ts'
import type { ReceiptNetwork } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { Depth } from '../../domains/payments/standing.ts'
import { newestNow } from '../../rails/log/events.ts'
import { entryOf, type Log, type LogPosition } from '../../rails/log/log.ts'
import type { Followed, ToldBefore } from './follower.ts'

type Lines = Map<ReceiptNetwork, FinalityLine>
type BookLog = Pick<Log, 'watch' | 'end' | 'append'>

export class Book {
  readonly #log: BookLog
  readonly #now: () => number
  readonly #lines: Lines
  /** By spend. The newest of each is what counts. */
  readonly #told: Map<string, TakenBack>

  private constructor(log: BookLog, now: () => number, lines: Lines, told: Map<string, TakenBack>) {
    this.#log = log
    this.#now = now
    this.#lines = lines
    this.#told = told
  }

  /** A network that was never followed begins here and now. */
  static async open(log: BookLog, now: () => number, networks: readonly ReceiptNetwork[]): Promise<Book> {
    const lines = (await newestNow(log, finality)) as Lines
    const told = await newestNow(log, takenBack)
    const at = instant(now())
    const next = plain(await log.end(settlements.topic))
    const begun = networks.filter(network => !lines.has(network))
    for (const network of begun)
      lines.set(network, { network, since: at, through: at, safe_through: at, at, next })
    await log.append(
      finality.topic,
      begun.map(network => entryOf(finality, lines.get(network) as FinalityLine)),
    )
    return new Book(log, now, lines, told)
  }

  /** Where the reading of settlements begins. */
  from(networks: readonly ReceiptNetwork[]): LogPosition {
    const from = new Map<number, bigint>()
    for (const network of networks)
      for (const [at, next] of Object.entries(this.#lines.get(network)?.next ?? {})) {
        const known = from.get(Number(at))
        if (known === undefined || BigInt(next) < known) from.set(Number(at), BigInt(next))
      }
    return from
  }

  /** Was a sale at this place followed to its end before? */
  isOver(network: ReceiptNetwork, partition: number, offset: bigint): boolean {
    return offset < BigInt(this.#lines.get(network)?.next[String(partition)] ?? 0)
  }

  toldOf(spendId: string): ToldBefore | undefined {
    const told = this.#told.get(spendId)
    return told && { state: told.state, atMs: Date.parse(told.at), standingTx: told.standing_tx }
  }

  /** Resolves with the time of the word, once the log has it. */
  async tell(
    network: ReceiptNetwork,
    sale: Followed,
    state: TakenBack['state'],
    standingTx: string | null,
  ): Promise<number> {
    const atMs = this.#now()
    const event: TakenBack = {
      spend_id: sale.spendId,
      state,
      at: instant(atMs),
      settled_at: instant(sale.atMs),
      request_id: sale.requestId,
      network,
      amount_usdc: sale.amountUsdc,
      payer: sale.payer,
      payment_tx: sale.receiptTx,
      standing_tx: standingTx,
    }
    await this.#log.append(takenBack.topic, [entryOf(takenBack, event)])
    this.#told.set(sale.spendId, event)
    return atMs
  }

  /** Moves the lines of a network, which never go back. What is final is safe. */
  async draw(network: ReceiptNetwork, to: Record<Depth, number>, next: LogPosition): Promise<void> {
    const line = this.#lines.get(network) as FinalityLine
    const through = later(line.through, to.final)
    const safeThrough = later(line.safe_through ?? through, Math.max(to.safe, Date.parse(through)))
    const drawn = { ...line, through, safe_through: safeThrough, at: instant(this.#now()), next: plain(next) }
    if (newsIn(drawn) === newsIn(line)) return
    await this.#log.append(finality.topic, [entryOf(finality, drawn)])
    this.#lines.set(network, drawn)
  }
}

const later = (at: string, ms: number): string => (ms > Date.parse(at) ? instant(ms) : at)
/** The time alone is no news. */
const newsIn = ({ through, safe_through, next }: FinalityLine): string =>
  JSON.stringify([through, safe_through, next])

const plain = (position: LogPosition): Record<string, string> =>
  Object.fromEntries([...position].map(([partition, offset]) => [partition, String(offset)]))
