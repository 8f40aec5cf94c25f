/** Runs one kind of task in a thread, one task at a time, and ends the thread when a task takes too long. */
import { Worker } from 'node:worker_threads'

export class TaskTooLong extends Error {
  override name = 'TaskTooLong'
}
/** The task needs more memory than it may have, or breaks its thread in another way. */
export class TaskBroke extends Error {
  override name = 'TaskBroke'
}
/** More tasks wait than will be done in time. */
export class TooManyTasks extends Error {
  override name = 'TooManyTasks'
}

export interface ThreadOptions {
  /** The file of the thread. It answers each message with a Reply. */
  file: URL
  /** From the beginning of a task, in a thread that is loaded, until the thread is ended. */
  deadlineMs: number
  /** Of the thread's JavaScript. */
  mostMegabytes: number
  mostWaiting: number
}

export interface Reply<Result = unknown> {
  /** The first message of a thread: it is loaded. On a busy machine that takes seconds, and is no task's fault. */
  ready?: true
  result?: Result
  error?: string
  /** The thread has grown, and a fresh one takes its place. */
  ends?: boolean
}

interface Task {
  question: unknown
  done: PromiseWithResolvers<unknown>
}

/** The thread starts with the first task, and a fresh one starts with the next task after one was ended. */
export class Thread<Question, Result> {
  readonly #options: ThreadOptions
  readonly #waiting: Task[] = []
  #worker: Worker | undefined
  #task: Task | undefined
  #timer: NodeJS.Timeout | undefined
  #ready = false
  #closed = false

  constructor(options: ThreadOptions) {
    this.#options = options
  }

  /** The number of tasks that it has. */
  get load(): number {
    return this.#waiting.length + (this.#task ? 1 : 0)
  }

  ask(question: Question): Promise<Result> {
    if (this.#closed) return Promise.reject(new TaskBroke('the thread is closed'))
    if (this.#waiting.length >= this.#options.mostWaiting)
      return Promise.reject(new TooManyTasks(`${this.#waiting.length} tasks wait`))
    const task = { question, done: Promise.withResolvers<unknown>() }
    this.#waiting.push(task)
    this.#next()
    return task.done.promise as Promise<Result>
  }

  async close(): Promise<void> {
    this.#closed = true
    const worker = this.#worker
    this.#end(new TaskBroke('the thread is closed'))
    for (const { done } of this.#waiting.splice(0)) done.reject(new TaskBroke('the thread is closed'))
    await worker?.terminate()
  }

  #next(): void {
    if (this.#task || this.#closed) return
    this.#task = this.#waiting.shift()
    if (!this.#task) return
    this.#worker ??= this.#start()
    this.#worker.ref()
    if (this.#ready) this.#begin()
  }

  #begin(): void {
    if (!this.#task) return
    const { deadlineMs } = this.#options
    this.#timer = setTimeout(
      () => this.#end(new TaskTooLong(`it takes longer than ${deadlineMs} ms`)),
      deadlineMs,
    )
    this.#worker?.postMessage(this.#task.question)
  }

  #start(): Worker {
    const { file, mostMegabytes } = this.#options
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: mostMegabytes } })
    const isCurrent = () => this.#worker === worker
    worker.on('message', (reply: Reply) => {
      if (!isCurrent()) return
      if (!reply.ready) {
        this.#take(reply)
        return
      }
      this.#ready = true
      this.#begin()
    })
    worker.on('error', error => {
      if (isCurrent()) this.#end(new TaskBroke(error instanceof Error ? error.message : String(error)))
    })
    worker.on('exit', () => {
      if (isCurrent()) this.#end(new TaskBroke('the thread ended'))
    })
    return worker
  }

  #take({ result, error, ends }: Reply): void {
    const task = this.#settled()
    if (error === undefined) task?.done.resolve(result)
    else task?.done.reject(new TaskBroke(error))
    if (ends) this.#drop()
    // A thread that waits for tasks keeps no process alive.
    else this.#worker?.unref()
    this.#next()
  }

  #end(reason: Error): void {
    this.#settled()?.done.reject(reason)
    this.#drop()
    this.#next()
  }

  #settled(): Task | undefined {
    clearTimeout(this.#timer)
    const task = this.#task
    this.#task = undefined
    return task
  }

  #drop(): void {
    const worker = this.#worker
    this.#worker = undefined
    this.#ready = false
    void worker?.terminate()
  }
}
