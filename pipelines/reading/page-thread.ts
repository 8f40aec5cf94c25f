/** The thread that reads pages and makes summaries. */
import { parentPort } from 'node:worker_threads'
import { mainOf } from './page/main.ts'
import { extractiveSummary } from './summary/extractive.ts'
import type { Reply } from './thread.ts'

export type PageTask =
  | { kind: 'main'; html: string; url?: string | undefined }
  | { kind: 'summary'; text: string; mostWords: number }

const answer = (task: PageTask) =>
  task.kind === 'main' ? mainOf(task.html, task.url) : extractiveSummary(task.text, task.mostWords)

parentPort?.on('message', (task: PageTask) => {
  let reply: Reply
  try {
    reply = { result: answer(task) }
  } catch (error) {
    // A page that no parser foresaw fails alone. The thread goes on with the next one.
    reply = { error: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(reply)
})
parentPort?.postMessage({ ready: true } satisfies Reply)
