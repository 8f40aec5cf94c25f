/** Where the processor time of a paid call goes: a table of self time by file, and a flame graph. */
import { writeFile } from 'node:fs/promises'
import type { Profiler } from 'node:inspector'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start } from './child.ts'
import { flameGraph } from './flame-graph.ts'
import { load } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'

const calls = 3000
const connections = 64
const graph = 'profile.svg'
const root = fileURLToPath(new URL('../..', import.meta.url))

/** A file of ours, a package, a part of Node, or what is done in C++. */
export function placeOf({ url, functionName }: Profiler.ProfileNode['callFrame']): string {
  if (url.startsWith('node:')) return url
  if (url === '') return functionName || 'native'
  const path = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
  return /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? path
}

/** In microseconds, the largest first. */
export function selfTimes({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): [string, number][] {
  const byId = new Map(nodes.map(node => [node.id, placeOf(node.callFrame)]))
  const times = new Map<string, number>()
  samples.forEach((id, i) => {
    const place = byId.get(id) as string
    times.set(place, (times.get(place) ?? 0) + (timeDeltas[i] ?? 0))
  })
  for (const idle of ['(idle)', '(program)', '(root)']) times.delete(idle)
  return [...times].sort((a, b) => b[1] - a[1])
}

export async function profile(): Promise<void> {
  const facilitator = await start('facilitator')
  const farebox = await start('farebox', [facilitator.url])
  const { offer } = await quoteOf(farebox)
  const sell = (count: number) => load(farebox.url, paidCalls(offer, count), { connections, status: 200 })
  await sell(calls)
  const before = await farebox.usage()
  const ready = paidCalls(offer, calls)
  const found = await farebox.profile(() => load(farebox.url, ready, { connections, status: 200 }))
  const after = await farebox.usage()
  await Promise.all([farebox.stop(), facilitator.stop()])

  const perCall = (us: number) => `${Math.round(us / calls)} us`
  const all = after.cpuUs - before.cpuUs
  const main = after.mainUs - before.mainUs
  console.log(
    `\na paid call: ${perCall(all)} of CPU, ${perCall(main)} of them on the main thread, while profiled\n`,
  )
  console.log('| self time | per call | where |\n| ---: | ---: | --- |')
  const times = selfTimes(found)
  const total = times.reduce((sum, [, us]) => sum + us, 0)
  for (const [place, us] of times.slice(0, 40))
    console.log(`| ${((100 * us) / total).toFixed(1)} % | ${perCall(us)} | ${place} |`)
  await writeFile(new URL(graph, import.meta.url), flameGraph(found, placeOf))
  console.log(`\nflame graph: test/bench/${graph}`)
}
