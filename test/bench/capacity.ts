/**
 * Sales in flight beside facilitators that take their time, sold by the real service: `npm run serve` with its engine, its workers and
 * `SIGNER_KEY`. `BENCH_FACILITATORS` (0,1000,spread) and `BENCH_IN_FLIGHT` choose, and `BENCH_SECONDS` says how long each run sells.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from './child.ts'
import { load, type Measured, percentile } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'
import { type Service, startService } from './service.ts'

const listed = (name: string, usual: string) => (process.env[name] ?? usual).split(',')
const facilitators = listed('BENCH_FACILITATORS', '0,1000,spread')
const inFlight = listed('BENCH_IN_FLIGHT', '64,512,4096').map(Number)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const warmUp = { calls: 6000, connections: 512 }
/** A service that waits takes less in a second. */
const calmUs = 100_000
/** A run makes as many calls as it sells at this rate, or at the rate that the facilitator allows. */
const mostPerSecond = 2000
/** Mean and p99 of a settlement, in ms. */
const takes: Record<string, { mean: number; p99: number }> = {
  0: { mean: 0, p99: 0 },
  1000: { mean: 1000, p99: 1000 },
  spread: { mean: 1800, p99: 7660 },
}
/** One wallet has half of the memory for sales, and most sellers have many customers. */
const wallets = Array.from({ length: 64 }, (_, nth) => createHash('sha256').update(`wallet ${nth}`).digest())

interface Run extends Measured {
  calls: number
  rss: { beforeMb: number; mostMb: number }
  cpuUs: number
  engineUs: number
}

async function run(service: Service, connections: number, calls: number): Promise<Run> {
  const { offer } = await quoteOf(service)
  const ready = paidCalls(offer, calls, wallets)
  const before = service.usage()
  let mostMb = before.rssMb
  const watch = setInterval(() => {
    mostMb = Math.max(mostMb, service.usage().rssMb)
  }, 100)
  const measured = await load(service.url, ready, { connections })
  clearInterval(watch)
  const after = service.usage()
  const each = (of: 'cpuUs' | 'engineUs') => (after[of] - before[of]) / calls
  const rss = { beforeMb: before.rssMb, mostMb: Math.max(mostMb, after.rssMb) }
  return { ...measured, calls, rss, cpuUs: each('cpuUs'), engineUs: each('engineUs') }
}

/** Resolves when what begins with a start, and what the calls before have left, is over. */
async function calm(service: Service): Promise<void> {
  const busyUs = () => service.usage().cpuUs + service.usage().engineUs
  let before = busyUs()
  for (let isCalm = false; !isCalm; ) {
    await sleep(1000)
    const now = busyUs()
    isCalm = now - before < calmUs
    before = now
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en')

function print(facilitator: string, connections: number, measured: Run): void {
  const { tookMs, statuses, rss, calls } = measured
  const [p50, p99] = [percentile(tookMs, 50), percentile(tookMs, 99)]
  const own = p99 - (takes[facilitator]?.p99 ?? 0)
  const others = [...statuses]
    .filter(([status]) => status !== 200)
    .map(([status, many]) => `${many} x ${status}`)
  const kbEach = ((rss.mostMb - rss.beforeMb) * 1024) / connections
  const cells = [
    ...[
      facilitator,
      whole(connections),
      whole(calls),
      whole(measured.perSecond),
      whole(p50),
      whole(p99),
      whole(own),
    ],
    ...[
      others.join(', ') || 'none',
      whole(rss.mostMb),
      whole(kbEach),
      whole(measured.cpuUs),
      whole(measured.engineUs),
    ],
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

export async function capacity(): Promise<void> {
  console.log('\nSales in flight, npm run serve with SIGNER_KEY\n')
  console.log(
    '| facilitator | in flight | calls | calls/s | p50 ms | p99 ms | p99 of ours | not 200 | RSS MB | KB more for each | us a call | us of the engine |',
  )
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |')
  for (const name of facilitators) {
    const facilitator = await start('facilitator', [name])
    const service = await startService(facilitator.url)
    try {
      await calm(service)
      await run(service, warmUp.connections, warmUp.calls)
      await calm(service)
      for (const connections of inFlight) {
        const perSecond = Math.min(mostPerSecond, (1000 * connections) / (takes[name]?.mean || 1))
        print(name, connections, await run(service, connections, Math.ceil(seconds * perSecond)))
      }
    } finally {
      await service.stop()
      await facilitator.stop()
    }
  }
}
