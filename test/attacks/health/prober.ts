/** Asks whether the service is ready, every 20 ms, from a process that does nothing else, over ever new connections. */
import { get } from 'node:http'
import { queuedMs } from './queued.ts'

export interface Probed {
  asked: number
  /** The answers that were not 200. */
  failed: string[]
  longestMs: number
  /** Without what prober and service waited meanwhile for a processor that others had. */
  longestOwnMs: number
}

const everyMs = 20
const [url, servicePid] = process.argv.slice(2) as [string, string]
let probed: Probed = { asked: 0, failed: [], longestMs: 0, longestOwnMs: 0 }

/** In ms: by the clock, and in line for a processor. */
const now = (): [number, number] => [performance.now(), queuedMs() + queuedMs(Number(servicePid))]

function probe(): void {
  const own = probed
  const [startedAt, queuedBefore] = now()
  const end = (said: string) => {
    own.asked++
    if (said !== '200') own.failed.push(said)
    const [endedAt, queued] = now()
    own.longestMs = Math.max(own.longestMs, endedAt - startedAt)
    own.longestOwnMs = Math.max(own.longestOwnMs, endedAt - startedAt - (queued - queuedBefore))
  }
  // Two probes of one operator: one alone may ask 50 times a second, and no more.
  const headers = { 'x-forwarded-for': `192.0.2.${1 + (probed.asked % 2)}` }
  get(`${url}/health/ready`, { agent: false, headers }, response => {
    response.resume().once('end', () => end(String(response.statusCode)))
  }).once('error', error => end(error.message))
}

setInterval(probe, everyMs)
process.on('message', () => {
  process.send?.(probed)
  probed = { asked: 0, failed: [], longestMs: 0, longestOwnMs: 0 }
})
process.on('disconnect', () => process.exit())
