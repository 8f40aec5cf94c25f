/** Keeps us polite: few pages of a host at once, and few new ones in a short time, however many callers ask. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Busy } from '../browser/browser-failures.ts'

interface Host {
  inside: number
  waiting: (() => void)[]
  /** When the next page may begin. */
  nextAt: number
}

export interface HostTurnsOptions {
  now: () => number
  /** The number of pages at once, for each host. */
  atOnce?: number
  /** The pause between the beginnings of two pages. */
  pauseMs?: number
  /** The number of pages that may wait for one host. */
  mostWaiting?: number
}

export class HostTurns {
  readonly #hosts = new Map<string, Host>()
  readonly #options: Required<HostTurnsOptions>

  constructor(options: HostTurnsOptions) {
    this.#options = { atOnce: 2, pauseMs: 1000, mostWaiting: 8, ...options }
  }

  /** Rejects with Busy if too many pages wait. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { atOnce, pauseMs, mostWaiting, now } = this.#options
    const host = this.#hosts.get(name) ?? { inside: 0, waiting: [], nextAt: 0 }
    this.#hosts.set(name, host)
    if (host.waiting.length >= mostWaiting)
      throw new Busy(`Too many pages of ${name} are requested`, Math.ceil((mostWaiting * pauseMs) / 1000))
    if (host.inside >= atOnce) await new Promise<void>(resolve => host.waiting.push(resolve))
    else host.inside += 1
    try {
      const beginsAt = Math.max(now(), host.nextAt)
      host.nextAt = beginsAt + pauseMs
      if (beginsAt > now()) await sleep(beginsAt - now())
      return await work()
    } finally {
      const next = host.waiting.shift()
      if (next) next()
      else host.inside -= 1
      this.#forget(name, host)
    }
  }

  #forget(name: string, host: Host): void {
    if (host.inside > 0) return
    const forget = () => {
      if (host.inside === 0 && this.#hosts.get(name) === host) this.#hosts.delete(name)
    }
    const restMs = host.nextAt - this.#options.now()
    if (restMs <= 0) forget()
    else setTimeout(forget, restMs).unref()
  }
}
