import { describe, expect, onTestFinished, test } from 'vitest'
import { toParts } from '../../../../pipelines/domains/market/release.ts'
import { probeQuote } from '../../../../pipelines/domains/x402/quote-probe.ts'
import { openLog } from '../../../../pipelines/rails/log/open-log.ts'
import { minuteOf, probe, probedOf, startProbing } from '../../../../pipelines/workers/market/prober.ts'
import { type MarketProbe, marketProbes } from '../../../../schemas/market-probes.ts'
import { marketReleases } from '../../../../schemas/market-weeks.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { scratchFolder } from '../../../scratch.ts'
import { offer, releaseOf } from '../../../services/origins/data/market/a-market.ts'
import { until } from '../../../until.ts'
import { openWeb } from '../../rails/outside/fetching/web.ts'

const web = await openWeb()
const url = 'http://shop.sample/forecast'
const payTo = `0x${'ab'.repeat(20)}`
const { caip2, asset } = networks.base
const accept = (more: object = {}) => ({
  scheme: 'exact',
  network: caip2,
  asset,
  amount: '10000',
  payTo,
  ...more,
})
const now = () => Date.parse('2026-11-16T09:00:00Z')
const alone = new AbortController().signal
const listed = { host: 'shop.sample', url, method: 'GET', priceUsd: '0.010000000000000000', payTo: [payTo] }

const quoted = (accepts: object[], inHeader = true) => {
  const quote = JSON.stringify({ x402Version: 2, accepts })
  web.answer = (_, response) => {
    response.writeHead(402, inHeader ? { 'payment-required': Buffer.from(quote).toString('base64') } : {})
    response.end(inHeader ? '' : quote)
  }
}
const answering = (status: number, body = '') => {
  web.answer = (_, response) => response.writeHead(status).end(body)
}

describe('a probe', () => {
  test.each([
    ['in the header', true],
    ['in the body', false],
  ])('reads the quote %s, and compares it with the listing', async (_, inHeader) => {
    quoted([accept()], inHeader)
    expect(await probe(listed, web.fetch(), now, alone)).toEqual({
      url,
      host: 'shop.sample',
      checked_at: '2026-11-16T09:00:00.000Z',
      alive: true,
      status: 402,
      price_usd: '0.01',
      price_matches: true,
      pay_to_matches: true,
      latency_ms: expect.any(Number),
      reason: null,
    })
  })

  test('reports another price, and another address next to the listed one', async () => {
    quoted([accept({ amount: '20000' }), accept({ payTo: `0x${'cd'.repeat(20)}`, amount: '20000' })])
    expect(await probe(listed, web.fetch(), now, alone)).toMatchObject({
      alive: true,
      price_usd: '0.02',
      price_matches: false,
      pay_to_matches: false,
    })
    expect(await probe({ ...listed, priceUsd: null, payTo: [] }, web.fetch(), now, alone)).toMatchObject({
      price_matches: null,
      pay_to_matches: null,
    })
  })

  test.each([
    [500, false],
    [503, false],
    [404, false],
    [410, false],
    [400, null],
    [422, null],
    [200, null],
    [429, null],
  ])('%i means alive: %s', async (status, alive) => {
    answering(status)
    const probed = await probe(listed, web.fetch(), now, alone)
    expect(probed).toMatchObject({
      alive,
      status,
      price_usd: null,
      reason: `it answers ${status} in place of 402`,
    })
  })

  test.each(['', 'not JSON', '[]', '{"accepts":7}', '{"accepts":[]}'])(
    'a 402 with %j is not a quote',
    async body => {
      answering(402, body)
      expect(await probe(listed, web.fetch(), now, alone)).toMatchObject({ alive: null, price_usd: null })
    },
  )

  test('a host that is gone is dead, and a private one is never asked', async () => {
    for (const [gone, reason] of [
      ['http://gone.sample/x', /no address/],
      ['http://127.0.0.1/x', /./],
      ['http://[::1]/x', /./],
    ] as const)
      expect(await probe({ ...listed, url: gone }, web.fetch(), now, alone)).toMatchObject({
        alive: false,
        status: null,
        latency_ms: null,
        reason: expect.stringMatching(reason),
      })
    expect(web.strays).toBe(0)
  })

  test('one failure alone does not count', async () => {
    const answers = [500, 402]
    web.answer = (_, response) => {
      const status = answers.shift() ?? 402
      response.writeHead(status).end(status === 402 ? JSON.stringify({ accepts: [accept()] }) : '')
    }
    expect(await probe(listed, web.fetch(), now, alone)).toMatchObject({ alive: true })
  })

  test('asks as the listing says', async () => {
    const asked: (string | undefined)[] = []
    web.answer = (request, response) => {
      asked.push(request.method, request.headers['payment-signature'] as string | undefined)
      response.writeHead(400).end()
    }
    await probeQuote(web.fetch(), { url, method: 'POST' }, alone)
    await probeQuote(web.fetch(), { url, method: 'GET' }, alone)
    expect(asked).toEqual(['POST', undefined, 'GET', undefined])
  })
})

test('recommended endpoints are probed, the most paid first, and few of one seller', () => {
  const many = Array.from({ length: 9 }, (_, i) =>
    offer('many.dev', `/${i}`, { payers: String(i + 10), calls: '99' }),
  )
  const release = releaseOf([
    ...many,
    offer('mcp.dev', '/mcp', { probe_method: '', payers: '90', calls: '99' }),
    offer('idle.dev', '/x', { calls: '0' }),
    offer('top.dev', '/x', { payers: '80', calls: '99' }),
  ])
  expect(probedOf(release).map(({ url }) => url.slice('https://'.length))).toEqual([
    'top.dev/x',
    ...[8, 7, 6, 5, 4].map(i => `many.dev/${i}`),
  ])
})

test('the clock asks each endpoint in its minute of the hour, and writes the result to the log', async () => {
  const log = await openLog(`sqlite:${scratchFolder()}/log.db`, {
    topics: [marketReleases, marketProbes].map(({ topic }) => topic),
  })
  onTestFinished(() => log.close())
  quoted([accept()])
  const endpoint = offer('shop.sample', '/forecast', { url })
  const release = releaseOf([endpoint])
  const parts = toParts(JSON.stringify(release), { week: release.week, builtAt: release.snapshot })
  await log.append(
    marketReleases.topic,
    parts.map(part => ({ key: marketReleases.keyOf(part), value: JSON.stringify(part) })),
  )
  let minute = minuteOf(url) - 1
  const probes: MarketProbe[] = []
  const watching = await log.watch(marketProbes.topic, batch => {
    for (const { value } of batch) probes.push(marketProbes.event.parse(JSON.parse(value ?? '')))
  })
  onTestFinished(() => watching.close())
  const failed: unknown[] = []
  const clock = () => Date.parse('2026-11-16T09:00:00Z') + minute * 60_000
  let ticks = 0
  const running = await startProbing({
    log,
    fetch: web.fetch(),
    now: () => {
      ticks++
      return clock()
    },
    onFailed: error => failed.push(error),
    schedule: '* * * * * *',
  })
  onTestFinished(() => running.close())
  const before = ticks
  await until(() => ticks > before + 2)
  expect(probes).toEqual([])
  minute += 1
  await until(() => probes.length === 1)
  expect(probes[0]).toMatchObject({ url, alive: true, price_matches: true, pay_to_matches: true })
  minute += 60
  await until(() => probes.length === 2)
  expect(failed).toEqual([])
})
