/** Lets so many pieces of work go on at once. Whoever waits takes turns by caller, and one caller never has all of the places. */
import { FairQueue, type WaitingTask } from './fair-queue.ts'

interface TurnsOptions {
  /** Where there are two or more, one of them is free for another caller. */
  atOnce: number
  mostWaiting: number
}

interface Place extends WaitingTask {
  /** False: others had more right to it. */
  begin(may: boolean): void
}

export class FairTurns {
  readonly #atOnce: number
  readonly #waiting: FairQueue<Place>
  /** How many each caller has. */
  readonly #has = new Map<string, number>()
  #inside = 0

  constructor({ atOnce, mostWaiting }: TurnsOptions) {
    this.#atOnce = atOnce
    this.#waiting = new FairQueue({ mostWaiting, mostWaitingBytes: mostWaiting })
  }

  /** Undefined: there is no room to wait, or none any more. */
  async run<T>(caller: string, work: () => Promise<T>): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const mine = { caller, bytes: 0, begin: resolve }
    // Whoever may begin at once takes no room.
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
    return this.#inside < this.#atOnce && (this.#has.get(caller) ?? 0) < most
  }

  #enter({ caller, begin }: Place): void {
    this.#inside += 1
    this.#has.set(caller, (this.#has.get(caller) ?? 0) + 1)
    begin(true)
  }

  #leave(caller: string): void {
    this.#inside -= 1
    const left = (this.#has.get(caller) ?? 1) - 1
    if (left > 0) this.#has.set(caller, left)
    else this.#has.delete(caller)
    const next = this.#waiting.take(other => this.#mayHave(other))
    if (next) this.#enter(next)
  }
}
