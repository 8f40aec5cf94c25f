/**
 * Processes that read the bytes of strangers, so that the selling process reads none. Callers take turns, one caller
 * never has all processes, and a question that exceeds its time or memory ends only its own process.
 */
import { Tally } from '../tally.ts'
import { callerNow } from './caller.ts'
import { Child, type ChildOptions, TaskBroke } from './child.ts'
import { FairQueue, type QueueBounds, type WaitingTask } from './fair-queue.ts'

export { TaskBroke, TaskTooLong } from './child.ts'

/** Too many tasks wait, so this one would not be done in time. */
export class TooManyTasks extends Error {
  override name = 'TooManyTasks'
}

export interface ChildrenOptions extends ChildOptions, QueueBounds {
  /** The largest number of processes. With two or more, one stays free for another caller. */
  children: number
}

interface Task<Question> extends WaitingTask {
  question: Question
  askedAt: number
  done: PromiseWithResolvers<unknown>
}

/** By then the caller has given up. */
const mostWaitMs = 25_000

/** A process starts when a question finds no idle one. */
export class Children<Question> {
  readonly #all: readonly Child[]
  readonly #waiting: FairQueue<Task<Question>>
  /** The number of processes that each caller has. */
  readonly #has = new Tally()
  #closed = false

  constructor({ children, mostWaiting, mostWaitingBytes, ...options }: ChildrenOptions) {
    this.#all = Array.from({ length: children }, () => new Child(options))
    this.#waiting = new FairQueue({ mostWaiting, mostWaitingBytes })
  }

  /** `bytes` is the size of the question. Rejects with TaskTooLong, TaskBroke or TooManyTasks. */
  ask(question: Question, bytes: number): Promise<unknown> {
    if (this.#closed) return Promise.reject(closed())
    const task = {
      ...{ question, bytes, caller: callerNow(), askedAt: performance.now() },
      done: Promise.withResolvers<unknown>(),
    }
    const dropped = this.#waiting.add(task)
    for (const { done } of dropped) done.reject(new TooManyTasks(`${this.#waiting.size} tasks wait`))
    this.#next()
    return task.done.promise
  }

  async close(): Promise<void> {
    this.#closed = true
    for (let task = this.#take(() => true); task; task = this.#take(() => true)) task.done.reject(closed())
    await Promise.all(this.#all.map(child => child.close()))
  }

  #next(): void {
    const most = Math.max(1, this.#all.length - 1)
    for (let child = this.#free(); child && !this.#closed; child = this.#free()) {
      const task = this.#take(caller => this.#has.of(caller) < most)
      if (!task) return
      void this.#run(child, task)
    }
  }

  #take(mayHave: (caller: string) => boolean): Task<Question> | undefined {
    for (;;) {
      const task = this.#waiting.take(mayHave)
      if (!task || performance.now() - task.askedAt < mostWaitMs) return task
      task.done.reject(new TooManyTasks('it has waited too long'))
    }
  }

  /** A loaded process answers sooner. */
  #free(): Child | undefined {
    const free = this.#all.filter(({ isBusy }) => !isBusy)
    return free.find(({ isLoaded }) => isLoaded) ?? free[0]
  }

  async #run(child: Child, { question, caller, done }: Task<Question>): Promise<void> {
    this.#has.add(caller)
    try {
      done.resolve(await child.ask(question))
    } catch (error) {
      done.reject(error)
    }
    this.#has.add(caller, -1)
    this.#next()
  }
}

const closed = () => new TaskBroke('it is closed')
