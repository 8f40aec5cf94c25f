/** Reads the file of PRICES again when it has changed. A wrong file changes nothing. */
import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { ConfigError } from '../../pipelines/rails/environment/variables.ts'
import { reasonOf } from '../../pipelines/rails/failures.ts'
import { metrics } from '../../pipelines/rails/metrics.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'
import { payeesOf } from '../offer/payees.ts'
import { type PriceBook, Tariff } from '../offer/tariff.ts'
import { lineOf } from '../sell/files.ts'
import { type PriceContext, priceBookOf } from '../sell/price-file.ts'

const lookMs = 1000
/** Each change leaves old offers behind, which are honoured for a while. */
const leastBetweenMs = 10_000
const mostBytes = 1 << 20
const mostFaultsTold = 20

interface PriceReaderOptions extends PriceContext {
  file: string
  networks: readonly NetworkName[]
  /** By a clock that nobody sets. */
  uptime?: () => number
  tell(line: string): void
  onError(error: unknown): void
}

export class PriceReader {
  readonly prices: Tariff
  readonly #options: PriceReaderOptions
  readonly #uptime: () => number
  /** The text that is sold by, the last that was seen, and the last that was refused. */
  #taken: string
  #seen: string | undefined
  #refused: string | undefined
  #takenAt: number
  #timer: NodeJS.Timeout | undefined

  /** Throws a ConfigError with the line of every fault: with a wrong file nothing is sold. */
  constructor(options: PriceReaderOptions) {
    const { networks, uptime = () => performance.now() } = options
    this.#options = options
    this.#uptime = uptime
    this.#taken = this.#text()
    this.prices = new Tariff(networks, this.#bookOf(this.#taken), payeesOf(options.origins))
    this.#takenAt = uptime() - leastBetweenMs
    this.#note(false)
  }

  start(): this {
    this.#timer = setInterval(() => this.look(), lookMs).unref()
    return this
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** A text counts when it was there twice: an editor may be in the middle of it. */
  look(): void {
    let text: string | undefined
    try {
      text = this.#text()
      const isStill = text === this.#seen
      this.#seen = text
      if (text === this.#taken) this.#settled()
      else if (isStill && text !== this.#refused) this.#take(text)
    } catch (error) {
      this.#refuse(text ?? '', error)
    }
  }

  #take(text: string): void {
    if (this.#uptime() - this.#takenAt < leastBetweenMs) return
    this.prices.take(this.#bookOf(text))
    this.#taken = text
    this.#takenAt = this.#uptime()
    this.#options.tell(`${this.#options.file} was read again: its prices are sold from now on`)
    this.#settled()
  }

  #settled(): void {
    this.#refused = undefined
    this.#note(false)
  }

  #refuse(text: string, error: unknown): void {
    const why = reasonOf(error)
    const isNew = this.#refused === undefined || this.#refused !== text
    this.#refused = text
    this.#note(true)
    if (isNew) this.#options.onError(new Error(`the prices stay as they were: ${why}`))
  }

  #note(isRefused: boolean): void {
    metrics.pricesRefused.set(isRefused ? 1 : 0)
    metrics.pricesInUse.reset()
    const edition = createHash('sha256').update(this.#taken).digest('hex').slice(0, 12)
    metrics.pricesInUse.set({ edition }, 1)
  }

  #text(): string {
    const { file } = this.#options
    try {
      const found = statSync(file)
      if (!found.isFile()) throw Object.assign(new Error(), { code: 'no file' })
      if (found.size > mostBytes) throw Object.assign(new Error(), { code: `more than ${mostBytes} bytes` })
      return readFileSync(file, 'utf8')
    } catch (error) {
      const { code = reasonOf(error) } = error as NodeJS.ErrnoException
      throw new ConfigError(`PRICES names ${file}; it should be a file that can be read: ${code}`)
    }
  }

  #bookOf(text: string): PriceBook {
    const { file } = this.#options
    const { faults, book } = priceBookOf(text, this.#options)
    if (book) return book
    const told = faults.slice(0, mostFaultsTold).map(fault => lineOf(file, fault))
    throw new ConfigError(told.join('\n'))
  }
}
