/** What a second process could add on this machine: one process, and two with a log each, under the same load in turns. */
import { type Child, start } from './child.ts'
import { load } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const calls = 3000
const connections = 64

export async function workers(): Promise<void> {
  const facilitator = await start('facilitator')
  const children = [await start('farebox', [facilitator.url]), await start('farebox', [facilitator.url])]
  const { offer } = await quoteOf(children[0] as Child)

  /** All calls go to these processes, in equal parts. */
  async function measured(processes: readonly Child[]) {
    const ready = processes.map(() => paidCalls(offer, calls / processes.length))
    const usage = () => Promise.all([...processes, facilitator].map(child => child.usage()))
    const before = await usage()
    const [loadBefore, startedAt] = [process.cpuUsage(), performance.now()]
    const share = { connections: connections / processes.length, status: 200 }
    await Promise.all(processes.map(({ url }, i) => load(url, ready[i] as Buffer[], share)))
    const seconds = (performance.now() - startedAt) / 1000
    const { user, system } = process.cpuUsage(loadBefore)
    const after = await usage()
    const used = after.map(({ cpuUs, mainUs }, i) => ({
      all: (cpuUs - (before[i]?.cpuUs ?? 0)) / calls,
      main: (mainUs - (before[i]?.mainUs ?? 0)) / calls,
    }))
    const ours = used.slice(0, -1)
    const sum = (key: 'all' | 'main') => ours.reduce((total, each) => total + each[key], 0)
    return {
      perSecond: calls / seconds,
      mainUs: sum('main'),
      otherUs: sum('all') - sum('main'),
      facilitatorUs: used.at(-1)?.all ?? 0,
      loadUs: (user + system) / calls,
    }
  }

  const found: Record<string, Awaited<ReturnType<typeof measured>>[]> = {
    'one process': [],
    'two processes': [],
  }
  for (let i = 0; i < 3; i++) await measured(children)
  for (let round = 0; round < rounds; round++) {
    found['one process']?.push(await measured(children.slice(0, 1)))
    found['two processes']?.push(await measured(children))
  }
  console.log(`\nPaid, ${connections} in flight; processor time of a call\n`)
  console.log('| | calls/s | threads that answer | other threads | facilitator | load |')
  console.log('| --- | ---: | ---: | ---: | ---: | ---: |')
  for (const [name, all] of Object.entries(found)) {
    const of = (key: keyof (typeof all)[number]) =>
      Math.round(all.map(each => each[key]).toSorted((a, b) => a - b)[Math.floor(all.length / 2)] as number)
    console.log(
      `| ${name} | ${of('perSecond')} | ${of('mainUs')} us | ${of('otherUs')} us | ${of('facilitatorUs')} us | ${of('loadUs')} us |`,
    )
  }
  await Promise.all([...children, facilitator].map(child => child.stop()))
}
