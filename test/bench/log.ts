/** Two processes on one Kafka: how long an append takes until its process has read it back, and what it costs. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startBroker } from '../contracts/kafka-broker.ts'
import { selfTimes } from './profile.ts'
import type { Measured, Round } from './servers/log.ts'

const script = fileURLToPath(new URL('./servers/log.ts', import.meta.url))
const rounds: readonly [what: string, round: Round][] = [
  ['8 in flight', { seconds: 10, inFlight: 4 }],
  ['64 in flight', { seconds: 10, inFlight: 32 }],
  ['1,000/s', { seconds: 10, perSecond: 500 }],
]

const heard = async <T>(child: ChildProcess): Promise<T> => {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`a process ended with ${code}`))),
  ])
  return message as T
}

async function measure(children: readonly ChildProcess[], round: Round): Promise<Measured[]> {
  for (const child of children) child.send(round)
  return Promise.all(children.map(child => heard<Measured>(child)))
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)

function line(what: string, measured: readonly Measured[]): string {
  const latencies = measured.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b)
  const at = (share: number) => (latencies[Math.floor(latencies.length * share)] as number).toFixed(1)
  const perSecond = sum(measured.map(({ latenciesMs, seconds }) => latenciesMs.length / seconds))
  const cpuUs = (sum(measured.map(({ cpuMs }) => cpuMs)) * 1000) / latencies.length
  const rate = `${Math.round(perSecond).toLocaleString('en')}/s`.padStart(8)
  return `${what.padEnd(13)}${rate}   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   ${Math.round(cpuUs)} us of processor a call`
}

/** The rounds, and where the time of a process goes at 1,000 a second. */
export async function log(): Promise<void> {
  const broker = await startBroker()
  if ('skipped' in broker) return console.log(`log: ${broker.skipped}`)
  const topic = `bench.${randomUUID()}`
  const args = [`kafka://${broker.brokers.join(',')}`, topic]
  const children: ChildProcess[] = []
  // One after the other: both would create the topic.
  for (const name of ['one', 'two']) {
    const child = fork(script, [...args, name])
    await heard(child)
    children.push(child)
  }
  console.log('\nlog: two processes on one Kafka, append and read back')
  // What is compiled and cached on the first calls is not measured.
  await measure(children, { seconds: 5, inFlight: 32 })
  for (const [what, round] of rounds) console.log(`  ${line(what, await measure(children, round))}`)
  const [one] = await measure(children, { seconds: 5, perSecond: 500, isProfiled: true })
  const times = one?.profile ? selfTimes(one.profile) : []
  const total = sum(times.map(([, us]) => us))
  for (const [place, us] of times.slice(0, 12))
    console.log(`    ${((100 * us) / total).toFixed(1).padStart(5)} %  ${place}`)
  for (const child of children) {
    child.send('end')
    await once(child, 'exit')
  }
  await broker.stop()
}
