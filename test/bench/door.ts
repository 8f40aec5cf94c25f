/** What counting a call at the door costs: processor time of one thread, in rounds that take turns with the same loop without it. */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { calls, forSale } from '../../pipelines/rails/outside/calls.ts'
import { Door, wayOf } from '../../services/query/door/door.ts'
import type { Presented } from '../../services/till/till.ts'
import { offer } from '../services/till/paying.ts'

const rounds = 31
const callsInRound = 100_000
const operations = Array.from({ length: 70 }, (_, n) => ({ origin: 'data', operation: `operation${n}` }))
const programs = [
  'node',
  'python-httpx/0.28',
  'Mozilla/5.0 (X11; Linux x86_64)',
  'langchain/1.0',
  'curl/8.5.0',
]
const paid = { json: { accepted: offer } } as unknown as Presented

const requests = programs.map(program => {
  const request = new IncomingMessage(new Socket())
  request.headers['user-agent'] = program
  return request
})
const payments = programs.map(program => {
  const request = new IncomingMessage(new Socket())
  Object.assign(request.headers, { 'user-agent': program, 'payment-signature': 'eyJ4NDAyVmVyc2lvbiI6Mn0=' })
  return request
})
const one = <T>(of: readonly T[], n: number): T => of[n % of.length] as T

const counted = new Door(Date.now)
const kinds: Record<string, (n: number) => unknown> = {
  nothing: n => one(operations, n),
  'a quote': n => {
    const way = wayOf(one(requests, n), undefined)
    counted.count(one(operations, n), way, { outcome: 'quoted', tookMs: n % 90 })
  },
  'a sale': n => {
    const way = wayOf(one(payments, n), paid)
    counted.count(one(operations, n), way, { outcome: 'paid', tookMs: n % 900 })
  },
  'a refusal': n => {
    const way = wayOf(one(requests, n), undefined)
    counted.refuse(one(operations, n), way, { code: 'invalid_request', status: 400, tookMs: n % 9 })
  },
  'a request to an upstream': n => forSale(one(operations, n), () => calls.count('upstream.example')),
}

/** In us of the processor for a call, with what it takes to tell the sums of a minute. */
function costOf(work: (n: number) => unknown): number {
  const before = process.cpuUsage()
  for (let n = 0; n < callsInRound; n++) work(n)
  JSON.stringify([counted.take(), calls.take()])
  const { user, system } = process.cpuUsage(before)
  return (user + system) / callsInRound
}

const median = (of: readonly number[]): number =>
  [...of].sort((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0

export async function door(): Promise<void> {
  const costs = new Map(Object.keys(kinds).map(name => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++)
    for (const [name, work] of Object.entries(kinds)) costs.get(name)?.push(costOf(work))
  const empty = median(costs.get('nothing') ?? [])
  console.log(`\nDoor: us of the processor to count a call, median of ${rounds} rounds (least to most)`)
  for (const [name, all] of costs) {
    if (name === 'nothing') continue
    const [least, most] = [Math.min(...all), Math.max(...all)].map(us => us - empty)
    console.log(
      `${name.padEnd(26)} ${(median(all) - empty).toFixed(2)} (${least?.toFixed(2)} to ${most?.toFixed(2)})`,
    )
  }
}
