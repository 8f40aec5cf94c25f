/** Keeps in touch with the facilitator: knows within seconds that it is gone, and that it is back. */
import { metrics } from '../../pipelines/metrics.ts'
import type { Facilitator, Supported } from './facilitator.ts'

const whileUpMs = 60_000
/** With the 3 s that a call may take, back within 10 s of its return. */
const whileDownMs = 4000

export class Contact {
  readonly #facilitator: Facilitator
  readonly #heard: (supported: Supported) => void
  #timer: NodeJS.Timeout | undefined
  #asking: Promise<void> | undefined
  #closed = false
  /** Why paid calls are 503 just now. */
  down: string | undefined = 'The payment facilitator was not reached yet'

  constructor(facilitator: Facilitator, heard: (supported: Supported) => void) {
    this.#facilitator = facilitator
    this.#heard = heard
  }

  /** Asks now; resolves once that is answered, well or badly. */
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
      this.#heard(await this.#facilitator.supported())
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
