/** Paid calls at half the top rate for a long time: memory, the loop's delay, the log file and p99 every 10 s, drawn. */
import { writeFile } from 'node:fs/promises'
import { start } from './child.ts'
import { lineChart } from './line-chart.ts'
import { load, percentile } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'

const minutes = Number(process.env.SOAK_MINUTES ?? 30)
const everySeconds = 10
const connections = 64
const chart = 'soak.svg'

export async function soak(): Promise<void> {
  const facilitator = await start('facilitator')
  const farebox = await start('farebox', [facilitator.url])
  const { offer } = await quoteOf(farebox)
  const sell = (count: number, perSecond?: number) => {
    const options = { connections, status: 200, ...(perSecond && { perSecond }) }
    return load(farebox.url, paidCalls(offer, count), options)
  }
  await sell(3000)
  const perSecond = Math.floor((await sell(3000)).perSecond / 2)
  const samples: Record<string, number>[] = []
  let calls = 0
  const endAt = performance.now() + minutes * 60_000
  while (performance.now() < endAt) {
    const { tookMs } = await sell(perSecond * everySeconds, perSecond)
    calls += tookMs.length
    const { rssBytes, heapBytes, loopDelayMs, fileBytes = 0 } = await farebox.usage()
    samples.push({
      'resident memory, MB': rssBytes / 1e6,
      'heap, MB': heapBytes / 1e6,
      'log file, MB': fileBytes / 1e6,
      'p99 of a call, ms': percentile(tookMs, 99),
      'p99 of the loop delay, ms': loopDelayMs,
    })
  }
  await Promise.all([farebox.stop(), facilitator.stop()])
  const title = `${calls.toLocaleString('en')} paid calls, ${perSecond} a second, ${minutes} minutes`
  await writeFile(new URL(chart, import.meta.url), lineChart(title, samples, everySeconds))
  console.log(`soak         ${title}`)
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const mean = (name: string, part: typeof samples) =>
    part.reduce((sum, sample) => sum + (sample[name] as number), 0) / part.length
  for (const name of Object.keys(samples[0] ?? {}))
    console.log(
      `  ${name}: ${mean(name, samples.slice(0, quarter)).toFixed(1)} in the first quarter, ${mean(name, samples.slice(-quarter)).toFixed(1)} in the last`,
    )
  console.log(`  drawn: test/bench/${chart}`)
}
