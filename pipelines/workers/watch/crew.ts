/** Runs many checks at once, and few of one host. */

import { Tally } from '../../rails/tally.ts'

const atOnce = 64
const atOnceOfHost = 6

interface Job {
  host: string
  run: () => Promise<void>
  at: number
}

export class Crew {
  readonly #ofHost = new Tally()
  #waiting: Job[] = []
  readonly #running = new Set<Promise<void>>()

  /** `run` never rejects. */
  add(host: string, run: () => Promise<void>, at: number): void {
    this.#waiting.push({ host, run, at })
    this.#start()
  }

  /** The time when the first waiting check was added, in ms. */
  get waitingSince(): number | undefined {
    return this.#waiting[0]?.at
  }

  /** Drops the waiting checks, and resolves when the running ones are done. */
  async close(): Promise<void> {
    this.#waiting = []
    await this.idle()
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size) await Promise.all(this.#running)
  }

  #start(): void {
    if (this.#running.size >= atOnce || !this.#waiting.length) return
    const held: Job[] = []
    for (const [place, job] of this.#waiting.entries()) {
      if (this.#running.size >= atOnce) {
        held.push(...this.#waiting.slice(place))
        break
      }
      if (this.#ofHost.of(job.host) >= atOnceOfHost) held.push(job)
      else this.#run(job)
    }
    this.#waiting = held
  }

  #run({ host, run }: Job): void {
    this.#ofHost.add(host)
    const running = run().finally(() => {
      this.#ofHost.add(host, -1)
      this.#running.delete(running)
      this.#start()
    })
    this.#running.add(running)
  }
}
