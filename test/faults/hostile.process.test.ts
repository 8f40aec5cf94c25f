/** LONG_FORM=1: whoever may write every topic of a real broker stops no role, and no sale. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { startEngine } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { datasets } from '../../schemas/index.ts'
import { noBrowser } from '../browser-folder.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { startEcb } from '../pipelines/sources/ecb-upstream.ts'
import { faaXml, groundStop } from '../pipelines/sources/faa-upstream.ts'
import { scratchFolder } from '../scratch.ts'
import { header, payTo, signed } from '../services/till/paying.ts'
import { startStubFacilitator } from '../services/till/stub-facilitator.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'
import { knownIn, leaveTransactions, writeHostile } from './hostile-records.ts'

const only = process.env.HOSTILE_TOPICS?.split(',')
const isLong = process.env.LONG_FORM !== undefined
const broker = isLong ? await startBroker() : { skipped: 'only in the long form' }

interface Member {
  roles: string
  child: ChildProcess
  url: string
  said: () => string
}

/** A start reads some sixty topics at once, and of each up to 16 MB lie in memory, packed and unpacked. */
const mostMegabytes = 2_000
const questions = [
  ['/airport/status', { airport: 'SFO' }],
  ['/fx/history', { from: 'USD', to: 'JPY', start: '2026-04-01', end: '2026-04-10' }],
] as const

if ('skipped' in broker) it.skip(`hostile records: ${broker.skipped}`, () => {})
else
  it('takes any record in any topic, sells on, and starts again with it', async () => {
    const folder = scratchFolder(afterAll)
    const faa = createServer((_, response) => {
      response.end(faaXml(new Date().toISOString(), groundStop('SFO')))
    })
    await new Promise<void>(resolve => faa.listen(0, '127.0.0.1', resolve))
    const [ecb, facilitator] = [await startEcb(), await startStubFacilitator()]
    const engine = await startEngine({
      ...{ folder: join(folder, 'clickhouse'), httpPort: 0, tcpPort: 0, analystPassword: '' },
      ...{ usersFile: 'deploy/clickhouse/users.xml', onProblem: () => {} },
    })
    const env = {
      ...{ HOST: '127.0.0.1', LOG_LEVEL: 'warn', RATE_LIMIT: '1000000', DATA_DIR: join(folder, 'data') },
      LOG_URL: `kafka://${broker.brokers.join(',')}`,
      BLOBS_URL: `file:${folder}/blobs`,
      STORE_URL: `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`,
      ...{
        PAY_TO_BASE: payTo,
        NETWORKS: 'base',
        FACILITATOR_URL: facilitator.url,
        BASE_RPC_URL: 'http://127.0.0.1:9',
      },
      ...silentUpstreams,
      ECB_URL: ecb.url,
      FAA_URL: `http://127.0.0.1:${(faa.address() as AddressInfo).port}`,
      IP_DATABASE: join(folder, 'nowhere.mmdb'),
    }
    const members: Member[] = []
    const kafka = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING })
    let endTransactions = async () => {}
    onTestFinished(async () => {
      await stop()
      await endTransactions()
      await Promise.all([engine.close(), ecb.close(), facilitator.close(), broker.stop()])
      faa.close()
    })

    async function enlist(roles: string): Promise<Member> {
      let said = ''
      const port = await freePort()
      const child = spawn(process.execPath, ['services/main.ts'], {
        env: { ...process.env, ...env, ROLES: roles, PORT: String(port) },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', text => {
          said = (said + text).slice(-20_000)
        })
      const member = { roles, child, url: `http://127.0.0.1:${port}`, said: () => said }
      members.push(member)
      await ready(member)
      return member
    }
    const ready = (member: Member) =>
      until(
        async () => {
          if (member.child.exitCode !== null) throw new Error(`${member.roles} ended: ${member.said()}`)
          return fetch(`${member.url}/health/ready`).then(
            ({ ok }) => ok,
            () => false,
          )
        },
        `${member.roles} to be ready`,
        300_000,
      )
    const stop = () =>
      Promise.all(
        members.splice(0).map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGTERM')
          await once(child, 'exit')
        }),
      )
    const roles = ['ingest', 'sink,meter', 'query', ...((await noBrowser()) ? [] : ['render'])]
    const startAll = async () => {
      await Promise.all(roles.map(enlist))
      return members.find(({ roles }) => roles === 'query') as Member
    }
    async function buy({ url }: Member): Promise<void> {
      for (const [path, body] of questions) {
        const quote = await fetch(url + path, { method: 'POST' })
        const { accepts } = JSON.parse(
          Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString(),
        )
        const payment = header({ ...(await signed({ value: accepts[0].amount })), accepted: accepts[0] })
        const answer = await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'payment-signature': payment },
          body: JSON.stringify(body),
        })
        expect([path, answer.status, answer.ok ? '' : await answer.text()]).toEqual([path, 200, ''])
      }
    }
    /** The most memory of each role, in MB. */
    const peaks = new Map<string, number>()
    const lives = () => {
      for (const { roles, child, said } of members) {
        if (child.exitCode !== null) throw new Error(`${roles} ended: ${said()}`)
        const [, held = 0] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
        peaks.set(roles, Math.max(peaks.get(roles) ?? 0, Number(held) >> 10))
        expect(Number(held) >> 10, `${roles} in MB`).toBeLessThan(mostMegabytes)
      }
    }

    let seller = await startAll()
    await until(
      async () => {
        const { sources } = (await (await fetch(`${seller.url}/health`)).json()) as { sources: object }
        return 'faa' in sources && 'ecb' in sources
      },
      'facts to sell',
      60_000,
    )
    await buy(seller)

    const known = await knownIn(
      kafka,
      datasets.map(({ topic }) => topic.name),
    )
    const store = await openStore(env.STORE_URL)
    onTestFinished(() => store.close())
    const refused = async (topic: string) => {
      const [row] = await store.query(
        `select count() as n from farebox_private.rejects where topic = '${topic}'`,
      )
      return Number((row as { n: number }).n)
    }
    let written = 0
    for (const dataset of datasets.filter(({ name }) => !only || only.includes(name))) {
      const { name } = dataset.topic
      written += await writeHostile(kafka, dataset, known.get(name))
      await buy(seller)
      const hasSink = dataset.audience !== 'log' && dataset.name !== 'rejects'
      await until(
        async () => {
          lives()
          return !hasSink || (await refused(name)) > 0
        },
        `rejects of ${name}`,
        300_000,
      )
    }
    endTransactions = await leaveTransactions(
      kafka,
      datasets.map(({ topic }) => topic.name),
    )
    console.info(`${written} hostile records, like ${known.size} true ones`)
    for (const member of members) await ready(member)
    await buy(seller)
    const books = members.find(({ roles }) => roles === 'sink,meter') as Member
    expect(await (await fetch(`${books.url}/metrics`)).text()).toMatch(/sink_rejects_total\{.*\} [1-9]/)

    await stop()
    seller = await startAll()
    await buy(seller)
    lives()
    console.info(`MB at most: ${[...peaks].map(each => each.join(' ')).join(', ')}`)
  }, 0)
