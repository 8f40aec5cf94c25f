/** Counts requests to services of others, which may cost money: by host, and by the operation whose caller waits for them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import type { CallCount } from '../../../schemas/call-counts.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { SoldOperation } from '../process.ts'

const here = new AsyncLocalStorage<SoldOperation>()
const nobody: SoldOperation = { origin: '', operation: '' }

/** Does the work for a call of this operation. */
export const forSale = <T>(sold: SoldOperation, work: () => T): T => here.run(sold, work)

/** Hosts and operations are named by the operator and the code. */
const mostSums = 5000
const minuteMs = 60_000

type Sum = Pick<CallCount, 'host' | 'origin' | 'operation' | 'calls'>

class Calls {
  readonly #instance = randomUUID()
  readonly #now: () => number
  #sums = new Map<string, Sum>()
  #sinceMs = 0
  #part = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** One request goes out now. */
  count(host: string): void {
    const { origin, operation } = here.getStore() ?? nobody
    const key = `${host} ${origin} ${operation}`
    const sum = this.#sums.get(key)
    if (sum) sum.calls += 1
    else if (this.#sums.size < mostSums) {
      if (this.#sums.size === 0) this.#sinceMs = this.#now()
      this.#sums.set(key, { host, origin, operation, calls: 1 })
    }
  }

  take(): CallCount[] {
    const sums = [...this.#sums.values()]
    if (sums.length === 0) return []
    this.#sums = new Map()
    this.#part += 1
    const minute = instant(Math.floor(this.#sinceMs / minuteMs) * minuteMs)
    return sums.map(sum => ({ minute, instance: this.#instance, part: this.#part, ...sum }))
  }
}

/** Those of this process. */
export const calls = new Calls()
