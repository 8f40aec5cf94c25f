/** The real server in its own process. It reports its memory and its longest piece of work. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { openTill } from '../../services/till/open-till.ts'
import { originOf } from '../services/an-origin.ts'
import { serve } from '../services/query/serve.ts'
import { saidByFile } from '../services/sell/said.ts'
import { echo, shout } from '../services/till/paying.ts'
import { openTestLog, options } from '../services/till/till-options.ts'

export interface Vitals {
  heapBytes: number
  /** Processor time of the event loop's thread between two ticks. Other processes do not count. */
  longestWorkMs: number
  /** Wall time. On a busy machine it includes other processes. */
  longestDelayMs: number
}

const [folder, facilitatorUrl] = process.argv.slice(2) as [string, string]
const log = await openTestLog(folder)
const { operations, find } = await saidByFile()
const origins = [originOf([echo, shout, ...operations])]
const till = await openTill(options(log, facilitatorUrl, { origins }))

const tickMs = 5
const delay = monitorEventLoopDelay({ resolution: tickMs })
delay.enable()
const worked = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
let before = worked()
let longestWorkMs = 0
setInterval(() => {
  const now = worked()
  longestWorkMs = Math.max(longestWorkMs, now - before)
  before = now
}, tickMs)

function vitals() {
  const said: Vitals = {
    longestWorkMs: Math.round(longestWorkMs),
    longestDelayMs: Math.round(delay.max / 1e6),
    heapBytes: 0,
  }
  ;(globalThis.gc as () => void)()
  said.heapBytes = process.memoryUsage().heapUsed
  // The test forces the full collection above, so its time does not count.
  before = worked()
  longestWorkMs = 0
  delay.reset()
  return { type: 'application/json', body: JSON.stringify(said) }
}
const { port } = await serve(till, origins, {
  find,
  pages: [{ path: '/vitals', answer: vitals }],
  trustProxy: true,
})
const sold = origins.flatMap(origin => origin.operations.map(({ path }) => path))
process.stdout.write(`${JSON.stringify({ port, sold })}\n`)
process.stdin.once('end', () => process.exit()).resume()
