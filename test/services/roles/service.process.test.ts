/** The whole service without the chains: from upstream to log, ClickHouse, view and answer, and back with the settlement. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@clickhouse/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleIpDatabase } from '../../../pipelines/samples/ip-database.ts'
import { sources } from '../../../pipelines/sources/index.ts'
import { readConfig } from '../../../services/config/config.ts'
import { origins } from '../../../services/origins/index.ts'
import { type Service, startService } from '../../../services/roles/service.ts'
import { startEcb } from '../../pipelines/sources/ecb-upstream.ts'
import { faaXml, groundStop } from '../../pipelines/sources/faa-upstream.ts'
import { silentUpstreams } from '../../silent-upstreams.ts'
import { until } from '../../until.ts'
import { originOf } from '../an-origin.ts'
import { echo, header, payTo, payToSolana, signed } from '../till/paying.ts'
import { type StubFacilitator, startStubFacilitator } from '../till/stub-facilitator.ts'

const folder = mkdtempSync(join(tmpdir(), 'farebox-service-'))
let ecb: Awaited<ReturnType<typeof startEcb>>
let facilitator: StubFacilitator
let service: Service
let faa: ReturnType<typeof createServer>
let faaBody = () => faaXml(new Date().toISOString(), groundStop('SFO'))

/** The clock of this service runs on 2026-04-13, because the recorded ECB days end there. */
const monday = Date.parse('2026-04-13T15:00:00Z')
const startedAt = Date.now()
const now = () => monday + Date.now() - startedAt

/** A second origin, at its own host. */
const second = originOf([echo], { name: 'second', address: 'SECOND_URL' })

function config(more: Record<string, string> = {}) {
  const env = {
    SECOND_URL: 'http://localhost',
    DATA_DIR: folder,
    PORT: '0',
    STORE_PORT: '0',
    STORE_TCP_PORT: '0',
    LOG_LEVEL: 'silent',
    PAY_TO_BASE: payTo,
    PAY_TO_SOLANA: payToSolana,
    FACILITATOR_URL: facilitator.url,
    BASE_RPC_URL: 'http://127.0.0.1:9',
    SOLANA_RPC_URL: 'http://127.0.0.1:9',
    ...silentUpstreams,
    ECB_URL: ecb.url,
    FAA_URL: `http://127.0.0.1:${(faa.address() as AddressInfo).port}`,
    IP_DATABASE: join(folder, 'ip-sample.mmdb'),
    ...more,
  }
  return readConfig(env, [...origins, second])
}

const get = async (path: string) => (await fetch(service.url + path)).json() as Promise<Record<string, never>>
const ask = async (path: string, question: object, url = service.url) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'payment-signature': await payment(url + path) },
    body: JSON.stringify(question),
  })

async function payment(url: string): Promise<string> {
  const quote = await fetch(url, { method: 'POST' })
  const { accepts } = JSON.parse(
    Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString(),
  )
  const paid = await signed({ value: accepts[0].amount }, now())
  return header({ ...paid, accepted: accepts[0] })
}
const readySources = () =>
  until(
    async () => {
      const { sources } = (await get('/health')) as unknown as {
        sources: Record<string, { last_good_poll: string }>
      }
      return sources.ecb?.last_good_poll && sources.faa?.last_good_poll
    },
    'the first polls',
    60_000,
  )

beforeAll(async () => {
  ecb = await startEcb()
  facilitator = await startStubFacilitator()
  faa = createServer((_, response) => response.end(faaBody()))
  await new Promise<void>(resolve => faa.listen(0, '127.0.0.1', resolve))
  writeFileSync(join(folder, 'ip-sample.mmdb'), sampleIpDatabase(new Date()))
  faaBody = () => faaXml(new Date(now()).toISOString(), groundStop('SFO'))
  service = await startService(config(), { now, checkAnswers: true })
  await readySources()
})

afterAll(async () => {
  await service.close()
  await ecb.close()
  await facilitator.close()
  await new Promise(resolve => faa.close(resolve))
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

describe('the service', () => {
  it('sells the facts of its sources', async () => {
    const fx = await (await ask('/fx', { from: 'USD', to: 'JPY' })).json()
    expect(fx).toMatchObject({ rate: 159.83396, rate_date: '2026-04-13', receipt: { price_usdc: 0.002 } })
    const airport = await (await ask('/airport/status', { airport: 'KSFO' })).json()
    expect(airport).toMatchObject({
      airport: 'SFO',
      status: 'stopped_or_closed',
      receipt: { price_usdc: 0.003 },
    })
    const ip = await (await ask('/ip', { ip: '8.8.8.8' })).json()
    expect(ip).toMatchObject({ country: { code: 'US' }, receipt: { tool: 'ipLookup' } })
    const echoed = await ask('/echo', {}, service.url.replace('127.0.0.1', 'localhost'))
    expect(await echoed.json()).toMatchObject({ said: 'hello', receipt: { tool: 'echoOnce' } })
    expect((await fetch(`${service.url}/echo`, { method: 'POST' })).status).toBe(404)
  })

  it('brings facts and settlements to analysts, who count each once', async () => {
    const client = createClient({ url: service.store?.http ?? '', username: 'analyst', database: 'farebox' })
    const rows = async (query: string) =>
      (await client.query({ query, format: 'JSONEachRow' })).json<object>()
    await until(async () => (await rows('select * from receipts')).length === 4, 'four receipts')
    expect(
      await rows(`select origin, tool, network, toString(price_usdc) price from receipts order by tool`),
    ).toEqual([
      { origin: 'data', tool: 'airportDelays', network: 'base', price: '0.003' },
      { origin: 'second', tool: 'echoOnce', network: 'base', price: '0.002' },
      { origin: 'data', tool: 'exchangeRate', network: 'base', price: '0.002' },
      { origin: 'data', tool: 'ipLookup', network: 'base', price: '0.002' },
    ])
    expect(
      await rows(`select toString(rate) rate from fx_daily where day = '2026-04-13' and currency = 'USD'`),
    ).toEqual([{ rate: '1.1684' }])
    await client.close()
  })

  it('turns settlements into metrics', async () => {
    const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
    await until(async () => (await metrics()).includes('state="settled"'), 'the meter')
    expect(await metrics()).toMatch(
      /farebox_revenue_usdc_total\{origin="data",operation="exchangeRate",network="base"\} 0\.002\n/,
    )
    expect(await metrics()).toMatch(/farebox_log_lag_records\{topic="settlements",group="meter"\} \d+/)
  })

  it('shows how long each source may be silent, without those that need a real download', async () => {
    const said = [
      ...(await (await fetch(`${service.url}/metrics`)).text()).matchAll(
        /^farebox_source_silent_after_seconds\{source="(\w+)"\} (\d+)$/gm,
      ),
    ].map(([, source, seconds]) => [source, Number(seconds)])
    const polled = sources
      .filter(({ bulk }) => !bulk)
      .map(source => [source.name, source.silentAfterMs / 1000])
    expect(said).toEqual(expect.arrayContaining(polled))
    expect(said.map(([source]) => source)).not.toContain('sec_facts')
  })

  it('distinguishes live and ready, and shows each source’s freshness', async () => {
    const health = await get('/health')
    expect(health).toMatchObject({
      live: true,
      ready: true,
      till: 'open',
      store: 'up',
      lookups: { ip: true },
      origins: { data: { version: '0.20.0', prices_usdc: { '/fx': '0.002' } } },
    })
    expect(health.sources).toMatchObject({
      ecb: { outcome: expect.any(String), age_seconds: expect.any(Number) },
    })
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
  })

  it('shows people how each source keeps its promise, from the store', async () => {
    const page = async () => (await fetch(`${service.url}/status`)).text()
    const rowOf = async (source: string) =>
      new RegExp(`<th role="rowheader" scope="row"><span id="source-${source}">.*?</tr>`).exec(
        await page(),
      )?.[0] ?? ''
    // The page asks the store once a minute, so the test opens it when the polls are in the store.
    const polls = `${service.store?.http}/?user=analyst&query=${encodeURIComponent("select uniq(source) from farebox.source_ticks where source in ('ecb', 'faa')")}`
    await until(async () => (await (await fetch(polls)).text()).trim() === '2', 'the polls in the store')
    expect(await rowOf('ecb')).toMatch(/good.*3 h.*100\.00 %.*\d ms/)
    expect(await page()).not.toContain('The store is away')
  })

  it('refuses a taken port in one line that names the variable', async () => {
    const taken = new URL(service.url).port
    const other = mkdtempSync(join(tmpdir(), 'farebox-second-'))
    await expect(startService(config({ DATA_DIR: other, PORT: taken }), { now })).rejects.toThrow(
      new RegExp(`^PORT is ${taken}; it should be a free port[^\n]*$`),
    )
    rmSync(other, { recursive: true, force: true, maxRetries: 10 })
  })

  it('refuses a log that another process owns', async () => {
    await expect(startService(config(), { now, checkAnswers: true })).rejects.toThrow(/^[^\n]*log\.db[^\n]*$/)
  })

  it('starts without its facilitator and its upstreams, and takes up both', async () => {
    await service.close()
    const { port } = new URL(facilitator.url)
    await facilitator.close()
    const ecbFiles = [...ecb.files]
    ecb.files.clear()
    service = await startService(config(), { now, checkAnswers: true })
    expect((await get('/health')).ready).toBe(false)
    const unpaid = await fetch(`${service.url}/fx`, { method: 'POST' })
    expect(unpaid.status).toBe(402)
    const refused = await ask('/fx', { from: 'USD', to: 'JPY' })
    expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
      503,
      'facilitator_unavailable',
    ])

    facilitator = await startStubFacilitator(Number(port))
    for (const [file, body] of ecbFiles) ecb.files.set(file, body)
    await until(async () => (await get('/health')).ready, 'the facilitator to be noticed')
    // The service sells what was in the log before the restart, without any upstream.
    expect(await (await ask('/fx', { from: 'USD', to: 'JPY' })).json()).toMatchObject({ rate: 159.83396 })
  })
})
