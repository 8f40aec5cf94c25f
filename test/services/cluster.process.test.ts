/** The service as a cluster: one process per role, two for query, on Kafka and a ClickHouse server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Engine, startEngine } from '../../pipelines/rails/store/embedded.ts'
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import { noBrowser } from '../browser-folder.ts'
import { startBroker } from '../contracts/kafka-broker.ts'
import { startReceiver } from '../otlp-receiver.ts'
import { startEcb } from '../pipelines/sources/ecb-upstream.ts'
import { faaXml, groundStop } from '../pipelines/sources/faa-upstream.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { startBalancer } from './balancer.ts'
import { startRenderers } from './origins/web/renderers.ts'
import { header, otherPayerKey, payTo, payToSolana, signed } from './till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from './till/stub-facilitator.ts'

const broker = await startBroker()

interface Member {
  child: ChildProcess
  url: string
  said: () => string
}

if ('skipped' in broker) {
  it.skip(`the service by roles: ${broker.skipped}`, () => {})
} else
  describe('the service by roles', () => {
    const folder = mkdtempSync(join(tmpdir(), 'farebox-cluster-'))
    /** The pollers of the feed, in order: each ingest process has a contact of its own. */
    const pollers: string[] = []
    const faa = createServer(({ headers }, response) => {
      pollers.push(/\(\+(\w+)@/.exec(headers['user-agent'] ?? '')?.[1] ?? '')
      response.end(faaXml(new Date().toISOString(), groundStop('SFO')))
    })
    const members: Member[] = []
    let sellers: readonly Member[]
    let ingest: Member
    let books: Member
    let receiver: Awaited<ReturnType<typeof startReceiver>>
    let ecb: Awaited<ReturnType<typeof startEcb>>
    let facilitator: StubFacilitator
    let engine: Engine
    let env: Record<string, string>

    async function enlist(roles: string, more: Record<string, string> = {}): Promise<Member> {
      let said = ''
      const port = Number(more.PORT ?? (await freePort()))
      const child = spawn(process.execPath, ['services/main.ts'], {
        env: { ...process.env, ...env, ROLES: roles, PORT: String(port), ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', text => {
          said += text
        })
      const member = { child, url: `http://127.0.0.1:${port}`, said: () => said }
      members.push(member)
      await until(
        async () => {
          if (child.exitCode !== null) throw new Error(`${roles} ended: ${said}`)
          return fetch(`${member.url}/health`).then(
            response => response.ok,
            () => false,
          )
        },
        `${roles} to listen`,
        90_000,
      )
      return member
    }

    const ask = async (url: string, payment: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${url}/airport/status`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'payment-signature': payment, ...headers },
        body: '{"airport":"SFO"}',
      })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    }
    async function payment(url: string): Promise<string> {
      const quote = await fetch(`${url}/airport/status`, { method: 'POST' })
      const required = quote.headers.get('payment-required')
      if (required === null) throw new Error(`no price, but ${quote.status} ${await quote.text()}`)
      const { accepts } = JSON.parse(Buffer.from(required, 'base64').toString())
      return header({ ...(await signed({ value: accepts[0].amount })), accepted: accepts[0] })
    }

    beforeAll(async () => {
      receiver = await startReceiver()
      ecb = await startEcb()
      facilitator = await startStubFacilitator()
      await new Promise<void>(resolve => faa.listen(0, '127.0.0.1', resolve))
      engine = await startEngine({
        folder: join(folder, 'clickhouse'),
        httpPort: 0,
        tcpPort: 0,
        usersFile: 'deploy/clickhouse/users.xml',
        analystPassword: '',
        onProblem: () => {},
      })
      env = {
        HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
        // All customers have one address, and a fast machine sells them hundreds of answers a minute.
        RATE_LIMIT: '1000000',
        DATA_DIR: join(folder, 'data'),
        LOG_URL: `kafka://${broker.brokers.join(',')}`,
        BLOBS_URL: `file:${folder}/blobs`,
        STORE_URL: `${engine.address.http.replace('//', `//farebox:${engine.password}@`)}/farebox`,
        PAY_TO_BASE: payTo,
        PAY_TO_SOLANA: payToSolana,
        FACILITATOR_URL: facilitator.url,
        BASE_RPC_URL: 'http://127.0.0.1:9',
        SOLANA_RPC_URL: 'http://127.0.0.1:9',
        ...silentUpstreams,
        ECB_URL: ecb.url,
        FAA_URL: `http://127.0.0.1:${(faa.address() as AddressInfo).port}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        IP_DATABASE: join(folder, 'nowhere.mmdb'),
      }
    })

    afterAll(async () => {
      await Promise.all(
        members.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return
          child.kill('SIGTERM')
          await once(child, 'exit')
        }),
      )
      await engine.close()
      await receiver.close()
      await ecb.close()
      await facilitator.close()
      await new Promise(resolve => faa.close(resolve))
      await broker.stop()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    })

    it('carries a fact from ingest to both sellers, and a sale from a seller to store and meter', async () => {
      ;[ingest, books] = await Promise.all([
        enlist('ingest', { CONTACT: 'first@example.org' }),
        enlist('sink,meter'),
      ])
      sellers = await Promise.all([enlist('query'), enlist('query')])
      for (const { url } of sellers)
        await until(
          async () =>
            ((await (await fetch(`${url}/health`)).json()) as { sources: { faa?: object } }).sources.faa,
          'the fact to reach the seller',
          60_000,
        )
      const [one, two] = sellers as [Member, Member]

      const key = { 'idempotency-key': 'across-instances' }
      const sold = await ask(one.url, await payment(one.url), key)
      expect(sold).toMatchObject({ status: 200, body: { status: 'stopped_or_closed' } })
      // The other instance learns from the log what this one has sold.
      const replayed = await ask(two.url, await payment(two.url), key)
      expect(replayed.status).toBe(200)
      expect(replayed.body).toEqual({
        ...sold.body,
        receipt: { ...(sold.body.receipt as object), replayed: true, charged_now: false },
      })

      // One payment at both instances at once buys one answer.
      const same = await payment(one.url)
      const both = await Promise.all([ask(one.url, same), ask(two.url, same)])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      expect(new Set(both.map(({ body }) => (body.receipt as { payment_tx: string }).payment_tx)).size).toBe(
        1,
      )
      expect(facilitator.calls.settle).toBe(2)

      const store = await openStore(env.STORE_URL as string)
      await until(
        async () => (await store.query('select * from receipts')).length === 2,
        'both sales in the store',
        60_000,
      )
      await store.close()
      // One trace from the call in one process to the store in another, with the id of the receipt.
      const requestId = (sold.body.receipt as { request_id: string }).request_id
      const stored = () => {
        const call = receiver.spans.find(({ attributes }) => attributes['farebox.request_id'] === requestId)
        return receiver.spans.find(
          ({ name, traceId, resource }) =>
            name === 'store settlements' &&
            traceId === call?.traceId &&
            resource['service.instance.id'] !== call.resource['service.instance.id'],
        )
      }
      await until(stored, 'the trace to reach the store', 60_000)
      await until(
        async () =>
          /settlements_total\{.*state="settled"\} 2/.test(await (await fetch(`${books.url}/metrics`)).text()),
        'both sales in the metrics',
        60_000,
      )
    })

    it('counts late, and once each, the sales that nobody counted', async () => {
      const [one] = sellers as [Member]
      books.child.kill('SIGKILL')
      await once(books.child, 'exit')
      for (let n = 0; n < 5; n++) expect((await ask(one.url, await payment(one.url))).status).toBe(200)
      books = await enlist('sink,meter')
      const settled = async () => {
        const page = await (await fetch(`${books.url}/metrics`)).text()
        const counts = [...page.matchAll(/settlements_total\{.*state="settled"\} (\d+)/g)]
        return counts.reduce((sum, [, count]) => sum + Number(count), 0)
      }
      await until(async () => (await settled()) > 0, 'the late sales', 90_000)
      expect(await settled()).toBe(5)
    })

    it('sells on while the table of sales is rebuilt from its topic', async () => {
      const [one] = sellers as [Member]
      const store = await openStore(env.STORE_URL as string)
      onTestFinished(() => store.close())
      const sales = () => store.query('select spend_id from receipts order by spend_id')
      const before = await sales()
      const child = spawn(process.execPath, ['services/commands/replay.ts', 'settlements'], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const told = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
      let sold = 0
      while (child.exitCode === null && child.signalCode === null) {
        expect((await ask(one.url, await payment(one.url))).status).toBe(200)
        sold++
      }
      const [said, problem] = await told
      expect({ problem, code: child.exitCode }).toEqual({ problem: '', code: 0 })
      expect(said).toMatch(/^settlements: \d+ facts from \d+ records, 0 refused; the new table is in use$/m)
      await until(async () => (await sales()).length === before.length + sold, 'every sale in the new table')
      expect(await sales()).toEqual(expect.arrayContaining(before))
    })

    it('has one ingest of two that polls a feed, and the other after that one hangs, dies or leaves', async () => {
      const holds = async ({ url }: Member) =>
        /^farebox_duty_held\{duty="faa"\} 1$/m.test(await (await fetch(`${url}/metrics`)).text())
      const polledBy = (name: string) =>
        until(() => pollers.at(-1) === name, `a poll of the ${name} ingest`, 60_000)
      await polledBy('first')
      const second = await enlist('ingest', { CONTACT: 'second@example.org' })
      ingest.child.kill('SIGSTOP')
      await polledBy('second')
      ingest.child.kill('SIGCONT')
      await until(async () => !(await holds(ingest)), 'the frozen ingest to see that it is late')
      second.child.kill('SIGKILL')
      await polledBy('first')
      await enlist('ingest', { CONTACT: 'third@example.org' })
      ingest.child.kill('SIGTERM')
      await polledBy('third')
      // Only the ingest process that held the duty has polled.
      expect(pollers.filter((name, i) => name !== pollers[i - 1])).toEqual([
        'first',
        'second',
        'first',
        'third',
      ])
    })

    it('is restarted one seller after the other, and a balancer that asks who is ready loses no paid call', async () => {
      const balancer = await startBalancer(sellers.map(({ url }) => url))
      const heard: unknown[] = []
      let isOpen = true
      const buy = async () => {
        const { status, body } = await ask(balancer.url, await payment(balancer.url))
        return status === 200 || { status, body }
      }
      const customer = async () => {
        while (isOpen) heard.push(await buy().catch(error => `no answer: ${error}`))
      }
      const customers = Promise.all([customer(), customer()])
      const more = async (count: number) => {
        const enough = heard.length + count
        await until(() => heard.length >= enough, `${count} more sales`)
      }
      await more(5)
      for (const [i, { child, url }] of sellers.entries()) {
        child.kill('SIGTERM')
        await until(() => child.exitCode !== null, 'the seller to be gone', 10_000)
        expect(child.exitCode).toBe(0)
        await more(5)
        const seller = await enlist('query', { PORT: new URL(url).port })
        await until(() => balancer.isReady(url), 'the seller to sell again')
        sellers = sellers.with(i, seller)
        await more(5)
      }
      isOpen = false
      await customers
      await balancer.close()
      expect(heard.filter(sold => sold !== true)).toEqual([])
    })

    it('gives at the other seller the answer that was paid when the first was killed', async () => {
      const [one, two] = sellers as [Member, Member]
      const [paid, moved] = [await payment(one.url), facilitator.moved.size]
      facilitator.settle = 'error after'
      const lost = ask(one.url, paid).catch(error => error)
      await until(() => facilitator.moved.size > moved, 'the money to move')
      one.child.kill('SIGKILL')
      expect(await lost).toBeInstanceOf(Error)
      facilitator.settle = 'well'

      const heard: Awaited<ReturnType<typeof ask>>[] = []
      await until(
        async () => heard[heard.push(await ask(two.url, paid)) - 1]?.status === 200,
        'the other seller to take over',
        60_000,
      )
      // Until then no answer says that nothing was charged.
      for (const { body } of heard.slice(0, -1))
        expect(body).toMatchObject({ error: 'payment_unknown', charged: null })
      expect(heard.at(-1)?.body).toMatchObject({
        status: 'stopped_or_closed',
        receipt: { charged: true, payment_tx: [...facilitator.moved.values()].at(-1) },
      })
      expect(facilitator.moved.size).toBe(moved + 1)
    })

    it('sells to a canary outside, whose purchase is marked in the books and stands on the status page', async () => {
      const two = sellers[1] as Member
      facilitator.chain = 'truthful'
      const moved = facilitator.moved.size
      const shopper = await enlist('canary', {
        ...{ NETWORKS: 'base', PAY_TO_SOLANA: '', FACILITATOR_URL: '', STORE_URL: '', BLOBS_URL: '' },
        ...{ CANARY_KEY_BASE: otherPayerKey, CANARY_URL: two.url, CANARY_CALL: '/airport/status' },
        BASE_RPC_URL: `${facilitator.url}/chain`,
      })
      const store = await openStore(env.STORE_URL as string)
      onTestFinished(() => store.close())
      const sold = () => store.query('select request_id, payment_tx from receipts where canary')
      await until(async () => (await sold()).length > 0, 'the sale in the books', 60_000)
      const bought = () =>
        store.query<{ request_id: string; payment_tx: string }>(
          "select request_id, payment_tx from canary_now where state = 'good'",
        )
      await until(async () => (await bought()).length > 0, 'the purchase', 60_000)
      expect(await bought()).toEqual(await sold())
      expect(facilitator.moved.size).toBe(moved + 1)
      const tx = (await bought())[0]?.payment_tx.slice(0, 10) as string
      // A seller has no store here: it has read the topic.
      const page = async () => (await fetch(`${two.url}/status`)).text()
      await until(async () => (await page()).includes(tx), 'the purchase on the page', 60_000)
      shopper.child.kill('SIGTERM')
      await once(shopper.child, 'exit')
      expect(shopper.child.exitCode).toBe(0)
    })

    it('shares pages among its renderers, and a killed one leaves every caller with a free failure', async ({
      skip,
    }) => {
      if (!process.env.LONG_FORM) skip('LONG_FORM is unset')
      const missing = await noBrowser()
      if (missing) skip(missing)
      const rendered = await startRenderers(env.LOG_URL as string, `file:${folder}/blobs`)
      const { renderers, find, hold, release } = rendered
      // The first renderer has all pages until the second one has joined it.
      await until(async () => {
        const pages: unknown[] = await Promise.all(Array.from({ length: 12 }, (_, n) => find(n)))
        expect(pages).toEqual(Array(12).fill('shown'))
        return renderers.every(({ pages }) => pages() > 0)
      }, 'both renderers to have pages')

      hold()
      const before = renderers[0].pages()
      const hanging = Array.from({ length: 10 }, (_, n) => find(100 + n))
      await until(() => renderers[0].pages() > before, 'the first renderer to have a page in work')
      renderers[0].child.kill('SIGKILL')
      release()
      const ended = await Promise.all(hanging)
      // The pages of the killed one fail, or the other one shows them; it may have no more room: that is free, too.
      const ends = ['shown', 'upstream_failed', 'busy']
      expect(ended.filter(end => !ends.includes(end as string))).toEqual([])
      expect(ended).toContain('shown')
    })
  })

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}
