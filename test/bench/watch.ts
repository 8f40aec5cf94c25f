/**
 * Watching: an hour of checks, compressed by a moved clock, against sellers on loopback. Prints what a check costs, what a
 * watched endpoint holds in memory, and how many bytes a check is in the log. WATCH_URLS names another number of URLs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Handle, Log } from '../../pipelines/log/log.ts'
import { publicFetch } from '../../pipelines/public-fetch/visit.ts'
import { Book } from '../../pipelines/watching/book.ts'
import { startChecking } from '../../pipelines/watching/checking.ts'
import { startJudging } from '../../pipelines/watching/judging.ts'
import { usualRhythm } from '../../pipelines/watching/rounds.ts'
import { Seal } from '../../pipelines/watching/seal.ts'
import { endpointChecks } from '../../schemas/endpoint-checks.ts'
import { networks } from '../../schemas/networks.ts'
import { instant } from '../../schemas/values.ts'
import { forgetfulLog } from './forgetful-log.ts'

const hourMs = 3_600_000
const hosts = 1000
const seller = `
  require('node:http')
    .createServer((request, response) => response.writeHead(402, { 'payment-required': process.argv[1] }).end('{}'))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

export async function watch(): Promise<void> {
  const urls = Number(process.env.WATCH_URLS ?? 10_000)
  const { caip2: network, asset } = networks.base
  const accepts = [{ scheme: 'exact', network, asset, amount: '2000', payTo: `0x${'ab'.repeat(20)}` }]
  const quote = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64')
  const child = spawn(process.execPath, ['-e', seller, quote], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    await anHour(urls, Number(said.toString()))
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
  const heldBefore = heldBytes()
  const book = new Book()
  for (let i = 0; i < urls; i++)
    book.put({
      ...{ subscription_id: `sub_${i}`, what: 'endpoint', subject: `http://h${i % hosts}.sample/${i}` },
      ...{
        method: 'GET',
        body: '',
        network: 'eip155:8453',
        payee: `0x${i}`,
        origin: 'https://farebox.example',
      },
      ...{ webhook_url: 'https://hooks.sample/', secrets: [{ sealed: 'x'.repeat(88), until: null }] },
      ...{
        started_at: instant(start),
        expires_at: instant(start + 24 * hourMs),
        reminded: 'nothing',
        orders: [],
      },
    })
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
  // The deadline of a visit is held until it has passed, however early the visit ends.
  await sleep(16_000)
  const held = heldBytes() - heldBefore
  console.log(
    `checks       ${made} of ${urls} URLs in an hour, expected ${urls * 4}; most in a second ${most}`,
  )
  console.log(`             ${failed.length} failed, ${late()} judged otherwise than up`)
  console.log(
    `cost         ${cpuMs.toFixed(2)} ms of processor time a check, without TLS; ${((made / tookMs) * 1000) | 0} checks/s here`,
  )
  console.log(`100,000 URLs ${((cpuMs * 111) / 1000).toFixed(2)} cores for 111 checks a second`)
  console.log(`memory       ${(held / 1024 / urls).toFixed(1)} KB a URL: its subscription and its state`)
  console.log(`log          ${(bytes() / made).toFixed(0)} bytes a check, its state included`)
}

/** What is held after everything that nobody needs has gone. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
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
