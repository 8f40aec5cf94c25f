/** The thread that reads product pages: a page that costs much costs no other caller. */
import { parentPort } from 'node:worker_threads'
import type { Reply } from '../reading/thread.ts'
import { extract, type PageText } from './extract.ts'

parentPort?.on('message', (page: PageText) => {
  let reply: Reply
  try {
    reply = { result: extract(page) }
  } catch (error) {
    // A page that no rule foresaw fails alone. The thread goes on with the next one.
    reply = { error: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(reply)
})
parentPort?.postMessage({ ready: true } satisfies Reply)
