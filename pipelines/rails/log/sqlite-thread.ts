/** Calls the thread of sqlite-writer.ts. */
import { Worker } from 'node:worker_threads'
import type { FileOptions, LogFile } from './sqlite-file.ts'
import type { WriterCall, WriterMethod, WriterReply } from './sqlite-writer.ts'

export class SqliteThread {
  readonly #worker: Worker
  readonly #calls = new Map<number, PromiseWithResolvers<unknown>>()
  readonly #exited: Promise<void>
  #lastId = 0
  #gone: Error | undefined

  constructor(options: FileOptions) {
    this.#worker = new Worker(new URL('./sqlite-writer.ts', import.meta.url), { workerData: options })
    this.#worker.on('message', ({ id, result, error }: WriterReply) => {
      const call = this.#calls.get(id)
      this.#calls.delete(id)
      if (error === undefined) call?.resolve(result)
      else call?.reject(error)
    })
    this.#worker.on('error', error => this.#fail(error as Error))
    this.#exited = new Promise(resolve =>
      this.#worker.on('exit', () => {
        this.#fail(new Error('the log is closed'))
        resolve()
      }),
    )
  }

  call<M extends WriterMethod>(method: M, ...args: Parameters<LogFile[M]>): Promise<ReturnType<LogFile[M]>> {
    return this.#send(method, args) as Promise<ReturnType<LogFile[M]>>
  }

  async close(): Promise<void> {
    if (!this.#gone) await this.#send('close', [])
    await this.#exited
  }

  #send(method: WriterCall['method'], args: unknown[]): Promise<unknown> {
    if (this.#gone) return Promise.reject(this.#gone)
    const call = Promise.withResolvers<unknown>()
    this.#calls.set(++this.#lastId, call)
    this.#worker.postMessage({ id: this.#lastId, method, args } satisfies WriterCall)
    return call.promise
  }

  #fail(error: Error): void {
    this.#gone ??= error
    for (const call of this.#calls.values()) call.reject(this.#gone)
    this.#calls.clear()
  }
}
