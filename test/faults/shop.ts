/** Runs the seller's process for the test, and restarts it each time it has killed itself. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import type { CrashPoint } from './plan.ts'
import type { SellerOptions } from './seller-options.ts'

export interface Shop {
  url: string
  /** The point at which it killed itself, by purchase. */
  killed: Map<number, CrashPoint>
  /** The purchases whose work has begun. */
  asked: Set<number>
  said: string[]
  /** Ends the process with SIGKILL. The next one starts at once. */
  kill(): void
  /** Stops the process with SIGTERM. */
  close(): Promise<void>
}

const script = fileURLToPath(new URL('./seller.ts', import.meta.url))

const load = () => spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })

export async function openShop(options: Omit<SellerOptions, 'port'>): Promise<Shop> {
  const port = await freePort()
  const plans = options.plans.map(plan => ({ ...plan }))
  let child: ChildProcess
  let spare: ChildProcess | undefined
  let closing = false
  let ready = false
  const shop: Shop = {
    url: `http://127.0.0.1:${port}`,
    killed: new Map(),
    asked: new Set(),
    said: [],
    kill: () => void child.kill('SIGKILL'),
    async close() {
      closing = true
      spare?.stdin?.end()
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }

  function heard(line: string): void {
    const [, what, run] = /^(ready|crash|asked)(?: (\d+))?$/.exec(line) ?? []
    if (what === 'ready') ready = true
    if (what === 'asked') shop.asked.add(Number(run))
    const plan = what === 'crash' ? plans.find(({ id }) => id === Number(run)) : undefined
    if (plan?.crash) {
      shop.killed.set(plan.id, plan.crash)
      plan.crash = undefined
    }
    if (!what) shop.said.push(line)
  }

  function begin(): void {
    const [fresh, told] = [spare ?? load(), { ...options, port, plans } satisfies SellerOptions]
    child = fresh
    // The next process loads its code now, so it can start at once.
    spare = plans.some(plan => plan.crash) ? load() : undefined
    child.stdin?.write(`${JSON.stringify(told)}\n`)
    let rest = ''
    child.stdout?.setEncoding('utf8').on('data', text => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() as string
      lines.forEach(heard)
    })
    child.once('close', (code, signal) => {
      if (closing) return
      if (signal !== 'SIGKILL') shop.said.push(`ended by itself: ${code} ${signal}`)
      begin()
    })
  }
  begin()
  await until(() => ready, 'the shop to open', 60_000)
  return shop
}
