/** Runs a bounded number of tasks at once. Waiting callers take turns, and one caller never has all places. */
import { Tally } from '../tally.ts'
import { FairQueue, type WaitingTask } from './fair-queue.ts'

interface TurnsOptions {
  /** With two or more, one stays free for another caller. */
  atOnce: number
  mostWaiting: number
}

interface Place extends WaitingTask {
  /** False: the task was dropped to make room for another one. */
  begin(may: boolean): void
}

export class FairTurns {
  readonly #atOnce: number
  readonly #waiting: FairQueue<Place>
  /** The number of places that each caller has. */
  readonly #has = new Tally()
  #inside = 0

  constructor({ atOnce, mostWaiting }: TurnsOptions) {
    this.#atOnce = atOnce
    this.#waiting = new FairQueue({ mostWaiting, mostWaitingBytes: mostWaiting })
  }

  /** Resolves with undefined if the queue has no room, or drops the task later. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const mine = { caller, bytes: 0, begin: resolve }
    // A task that may begin at once takes no room in the queue.
    if (this.#mayHave(caller)) this.#enter(mine)
    else for (const dropped of this.#waiting.add(mine)) dropped.begin(false)
    if (!(await promise)) return undefined
    try {
      return await work()
    } finally {
      this.#leave(caller)
    }
  }

  #mayHave(caller: string): boolean {
    const most = Math.max(1, this.#atOnce - 1)
    return this.#inside < this.#atOnce && this.#has.of(caller) < most
  }

  #enter({ caller, begin }: Place): void {
    this.#inside += 1
    this.#has.add(caller)
    begin(true)
  }

  #leave(caller: string): void {
    this.#inside -= 1
    this.#has.add(caller, -1)
    const next = this.#waiting.take(other => this.#mayHave(other))
    if (next) this.#enter(next)
  }
}
