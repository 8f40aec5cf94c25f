/** The thread that owns the file. SQLite calls block, so the thread that answers requests makes none. */
import { parentPort, workerData } from 'node:worker_threads'
import { type FileOptions, LogFile } from './sqlite-file.ts'

export type WriterMethod = Exclude<keyof LogFile, 'close'>
export interface WriterCall {
  id: number
  method: WriterMethod | 'close'
  args: unknown[]
}
export interface WriterReply {
  id: number
  result?: unknown
  error?: unknown
}

const port = parentPort
if (!port) throw new Error('sqlite-writer is a worker thread')
// An error thrown here reaches the other side as an error of the worker.
const file = new LogFile(workerData as FileOptions)

port.on('message', ({ id, method, args }: WriterCall) => {
  try {
    const result = (file[method] as (...args: unknown[]) => unknown).apply(file, args)
    port.postMessage({ id, result } satisfies WriterReply)
  } catch (error) {
    port.postMessage({ id, error } satisfies WriterReply)
  }
  if (method === 'close') port.close()
})
