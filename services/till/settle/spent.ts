/** Tells the log what each transaction of our own settling has cost. No sale waits for it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { entryOf, type Log } from '../../../pipelines/rails/log/log.ts'
import { type SettleCost, settleCosts } from '../../../schemas/settle-costs.ts'

/** While the log takes nothing. */
const mostKept = 10_000
const againMs = 5000

interface SpentNeeds {
  log: Pick<Log, 'append'>
  onError(error: unknown): void
}

export class Spent {
  readonly #needs: SpentNeeds
  readonly #stopping = new AbortController()
  #kept: SettleCost[] = []
  #telling: Promise<void> | undefined

  constructor(needs: SpentNeeds) {
    this.#needs = needs
  }

  add(cost: SettleCost): void {
    this.#kept = [...this.#kept, cost].slice(-mostKept)
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined
    })
  }

  /** What the log does not take now is lost. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#telling
  }

  async #tell(): Promise<void> {
    while (this.#kept.length) {
      const told = this.#kept
      this.#kept = []
      try {
        await this.#needs.log.append(
          settleCosts.topic,
          told.map(cost => entryOf(settleCosts, cost)),
        )
      } catch (error) {
        this.#needs.onError(error)
        if (this.#stopping.signal.aborted) return
        // What the log has taken after all is the same fact.
        this.#kept = [...told, ...this.#kept].slice(-mostKept)
        await sleep(againMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }
}
