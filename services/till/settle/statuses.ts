/** Asks about all transactions of Solana under way in one call, however many sales wait for them. */
import type { Rpc } from '../../../pipelines/domains/payments/svm/rpc.ts'

interface Status {
  confirmationStatus?: string
  err: unknown
}

const pauseMs = 400
/** Nodes answer for so many at once. */
const mostAtOnce = 256

type Tell = (status: Status | undefined) => void

export class Statuses {
  readonly #rpc: Rpc
  readonly #asked = new Map<string, Tell[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(rpc: Rpc) {
    this.#rpc = rpc
  }

  /** With the next call. Undefined: no node shows the transaction now. */
  of(signature: string): Promise<Status | undefined> {
    return new Promise(resolve => {
      this.#asked.set(signature, [...(this.#asked.get(signature) ?? []), resolve])
      this.#timer ??= setTimeout(() => void this.#ask(), pauseMs)
    })
  }

  async #ask(): Promise<void> {
    this.#timer = undefined
    const asked = [...this.#asked]
    this.#asked.clear()
    for (let i = 0; i < asked.length; i += mostAtOnce) {
      const part = asked.slice(i, i + mostAtOnce)
      const signatures = part.map(([signature]) => signature)
      const found = await this.#rpc<{ value: (Status | null)[] }>('getSignatureStatuses', signatures).catch(
        // The world fails: they are asked about again.
        () => undefined,
      )
      for (const [nth, [, tells]] of part.entries())
        for (const tell of tells) tell(found?.value[nth] ?? undefined)
    }
  }
}
