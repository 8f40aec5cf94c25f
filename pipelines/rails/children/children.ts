/**
 * Processes for what strangers send: the process that sells reads none of it. Callers take turns, one caller never has all of
 * them, and a question that takes too long or too much memory ends its process alone.
 */
import { callerNow } from './caller.ts'
import { Child, type ChildOptions, TaskBroke } from './child.ts'
import { FairQueue, type QueueBounds, type WaitingTask } from './fair-queue.ts'

export { TaskBroke, TaskTooLong } from './child.ts'

/** More tasks wait than will be done in time. */
export class TooManyTasks extends Error {
  override name = 'TooManyTasks'
}

export interface ChildrenOptions extends ChildOptions, QueueBounds {
  /** How many there are at most. Where there are two or more, one of them is free for another caller. */
  children: number
}

interface Task<Question> extends WaitingTask {
  question: Question
  askedAt: number
  done: PromiseWithResolvers<unknown>
}

/** Whoever asked is gone by then. */
const mostWaitMs = 25_000

/** One starts with the first question that finds no other. */
export class Children<Question> {
  readonly #all: readonly Child[]
  readonly #waiting: FairQueue<Task<Question>>
  /** How many each caller has. */
  readonly #has = new Map<string, number>()
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
      const task = this.#take(caller => (this.#has.get(caller) ?? 0) < most)
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

  /** One that is loaded answers sooner. */
  #free(): Child | undefined {
    const free = this.#all.filter(({ isBusy }) => !isBusy)
    return free.find(({ isLoaded }) => isLoaded) ?? free[0]
  }

  async #run(child: Child, { question, caller, done }: Task<Question>): Promise<void> {
    this.#has.set(caller, (this.#has.get(caller) ?? 0) + 1)
    try {
      done.resolve(await child.ask(question))
    } catch (error) {
      done.reject(error)
    }
    const left = (this.#has.get(caller) as number) - 1
    if (left > 0) this.#has.set(caller, left)
    else this.#has.delete(caller)
    this.#next()
  }
}

const closed = () => new TaskBroke('it is closed')
