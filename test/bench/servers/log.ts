/** A process that appends to a shared log and waits until it reads its own records back, as the till does for each sale. */
import { once } from 'node:events'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'

export interface Round {
  seconds: number
  /** This many callers, and each sends its next call after the answer to the last. */
  inFlight?: number
  /** This many calls a second, however long they take. */
  perSecond?: number
  /** Taking the profile costs time itself, so it has a round of its own. */
  isProfiled?: boolean
}

export interface Measured {
  latenciesMs: number[]
  cpuMs: number
  seconds: number
  profile?: Profiler.Profile
}

const [url, name, process_] = process.argv.slice(2) as [string, string, string]
const topic = { name, keep: { ms: 3_600_000 }, inOneOrder: true }
const log = await openLog(url, { topics: [topic] })
const waiting = new Map<string, () => void>()
const watching = await log.watch(topic, batch => {
  for (const { key } of batch) {
    waiting.get(key)?.()
    waiting.delete(key)
  }
})
await watching.caughtUp
/** It has the length of a promise with a short answer. */
const value = JSON.stringify({ answer: 'x'.repeat(1000) })
let last = 0

async function call(): Promise<void> {
  const key = `${process_}-${++last}`
  const read = new Promise<void>(resolve => waiting.set(key, resolve))
  await log.append(topic, [{ key, value }])
  await read
}

async function measure({ seconds, inFlight = 0, perSecond }: Round): Promise<Measured> {
  const latenciesMs: number[] = []
  const from = performance.now()
  const cpu = process.cpuUsage()
  const timed = async (at: number) => {
    await call()
    latenciesMs.push(performance.now() - at)
  }
  const isOver = () => performance.now() - from > seconds * 1000
  const customers = Array.from({ length: inFlight }, async () => {
    while (!isOver()) await timed(performance.now())
  })
  const arrivals: Promise<void>[] = []
  while (perSecond && !isOver()) {
    // A call that is late has waited already.
    for (let due = from + (arrivals.length * 1000) / perSecond; due <= performance.now(); ) {
      arrivals.push(timed(due))
      due = from + (arrivals.length * 1000) / perSecond
    }
    await new Promise(resolve => setTimeout(resolve, 1))
  }
  await Promise.all([...customers, ...arrivals])
  const { user, system } = process.cpuUsage(cpu)
  return { latenciesMs, cpuMs: (user + system) / 1000, seconds: (performance.now() - from) / 1000 }
}

async function profiled(round: Round): Promise<Measured> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.start')
  const measured = await measure(round)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  return { ...measured, profile }
}

// A parent that is gone ends no rounds.
process.once('disconnect', () => process.exit(0))
process.send?.({ url: '' })
for (;;) {
  const [round] = (await once(process, 'message')) as [Round | 'end']
  if (round === 'end') break
  process.send?.(await (round.isProfiled ? profiled(round) : measure(round)))
}
await log.close()
process.disconnect?.()
