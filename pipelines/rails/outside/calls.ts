/** Counts requests to services of others, which may cost money: by host, and by the operation whose caller waits for them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { CallCount } from '../../../schemas/call-counts.ts'
import { MinuteSums } from '../minute-sums.ts'
import type { SoldOperation } from '../process.ts'

const here = new AsyncLocalStorage<SoldOperation>()
const nobody: SoldOperation = { origin: '', operation: '' }

/** Does the work for a call of this operation. */
export const forSale = <T>(sold: SoldOperation, work: () => T): T => here.run(sold, work)

type Sum = Pick<CallCount, 'host' | 'origin' | 'operation' | 'calls'>

class Calls {
  readonly #sums: MinuteSums<Sum>

  constructor(now: () => number = Date.now) {
    this.#sums = new MinuteSums(now)
  }

  /** One request goes out now. Hosts and operations are named by the operator and the code, so what finds no room is left out. */
  count(host: string): void {
    const { origin, operation } = here.getStore() ?? nobody
    const key = `${host} ${origin} ${operation}`
    const sum = this.#sums.of(key)
    if (sum) sum.calls += 1
    else if (!this.#sums.isFull) this.#sums.add(key, { host, origin, operation, calls: 1 })
  }

  take(): CallCount[] {
    return this.#sums.take()
  }
}

/** Those of this process. */
export const calls = new Calls()
