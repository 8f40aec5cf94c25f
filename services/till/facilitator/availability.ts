/** Notices within seconds when a facilitator stops answering, and when it is back. */
import type { Facilitator } from './facilitator.ts'
import type { Supported } from './reply.ts'

const whileUpMs = 60_000
/** A call may take 3 s, so the till notices the facilitator's return within 10 s. */
const whileDownMs = 4000

export class Availability {
  readonly #facilitator: Facilitator
  readonly #onAnswer: () => void
  #timer: NodeJS.Timeout | undefined
  #asking: Promise<void> | undefined
  #closed = false
  /** The reason why it takes no payment now. Undefined while it responds. */
  down: string | undefined = 'The payment facilitator was not reached yet'
  /** What it has said last. */
  supported: Supported | undefined

  constructor(facilitator: Facilitator, onAnswer: () => void) {
    this.#facilitator = facilitator
    this.#onAnswer = onAnswer
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
      this.supported = await this.#facilitator.supported()
      this.down = undefined
    } catch {
      // Until it answers, it gets no payment.
      this.down = 'The payment facilitator does not answer'
    }
    this.#asking = undefined
    this.#onAnswer()
    if (this.#closed) return
    this.#timer = setTimeout(() => void this.ask(), this.down ? whileDownMs : whileUpMs).unref()
  }
}
