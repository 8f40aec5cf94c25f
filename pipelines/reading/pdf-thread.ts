/** The thread that reads PDFs. */
import { parentPort } from 'node:worker_threads'
import { mostHeapBytes, openPdfium, type PdfQuestion } from './pdf/document.ts'
import type { Reply } from './thread.ts'

const { read, heapBytes } = await openPdfium()

parentPort?.on('message', (question: PdfQuestion) => {
  let reply: Reply
  try {
    reply = { result: read(question), ends: heapBytes() > mostHeapBytes }
  } catch (error) {
    // After a trap in WebAssembly its heap cannot be trusted.
    reply = { error: error instanceof Error ? error.message : String(error), ends: true }
  }
  parentPort?.postMessage(reply)
})
parentPort?.postMessage({ ready: true } satisfies Reply)
