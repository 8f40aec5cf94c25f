/**
 * A duty is work for exactly one process, such as polling a source. The log decides which process: the first to ask
 * holds the duty until it leaves, or until a long silence shows that it is dead.
 */
import { randomUUID } from 'node:crypto'
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { type DutyBeat, duties } from '../../../schemas/duties.ts'
import { entryOf, type Received, type Watching } from '../log/log.ts'
import { metrics } from '../metrics.ts'
import type { Running } from '../running.ts'
import { DutyPart, type OpenPart, type Own } from './part.ts'
import { Roster } from './roster.ts'

export interface Duties extends Running {
  /** Runs the part in one process of all. The parts of one duty are in the same process. */
  alone(duty: string, open: OpenPart): Promise<Running> | Running
}

interface DutiesOptions extends Own {
  onFailed(duty: string, error: unknown): void
  times?: typeof times
}

/** A holder acts only while its last word is younger than `deadMs - marginMs`, so it has stopped before another begins. */
const times = { beatMs: 3_000, deadMs: 12_000, marginMs: 3_000, lookMs: 500 }

export function openDuties({ times: given = times, ...options }: DutiesOptions): Duties {
  return options.log.isOwned ? ownedDuties(options) : new SharedDuties(options, given)
}

/** Nobody else reads this log, so this process holds every duty. */
const ownedDuties = (own: Own): Duties => {
  const nothing = Promise.resolve()
  const alone: Duties['alone'] = (duty, open) => {
    metrics.dutyHeld.set({ duty }, 1)
    return open(own)
  }
  return { alone, ended: nothing, close: () => nothing }
}

class SharedDuties implements Duties {
  readonly #options: Omit<DutiesOptions, 'times'>
  readonly #times: typeof times
  readonly #run = randomUUID()
  readonly #roster: Roster
  readonly #parts = new Set<DutyPart>()
  /** By the monotonic clock of this process. It goes on while the process is frozen. */
  readonly #heldUntil = new Map<string, number>()
  readonly #sentAt = new Map<number, number>()
  readonly #end = Promise.withResolvers<void>()
  readonly ended = this.#end.promise
  #beats = 0
  #beatAt = -Infinity
  #beating: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  #opening: Promise<void> | undefined
  #watching: Watching | undefined

  constructor(options: Omit<DutiesOptions, 'times'>, given: typeof times) {
    this.#options = options
    this.#times = given
    this.#roster = new Roster(given.deadMs)
  }

  async alone(duty: string, open: OpenPart): Promise<Running> {
    this.#opening ??= this.#open()
    await this.#opening
    const { onFailed } = this.#options
    const isHeld = () => this.#isHeld(duty)
    const part = new DutyPart({ duty, open, own: this.#guarded(duty), isHeld, onFailed })
    this.#parts.add(part)
    return {
      ended: part.ended,
      close: async () => {
        await part.close()
        this.#parts.delete(part)
      },
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    // The holder says that it leaves, so that others need not wait for its silence.
    if (this.#beats) await this.#say([]).catch(error => this.#options.onFailed('leaving', error))
    await this.#watching?.close()
    this.#end.resolve()
  }

  async #open(): Promise<void> {
    this.#watching = await this.#options.log.watch(duties.topic, batch => this.#hear(batch))
    this.#watching.ended.catch(this.#end.reject)
    await this.#watching.caughtUp
    this.#timer = setInterval(() => this.#look(), this.#times.lookMs)
  }

  #isHeld(duty: string): boolean {
    return this.#roster.holds(this.#run, duty) && performance.now() < (this.#heldUntil.get(duty) ?? -Infinity)
  }

  #look(): void {
    for (const part of this.#parts) {
      const isHeld = this.#isHeld(part.duty)
      metrics.dutyHeld.set({ duty: part.duty }, isHeld ? 1 : 0)
      part.turn(isHeld)
    }
    if (performance.now() - this.#beatAt >= this.#times.beatMs) this.#beat()
  }

  #beat(): void {
    if (this.#beating) return
    const wanted = new Set([...this.#parts].map(({ duty }) => duty))
    const held = [...wanted].filter(duty => this.#roster.mayHold(this.#run, duty))
    this.#beatAt = performance.now()
    this.#beating = this.#say(held)
      .catch(error => this.#options.onFailed('beat', error))
      .finally(() => {
        this.#beating = undefined
      })
  }

  async #say(held: string[]): Promise<void> {
    const event: DutyBeat = { by: this.#run, beat: this.#beats++, held }
    this.#sentAt.set(event.beat, performance.now())
    await this.#options.log.append(duties.topic, [entryOf(duties, event)])
  }

  #hear(batch: readonly Received[]): void {
    for (const { value, at } of batch) {
      const { event } = readEvent(duties, value ?? '')
      if (!event) continue
      this.#roster.hear(event, at)
      if (event.by === this.#run) this.#hearOwn(event)
    }
    // Somebody has left or died, or this is the first word of this run.
    if ([...this.#parts].some(({ duty }) => this.#roster.isFree(duty))) this.#beat()
    this.#look()
  }

  #hearOwn({ beat, held }: DutyBeat): void {
    const { deadMs, marginMs } = this.#times
    const sentAt = this.#sentAt.get(beat) ?? -Infinity
    for (const earlier of this.#sentAt.keys()) if (earlier <= beat) this.#sentAt.delete(earlier)
    for (const duty of held) this.#heldUntil.set(duty, sentAt + deadMs - marginMs)
  }

  #guarded(duty: string): Own {
    const { log, outside } = this.#options
    const check = () => {
      if (!this.#isHeld(duty)) throw new Error(`this process has lost the duty ${duty}`)
    }
    return {
      log: {
        isOwned: log.isOwned,
        append: async (topic, entries) => {
          check()
          await log.append(topic, entries)
        },
        follow: (...asked) => log.follow(...asked),
        watch: (...asked) => log.watch(...asked),
        end: topic => log.end(topic),
        lag: (...asked) => log.lag(...asked),
        lags: (...asked) => log.lags(...asked),
        condition: () => log.condition(),
        close: () => log.close(),
      },
      outside: signal => {
        const world = outside(signal)
        return {
          ...world,
          get: async (...asked) => {
            check()
            return world.get(...asked)
          },
          download: async (...asked) => {
            check()
            return world.download(...asked)
          },
        }
      },
    }
  }
}
