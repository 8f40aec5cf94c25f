/** Notices within seconds when the facilitator stops answering, and when it is back. */
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { Facilitator } from './facilitator.ts'
import type { Supported } from './reply.ts'

const whileUpMs = 60_000
/** A call may take 3 s, so the till notices the facilitator's return within 10 s. */
const whileDownMs = 4000

export class Availability {
  readonly #facilitator: Facilitator
  readonly #onSupported: (supported: Supported) => void
  #timer: NodeJS.Timeout | undefined
  #asking: Promise<void> | undefined
  #closed = false
  /** The reason why paid calls get 503 now. Undefined while the facilitator responds. */
  down: string | undefined = 'The payment facilitator was not reached yet'

  constructor(facilitator: Facilitator, onSupported: (supported: Supported) => void) {
    this.#facilitator = facilitator
    this.#onSupported = onSupported
  }

  /** Asks now. Resolves when the facilitator has responded or failed. */
  ask(): Promise<void> {
    this.#asking ??= this.#ask()
    return this.#asking
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  async #ask(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      this.#onSupported(await this.#facilitator.supported())
      this.down = undefined
    } catch {
      // Until it answers, the till refuses paid calls, free of charge.
      this.down = 'The payment facilitator does not answer'
    }
    metrics.facilitatorUp.set(this.down ? 0 : 1)
    this.#asking = undefined
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.ask(), this.down ? whileDownMs : whileUpMs).unref()
  }
}
