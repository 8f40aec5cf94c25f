/**
 * Unpaid 402s and paid calls per second: Farebox beside bare Fastify (the same bytes) and @x402/express (the same
 * handler, the same facilitator). Rounds alternate, so a machine that slows down slows them all.
 */
import { type Child, start } from './child.ts'
import { load, percentile, postBytes } from './load.ts'
import { paidCalls, quoteOf } from './payments.ts'
import { path, question } from './servers/serving.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const perRound = { unpaid: 8_000, paid: 1_500 }
/** The first rounds do not count: until some thousand calls a server mostly compiles itself. */
const warmUps = 3
const inFlight = [8, 64]

interface Contestant {
  name: string
  child: Child
  /** Makes as many requests. */
  requests(count: number): Buffer[]
}

interface Round {
  perSecond: number
  p50Ms: number
  p99Ms: number
  cpuUs: number
  loopDelayMs: number
}

async function measured(
  { child, requests }: Contestant,
  count: number,
  options: { connections: number; status: number },
): Promise<Round> {
  const ready = requests(count)
  const before = await child.usage()
  const { perSecond, tookMs } = await load(child.url, ready, options)
  const after = await child.usage()
  return {
    perSecond,
    p50Ms: percentile(tookMs, 50),
    p99Ms: percentile(tookMs, 99),
    cpuUs: (after.cpuUs - before.cpuUs) / count,
    loopDelayMs: after.loopDelayMs,
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
const whole = (value: number): string => Math.round(value).toLocaleString('en')

/** A table of medians. The last column compares with the first contestant that is not Farebox. */
async function compare(
  title: string,
  contestants: readonly Contestant[],
  count: number,
  options: { connections: number; status: number },
): Promise<void> {
  const measurements = new Map(contestants.map(({ name }) => [name, [] as Round[]]))
  for (let round = 0; round < warmUps + rounds; round++)
    for (const contestant of contestants) {
      const result = await measured(contestant, count, options)
      if (round >= warmUps) measurements.get(contestant.name)?.push(result)
    }
  const rateOf = (name: string) => median((measurements.get(name) as Round[]).map(each => each.perSecond))
  const ours = rateOf('Farebox')
  console.log(`\n${title}, ${options.connections} in flight\n`)
  console.log('| | calls/s (least to most) | p50 | p99 | CPU per call | loop delay p99 | Farebox is |')
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |')
  for (const [name, all] of measurements) {
    const of = (key: keyof Round) => median(all.map(each => each[key]))
    const rates = all.map(each => each.perSecond)
    const spread = `${whole(of('perSecond'))} (${whole(Math.min(...rates))} to ${whole(Math.max(...rates))})`
    const times = name === 'Farebox' ? '' : `${(ours / rateOf(name)).toFixed(2)} x`
    console.log(
      `| ${name} | ${spread} | ${of('p50Ms').toFixed(1)} ms | ${of('p99Ms').toFixed(1)} ms | ${whole(of('cpuUs'))} us | ${of('loopDelayMs').toFixed(0)} ms | ${times} |`,
    )
  }
}

export async function rates(): Promise<void> {
  const facilitator = await start('facilitator')
  const farebox = await start('farebox', [facilitator.url])
  const express = await start('express', [facilitator.url])
  const pooled = await start('express', [facilitator.url, 'undici'])
  const quote = await quoteOf(farebox)
  const bare = await start('bare', [], { header: quote.header, body: quote.body })
  const unpaid = new Array<Buffer>(perRound.unpaid).fill(postBytes(path, question))
  const asking = (name: string, child: Child): Contestant => ({ name, child, requests: () => unpaid })
  const paying = async (name: string, child: Child): Promise<Contestant> => {
    const { offer } = await quoteOf(child)
    return { name, child, requests: count => paidCalls(offer, count) }
  }
  const askers = [asking('Farebox', farebox), asking('bare Fastify', bare), asking('@x402/express', express)]
  const payers = [
    await paying('Farebox', farebox),
    await paying('@x402/express', express),
    await paying('@x402/express with undici', pooled),
  ]
  for (const connections of inFlight)
    await compare('Unpaid 402', askers, perRound.unpaid, { connections, status: 402 })
  for (const connections of inFlight)
    await compare('Paid, SQLite', payers, perRound.paid, { connections, status: 200 })
  console.log(`\nmedians of ${rounds} rounds, every process on this machine`)
  await Promise.all([facilitator, farebox, express, pooled, bare].map(child => child.stop()))
}
