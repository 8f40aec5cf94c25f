/** A part of the process that runs only while the process holds a duty. */
import type { Log } from '../log/log.ts'
import type { Outside } from '../outside/upstreams/outside.ts'
import type { Running } from '../running.ts'

/** The log and the world of a duty. Both refuse as soon as another process may hold it. */
export interface Own {
  log: Log
  outside(signal: AbortSignal): Outside
}

export type OpenPart = (own: Own) => Promise<Running> | Running

interface PartOptions {
  duty: string
  open: OpenPart
  own: Own
  isHeld(): boolean
  onFailed(duty: string, error: unknown): void
}

export class DutyPart {
  readonly duty: string
  readonly ended: Promise<void>
  readonly #options: PartOptions
  readonly #end = Promise.withResolvers<void>()
  #running: Running | undefined
  #changing = Promise.resolve()
  #shouldRun = false

  constructor(options: PartOptions) {
    this.#options = options
    this.duty = options.duty
    this.ended = this.#end.promise
    this.ended.catch(() => {})
  }

  turn(on: boolean): void {
    if (on === this.#shouldRun) return
    this.#shouldRun = on
    this.#changing = this.#changing.then(() => this.#change())
  }

  async close(): Promise<void> {
    this.turn(false)
    await this.#changing
    this.#end.resolve()
  }

  async #change(): Promise<void> {
    const { open, own, duty, isHeld, onFailed } = this.#options
    try {
      if (this.#shouldRun && !this.#running) {
        const running = await open(own)
        this.#running = running
        // A failure because of the lost duty is not a failure of the process.
        running.ended.catch(error => isHeld() && this.#end.reject(error))
      } else if (!this.#shouldRun && this.#running) {
        const running = this.#running
        this.#running = undefined
        await running.close()
      }
    } catch (error) {
      // The next beat tries again.
      this.#shouldRun = false
      onFailed(duty, error)
    }
  }
}
