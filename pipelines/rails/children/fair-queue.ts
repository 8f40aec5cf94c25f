/**
 * A queue in which callers take turns, bounded in tasks and bytes. If it is full, the caller with the largest share
 * makes room.
 */

export interface WaitingTask {
  caller: string
  bytes: number
}

export interface QueueBounds {
  mostWaiting: number
  mostWaitingBytes: number
}

export class FairQueue<Task extends WaitingTask> {
  /** The caller whose turn is next stands first. */
  readonly #callers = new Map<string, Task[]>()
  readonly #bounds: QueueBounds
  #tasks = 0
  #bytes = 0

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds
  }

  get size(): number {
    return this.#tasks
  }

  /** Returns the tasks for which there is no room now. The new one may be among them. */
  add(task: Task): Task[] {
    const own = this.#callers.get(task.caller)
    if (own) own.push(task)
    else this.#callers.set(task.caller, [task])
    this.#count(task, 1)
    const dropped: Task[] = []
    while (this.#isFull()) dropped.push(this.#drop(task.caller))
    return dropped
  }

  /** The oldest task of the first caller that may have a turn. */
  take(mayHave: (caller: string) => boolean): Task | undefined {
    for (const [caller, tasks] of this.#callers) {
      if (!mayHave(caller)) continue
      const task = tasks.shift() as Task
      this.#callers.delete(caller)
      if (tasks.length > 0) this.#callers.set(caller, tasks)
      this.#count(task, -1)
      return task
    }
    return undefined
  }

  #isFull(): boolean {
    const { mostWaiting, mostWaitingBytes } = this.#bounds
    return this.#tasks > mostWaiting || this.#bytes > mostWaitingBytes
  }

  /** Drops a task of the caller with the largest share. If two have the same share, the caller that asks now loses. */
  #drop(asking: string): Task {
    const all = [...this.#callers]
    const most = all.reduce((most, [, tasks]) => Math.max(most, this.#shareOf(tasks)), 0)
    const [caller, tasks] = (all.find(([name, tasks]) => name === asking && this.#shareOf(tasks) === most) ??
      all.find(([, tasks]) => this.#shareOf(tasks) === most)) as [string, Task[]]
    const task = tasks.pop() as Task
    if (tasks.length === 0) this.#callers.delete(caller)
    this.#count(task, -1)
    return task
  }

  #shareOf(tasks: readonly Task[]): number {
    const bytes = tasks.reduce((sum, { bytes }) => sum + bytes, 0)
    return Math.max(tasks.length / this.#bounds.mostWaiting, bytes / this.#bounds.mostWaitingBytes)
  }

  #count({ bytes }: Task, times: 1 | -1): void {
    this.#tasks += times
    this.#bytes += times * bytes
  }
}
