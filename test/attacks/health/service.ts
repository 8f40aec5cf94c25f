/**
 * The whole service as `npm start` runs it, with a file that it sells, in a process of its own. It places a public name on the attacker's server, and
 * tells its parent how long it was at one piece of work.
 */
import { startSandbox } from '../../../services/sandbox/sandbox.ts'
import { queuedMs } from './queued.ts'
import { writeSold } from './sold.ts'

export interface Held {
  /** The longest time between two ticks of the thread that sells, without its waits for a processor that others had. */
  heldMs: number
  /** Processor time of the thread between two ticks. */
  workedMs: number
}

const tickMs = 5
const [folder = '', port, ...names] = process.argv.slice(2)
const env = {
  ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0', NETWORKS: 'base' },
  ...{ SELL: writeSold(folder, Number(port)), SOLD_KEY: 'a-key/of+the"sold' },
  ...{ LOG_LEVEL: 'silent', TRUST_PROXY: 'true', RATE_LIMIT: '1000000', FREE_CALLS_A_DAY: '1000000' },
}
const sandbox = await startSandbox(env, { live: async () => false })
for (const name of names) sandbox.publicWeb.place(name, Number(port))

const now = () => {
  const { user, system } = process.threadCpuUsage()
  return { ours: performance.now() - queuedMs(), worked: (user + system) / 1000 }
}
let before = now()
let held: Held = { heldMs: 0, workedMs: 0 }
setInterval(() => {
  const { ours, worked } = now()
  held = {
    heldMs: Math.max(held.heldMs, ours - before.ours - tickMs),
    workedMs: Math.max(held.workedMs, worked - before.worked),
  }
  before = { ours, worked }
}, tickMs)

process.on('message', () => {
  process.send?.(held)
  held = { heldMs: 0, workedMs: 0 }
})
process.on('disconnect', () => sandbox.close().finally(() => process.exit()))
process.send?.({ url: sandbox.service.url })
await sandbox.ended
