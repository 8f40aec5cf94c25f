/**
 * Watching: an hour of checks, compressed by a moved clock, against sellers on loopback. Prints what a check costs, what a
 * watched endpoint holds in memory, how many bytes a check is in the log, and how soon a webhook hears of an event.
 * WATCH_URLS names another number of URLs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { WatchBook } from '../../pipelines/domains/watch/book.ts'
import { judge } from '../../pipelines/domains/watch/judge.ts'
import { Rounds, usualRhythm } from '../../pipelines/domains/watch/rounds.ts'
import { Seal } from '../../pipelines/domains/watch/seal.ts'
import { endpointOf, rowOf } from '../../pipelines/domains/watch/url.ts'
import type { Handle, Log } from '../../pipelines/rails/log/log.ts'
import { publicFetch } from '../../pipelines/rails/outside/fetching/visit.ts'
import { startChecking } from '../../pipelines/workers/watch/checker.ts'
import { startJudging } from '../../pipelines/workers/watch/judge.ts'
import { type EndpointCheck, endpointChecks } from '../../schemas/endpoint-checks.ts'
import { networks } from '../../schemas/tables/networks.ts'
import { instant } from '../../schemas/values/values.ts'
import type { WatchSubscription } from '../../schemas/watch-subscriptions.ts'
import { forgetfulLog } from './forgetful-log.ts'
import { told } from './watch-told.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const hosts = 1000
const { caip2: network, asset } = networks.base
const payTo = `0x${'ab'.repeat(20)}`
const seller = `
  require('node:http')
    .createServer((request, response) => response.writeHead(402, { 'payment-required': process.argv[1] }).end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export async function watch(): Promise<void> {
  const urls = Number(process.env.WATCH_URLS ?? 10_000)
  const accepts = [{ scheme: 'exact', network, asset, amount: '2000', payTo }]
  const quote = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64')
  const child = spawn(process.execPath, ['-e', seller, quote], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    await anHour(urls, Number(said.toString()))
    aMonthInMemory(urls)
    await told()
  } finally {
    child.kill()
  }
}

async function anHour(urls: number, port: number): Promise<void> {
  const start = Date.parse('2026-11-16T09:00:00Z')
  let now = start
  const visits = publicFetch({
    userAgent: 'Farebox/0.0 (+bench)',
    resolve: async () => ['93.184.216.34'],
    reach: () => ({ host: '127.0.0.1', port }),
  })
  const book = bookOf(urls, start)
  const { log, checks, bytes, late } = judgedLog()
  await startJudging({ log, book, seal: new Seal([`0x${'42'.repeat(32)}`]) })
  const failed: unknown[] = []
  const onFailed = (error: unknown) => failed.push(error)
  const checking = startChecking({ log, visits, book, rhythm: usualRhythm, now: () => now, onFailed })
  const { user, system } = process.cpuUsage()
  const startedAt = performance.now()
  let most = 0
  for (let before = 0; now < start + hourMs; before = checks()) {
    now += 1000
    checking.round()
    await checking.idle()
    most = Math.max(most, checks() - before)
  }
  const cpu = process.cpuUsage({ user, system })
  const tookMs = performance.now() - startedAt
  await checking.close()
  const made = checks()
  const cpuMs = (cpu.user + cpu.system) / 1000 / made
  console.log(
    `checks       ${made} of ${urls} URLs in an hour, expected ${urls * 4}; most in a second ${most}`,
  )
  console.log(`             ${failed.length} failed, ${late()} judged otherwise than up`)
  console.log(
    `cost         ${cpuMs.toFixed(2)} ms of processor time a check, without TLS; ${((made / tookMs) * 1000) | 0} checks/s here`,
  )
  console.log(`100,000 URLs ${((cpuMs * 111) / 1000).toFixed(2)} cores for 111 checks a second`)
  console.log(`log          ${(bytes() / made).toFixed(0)} bytes a check, its state included`)
}

function bookOf(urls: number, at: number): WatchBook {
  const book = new WatchBook()
  for (let i = 0; i < urls; i++) {
    const row: WatchSubscription = {
      ...{ subscription_id: `sub_${i}`, what: 'endpoint', subject: `http://h${i % hosts}.sample/${i}` },
      ...{ method: 'GET', body: '', network: 'eip155:8453', payee: `0x${i}` },
      ...{ origin: 'https://farebox.example', webhook_url: 'https://hooks.sample/' },
      ...{ secrets: [{ sealed: 'x'.repeat(88), until: null }], reminded: 'nothing', orders: [] },
      ...{ started_at: instant(at), expires_at: instant(at + 30 * dayMs) },
    }
    book.put(parsed(row))
  }
  return book
}

/** What a watched endpoint holds: in the book, in the rounds of the checker, and in its state. */
function aMonthInMemory(urls: number): void {
  const at = Date.parse('2026-11-16T09:00:00Z')
  const before = heldBytes()
  const kilobytes = () => ((heldBytes() - before) / 1024 / urls).toFixed(1)
  const book = bookOf(urls, at)
  const rounds = new Rounds(usualRhythm, at)
  for (const { subject } of book.subscriptions.values()) rounds.add(endpointOf(subject), at)
  const offers = [{ scheme: 'exact', network: 'eip155:8453', asset, amount: '2000', pay_to: payTo }]
  const judged = (from: number, many: number, everyMs: number) => {
    for (const { subject } of book.subscriptions.values())
      for (let n = from; n < from + many; n++) {
        const check: EndpointCheck = {
          ...rowOf(subject),
          ...{ at: instant(at + n * everyMs), verdict: 'good', problem: null, status: 402 },
          ...{ latency_ms: n % 90, price_usd: '0.002', offers, again: false },
        }
        book.remember(judge(book.states.get(endpointOf(subject)), parsed(check)).state)
      }
  }
  judged(0, 1, dayMs)
  const atFirst = kilobytes()
  judged(1, 40, dayMs)
  const { size } = book.states
  console.log(`memory       ${atFirst} KB a URL at first, ${kilobytes()} KB after a month, of ${size} URLs`)
  rounds.due(at)
}

/** A copy with strings of its own, like a row from the log. */
const parsed = <T>(row: T): T => JSON.parse(JSON.stringify(row)) as T

/** The memory in use after garbage was collected. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  for (let passes = 0; passes < 3; passes++) runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** A log that hands checks to the judge, and counts the rest. */
function judgedLog() {
  const { log: forgetful, bytes } = forgetfulLog()
  let judge: Handle = () => {}
  let made = 0n
  let notUp = 0
  const log: Log = {
    ...forgetful,
    async append(topic, entries) {
      await forgetful.append(topic, entries)
      if (topic.name === 'endpoint.states')
        for (const { value } of entries) if (!value?.includes('"state":"up"')) notUp++
      if (topic.name !== endpointChecks.topic.name) return
      await judge(
        entries.map(entry => ({ ...entry, topic: topic.name, partition: 0, offset: made++, at: Date.now() })),
      )
    },
    async follow(topic, group, handle) {
      judge = handle
      return forgetful.follow(topic, group, handle)
    },
  }
  return { log, bytes, checks: () => Number(made), late: () => notUp }
}
