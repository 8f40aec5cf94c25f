/** Knows within seconds that the facilitator is gone, and that it is back. */
import { metrics } from '../../../pipelines/metrics.ts'
import type { Facilitator } from './facilitator.ts'
import type { Supported } from './reply.ts'

const whileUpMs = 60_000
/** Together with the 3 s that a call may take, it is back within 10 s of its return. */
const whileDownMs = 4000

export class Availability {
  readonly #facilitator: Facilitator
  readonly #onSupported: (supported: Supported) => void
  #timer: NodeJS.Timeout | undefined
  #asking: Promise<void> | undefined
  #closed = false
  /** Why paid calls are answered with 503 now; undefined while the facilitator answers. */
  down: string | undefined = 'The payment facilitator was not reached yet'

  constructor(facilitator: Facilitator, onSupported: (supported: Supported) => void) {
    this.#facilitator = facilitator
    this.#onSupported = onSupported
  }

  /** Asks now. Resolves when the facilitator has answered, or has failed to. */
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
      // The world fails: paid calls are refused, free of charge, until it answers.
      this.down = 'The payment facilitator does not answer'
    }
    metrics.facilitatorUp.set(this.down ? 0 : 1)
    this.#asking = undefined
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.ask(), this.down ? whileDownMs : whileUpMs).unref()
  }
}
