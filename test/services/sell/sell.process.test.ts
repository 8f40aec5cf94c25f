/** A file is sold by a sandbox of its own process, as every operation is: over HTTP and MCP, paid once, free where it fails. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hookUrl } from '../../../services/origins/watch/examples.ts'
import { readHeard } from '../../../services/sandbox/street.ts'
import { until } from '../../until.ts'
import { callerOf, clientOf } from '../query/mcp/connected.ts'
import { evmKey, type RunningSandbox, runSandbox } from '../sandbox/running.ts'

const readme = readFileSync(new URL('../../../services/sell/README.md', import.meta.url), 'utf8')
const token = 'a-token-of-the-tides'
const payer = new x402Client()
  .setSpendControls(false)
  .register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(evmKey)))
const pay = wrapFetchWithPayment(fetch, payer)

const folder = mkdtempSync(join(tmpdir(), 'sell-'))
const file = join(folder, 'tides.yaml')
const heard: string[] = []
let upstream: Server
let sandbox: RunningSandbox
let level = 1

beforeAll(async () => {
  upstream = createServer(({ url = '', headers }, response) => {
    heard.push(`${url} ${headers.authorization}`)
    if (url === '/v2/0000000') return response.writeHead(404).end()
    if (url === '/v2/5000000') return response.writeHead(500).end(token)
    if (url === '/level') return response.end(String(level))
    response.end(JSON.stringify({ station: url.split('/').at(-1), high: '04:12' }))
  })
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  // The page for newcomers has the first operation. Its upstream is on this machine.
  const [, written = ''] = /```yaml\n(origin: tides\n[\s\S]+?)```/.exec(readme) ?? []
  writeFileSync(
    file,
    `${written.replace('https://tides.example', `http://127.0.0.1:${port}`)}  /level:
    title: The level now
    price: 0.001
    from: { http: 'http://127.0.0.1:${port}/level' }
    watch: { every: 1m }
    example: { question: {} }
  /rates/since:
    title: The euro in a currency, day by day
    price: 0.002
    question: { currency: { type: string }, since: { type: string, default: '2026-01-01' } }
    from:
      view: 'select day, rate from fx_daily where currency = {currency:String} and day >= {since:Date} order by day limit 400'
      fresh: { table: fx_daily, within: 4d }
    refuse: { none: unknown_currency }
    example: { question: { currency: USD } }
`,
  )
  sandbox = await runSandbox({ TIDES_TOKEN: token }, ['--sell', file, '--no-canary'])
})
afterAll(async () => {
  await sandbox?.stop()
  await new Promise(resolve => upstream.close(resolve))
  rmSync(folder, { recursive: true, force: true })
})

/** Each mix of samples has a folder of its own. */
const storeFolder = () =>
  join(sandbox.folder, readdirSync(sandbox.folder).find(name => /^(sample|live)/.test(name)) ?? '')

const ask = (
  question: object,
  by: typeof fetch = pay as typeof fetch,
  headers: Record<string, string> = {},
  path = '/tide',
) =>
  by(sandbox.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(question),
  })

it('is announced as every operation is, and no secret with it', async () => {
  expect(sandbox.said).toContain('call -- /tide \'{"station":"9414290"}\'')
  const texts = await Promise.all(
    [
      '/openapi.json',
      '/llms.txt',
      '/docs/tide',
      '/',
      '/.well-known/x402',
      '/.well-known/mcp.json',
      '/metrics',
      '/health',
    ].map(async path => (await fetch(sandbox.url + path)).text()),
  )
  for (const text of texts.slice(0, 6)) expect(text).toContain('tide')
  expect(JSON.parse(texts[0] ?? '').paths['/tide'].post.operationId).toBe('tidesTide')
  const quote = await ask({}, fetch)
  expect(quote.status).toBe(402)
  expect(Buffer.from(quote.headers.get('payment-required') ?? '', 'base64').toString()).toContain(
    '"amount":"3000"',
  )
  for (const text of [...texts, await quote.text(), sandbox.said]) expect(text).not.toContain(token)
})

it('is watched for a subscriber', async () => {
  const asked = { what: '/level', question: {}, webhookUrl: hookUrl }
  const sold = await ask(asked, pay as typeof fetch, {}, '/watch/subscribe')
  expect(await sold.json()).toMatchObject({ event: 'answer.changed', answer: { answer: 1 } })
  level = 2
})

it('is paid for and answered, and the same key gets it again', async () => {
  const key = { 'idempotency-key': 'tides-for-me' }
  const answer = await ask({ station: '9414290' }, pay as typeof fetch, key)
  expect(answer.headers.get('content-type')).toContain('application/json')
  const { receipt, ...rest } = (await answer.json()) as { receipt: { payment_tx: string } }
  expect(rest).toMatchObject({ answer: { station: '9414290', high: '04:12' } })
  expect(receipt).toMatchObject({ tool: 'tidesTide', charged: true, price_usdc: 0.003 })
  expect(heard.at(-1)).toBe(`/v2/9414290 ${token}`)
  const asked = heard.length
  const again = (await (await ask({ station: '9414290' }, fetch, key)).json()) as { receipt: object }
  expect(again.receipt).toMatchObject({ replayed: true, payment_tx: receipt.payment_tx })
  expect(heard).toHaveLength(asked)
})

it('stands in the metrics, the receipts, the store, from which the books are made, and the lineage as every sale does', async () => {
  const answer = await ask({ station: '9414290' })
  const { receipt, ...sold } = (await answer.json()) as {
    receipt: { payment_tx: string; request_id: string }
  }
  const text = async (path: string) => (await fetch(sandbox.url + path)).text()
  expect(await text('/metrics')).toMatch(
    /farebox_calls_total\{origin="tides",operation="tidesTide",status="200"[^}]*\} [1-9]/,
  )
  const settlement = JSON.parse(
    Buffer.from(answer.headers.get('payment-response') ?? '', 'base64').toString(),
  )
  const proof = { settlement, question: { station: '9414290' }, answer: sold }
  const verified = await fetch(`${sandbox.url}/receipts/verify`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(proof),
  })
  expect(await verified.json()).toMatchObject({ valid: true })

  const { payment_tx: tx } = receipt
  const rows = () =>
    analyst(
      `select origin, tool, toFloat64(price_usdc) as price from receipts where payment_tx = '${tx}' format JSONEachRow`,
    )
  await until(async () => (await rows()) !== '', 'the sale in the store', 60_000)
  expect(JSON.parse(await rows())).toEqual({ origin: 'tides', tool: 'tidesTide', price: 0.003 })
  const steps = await analyst(
    `select state from settlements where operation = 'tidesTide' and request_id = '${receipt.request_id}' order by at`,
  )
  expect(steps.split('\n').filter(Boolean)).toEqual(['intended', 'settled'])

  const lineage = await text('/lineage')
  expect(lineage).toMatch(/Tide tables<\/th>.*an HTTP API.*\/docs\/tide"/)
  expect(lineage).toMatch(/source <code>ecb<\/code>.*<code>fx_daily<\/code><\/td>[^\n]*\/docs\/rates\/since"/)
}, 100_000)

/** What an analyst sees. */
async function analyst(sql: string): Promise<string> {
  const store = /http:\/\/\S+:\d+(?=\/\?user=analyst)/.exec(sandbox.said)?.[0]
  return (await fetch(`${store}/?user=analyst`, { method: 'POST', body: sql })).text()
}

const run = (args: string[], env = {}, command = 'commands/sell.ts') =>
  new Promise<{ code: number; said: string }>(resolve =>
    execFile(
      process.execPath,
      [fileURLToPath(new URL(`../../../services/${command}`, import.meta.url)), ...args],
      { env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), said: out + err }),
    ),
  )

it('asks nothing before it is paid, and charges nothing where it fails', async () => {
  const before = heard.length
  await ask({ station: '9414290' }, fetch)
  expect(heard).toHaveLength(before)
  for (const [station, status, error] of [
    ['0000000', 422, 'unknown_station'],
    ['5000000', 502, 'upstream_failed'],
    ['../../0', 400, 'invalid_request'],
  ] as const) {
    const answer = await ask({ station })
    const text = await answer.text()
    expect([answer.status, JSON.parse(text)]).toMatchObject([status, { error, charged: false }])
    expect(text).not.toContain(token)
  }
})

it('sells a view of the store, and no row is free', async () => {
  const rates = (currency: string) => ask({ currency }, pay as typeof fetch, {}, '/rates/since')
  // The first rates of the sandbox are on their way to the store.
  let text = ''
  await until(async () => {
    text = await (await rates('USD')).text()
    return text.includes('"receipt"')
  }, 'the first rates')
  expect(text).toMatch(/^\{"answer":\[\{"day":"2026-\d\d-\d\d","rate":\d\.\d+\}/)
  expect(JSON.parse(text).receipt).toMatchObject({
    tool: 'tidesRatesSince',
    charged: true,
    price_usdc: 0.002,
  })
  const none = await rates('XXX')
  expect([none.status, await none.json()]).toMatchObject([422, { error: 'unknown_currency', charged: false }])
  const injected = await rates("' or 1 = 1 --")
  expect([injected.status, await injected.json()]).toMatchObject([422, { charged: false }])
})

it('is a tool of MCP', async () => {
  const client = await clientOf(`${sandbox.url}/mcp`)
  const { tools } = await client.listTools()
  expect(tools.find(({ name }) => name === 'tide')?.inputSchema.properties).toHaveProperty('station')
  const call = callerOf(client)
  const { json } = await call('tide', { station: '9414290' })
  const { accepts } = json as unknown as { accepts: never[] }
  expect(accepts.length).toBeGreaterThan(0)
  const payment = await payer.createPaymentPayload(json as never)
  const bought = await call('tide', { station: '9414290' }, { 'x402/payment': payment })
  expect(bought.json).toMatchObject({
    answer: { high: '04:12' },
    receipt: { tool: 'tidesTide', charged: true },
  })
})

it('tells the subscriber of the change', async () => {
  const told = () =>
    readHeard(sandbox.folder)
      .map(({ body }) => JSON.parse(body))
      .find(({ type }) => type === 'answer.changed')
  await until(() => told() !== undefined, 'the next look', 120_000)
  expect(told()).toMatchObject({ data: { what: '/level', answer: { answer: 2 } } })
})

it('is checked and tried by the command, without a payment', async () => {
  const store = `embedded:${join(storeFolder(), 'clickhouse')}`
  const sound = await run(['check', file, '--call'], { TIDES_TOKEN: token, STORE_URL: store })
  expect(sound.said).toContain('POST /tide  0.003 USDC  The tide at a station')
  expect(sound.said).toContain('"high":"04:12"')
  expect(sound.said).toMatch(/"rate":\d\.\d+/)
  expect(sound.said).not.toContain(token)
  expect(sound.code).toBe(0)
  const unset = await run(['check', file])
  expect([unset.code, unset.said]).toEqual([
    1,
    expect.stringMatching(/tides\.yaml:\d+:\d+ .*TIDES_TOKEN.* is unset/),
  ])
  expect((await run(['check'])).code).toBe(2)
  // The page buys with the command of the sandbox.
  const [, path = '', question = ''] = /npm run call -- (\/tide) '(.+)'/.exec(readme) ?? []
  const call = await run([path, question], sandbox.env, 'sandbox/call.ts')
  expect(call.said).toContain('"high": "04:12"')
  expect(call.said).toContain('0.003 USDC less')
})
