import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { upstreams } from '../../../pipelines/index.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { checkUp } from '../../../services/doctor/checkup.ts'
import { startUpstreams, type Upstreams } from '../../../services/sandbox/upstreams.ts'
import { alerts } from '../../deploy/queries.ts'
import { scratchFolder } from '../../scratch.ts'
import { payTo, payToSolana } from '../till/paying.ts'

const nowMs = Date.now()
const seconds = (ms: number) => Math.floor(ms / 1000)
const token = 'a-token-that-nobody-may-see'
const folder = scratchFolder(afterAll)

interface Reply {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}
type Answering = (asked: { method: string; request: IncomingMessage }) => Reply

const nodeOf =
  (answers: Record<string, unknown>): Answering =>
  ({ method }) =>
    method in answers
      ? { body: { result: answers[method] } }
      : { body: { error: { code: -32601, message: 'no such method' } } }
const quoted =
  (wallets: Record<string, string>): Answering =>
  () => {
    const accepts = Object.entries(wallets).map(([network, address]) => ({ network, payTo: address }))
    const header = Buffer.from(JSON.stringify({ x402Version: 2, accepts })).toString('base64')
    return { status: 402, headers: { 'payment-required': header } }
  }
const [base, solana] = [networks.base.caip2, networks.solana.caip2]
const rules = (more: object = {}) =>
  alerts.map(({ alert }) => ({ name: alert, type: 'alerting', health: 'ok', state: 'inactive', ...more }))

/** A deployment in which all is well: each path of one server, by its first part. */
const healthy: Record<string, Answering> = {
  base: nodeOf({
    eth_chainId: '0x2105',
    eth_getBlockByNumber: { timestamp: `0x${seconds(nowMs).toString(16)}` },
  }),
  solana: nodeOf({ getGenesisHash: `${solana.slice(7)}abc`, getSlot: 7, getBlockTime: seconds(nowMs) }),
  facilitator: ({ request }) =>
    request.headers.authorization === `Bearer ${token}`
      ? {
          body: {
            kinds: [base, solana].map(network => ({
              x402Version: 2,
              scheme: 'exact',
              network,
              extra: { feePayer: payToSolana },
            })),
          },
        }
      : { status: 401 },
  fx: quoted({ [base]: payTo, [solana]: payToSolana }),
  chain: quoted({ [base]: payTo, [solana]: payToSolana }),
  prometheus: ({ request: { url = '' } }) => ({
    body: {
      data: url.endsWith('/rules')
        ? { groups: [{ rules: rules() }] }
        : url.endsWith('/targets')
          ? { activeTargets: [{ health: 'up', labels: { job: 'query', instance: 'query:8402' } }] }
          : { activeAlertmanagers: [{ url: 'http://alertmanager:9093/api/v2/alerts' }] },
    },
  }),
}
let answering = healthy
let samples: Upstreams
let url: string
const server = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const method = text.startsWith('{') ? JSON.parse(text).method : ''
  const first = request.url?.split('/')[1] ?? ''
  const { status = 200, headers = {}, body } = answering[first]?.({ method, request }) ?? { status: 404 }
  response.writeHead(status, headers)
  response.end(body === undefined ? '' : JSON.stringify(body))
})

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  samples = await startUpstreams({}, {}, { live: async () => false })
})
afterAll(async () => {
  await samples.close()
  server.close()
})
beforeEach(() => {
  answering = healthy
})

const environment = () => ({
  DATA_DIR: folder,
  PUBLIC_URL: url,
  PAY_TO_BASE: payTo,
  PAY_TO_SOLANA: payToSolana,
  BASE_RPC_URL: `${url}/base,${url}/base/2`,
  SOLANA_RPC_URL: `${url}/solana,${url}/solana/2`,
  FACILITATOR_URL: `${url}/facilitator`,
  FACILITATOR_TOKEN: token,
  ...samples.urls,
})
async function found(more: Record<string, string> = {}, options: Parameters<typeof checkUp>[1] = {}) {
  const findings = await checkUp(
    { ...environment(), ...more },
    { prometheus: `${url}/prometheus`, patienceMs: 2_000, ...options },
  )
  expect(JSON.stringify(findings)).not.toContain(token)
  return findings
    .filter(({ state }) => state !== 'well')
    .map(({ part, state, words }) => `${state} ${part}: ${words}`)
}
const having = (name: string, answer: Answering) => {
  answering = { ...healthy, [name]: answer }
}

it('finds nothing wrong where all is well, and looks at everything', async () => {
  const findings = await checkUp(environment(), { prometheus: `${url}/prometheus` })
  const parts = [
    'variables',
    'versions',
    'log',
    'store',
    'blobs',
    'nodes',
    'facilitators',
    'upstreams',
    'door',
    'alerts',
    'clock',
  ]
  for (const part of parts) expect(findings.map(each => each.part)).toContain(part)
  expect(findings.filter(({ state, part }) => state !== 'well' && part !== 'disk')).toEqual([])
  expect(findings.filter(({ part }) => part === 'upstreams')).toHaveLength(upstreams.length - 1)
})

it('looks at no node for a process that asks none', async () => {
  const rails = { LOG_URL: 'kafka://127.0.0.1:9', STORE_URL: 'http://farebox:x@127.0.0.1:9/farebox' }
  const nodesSeenBy = async (ROLES: string) =>
    (await found({ ...rails, ROLES, BASE_RPC_URL: `${url}/nothing` })).filter(line => / nodes: /.test(line))
  expect(await nodesSeenBy('ingest')).not.toEqual([])
  expect(await nodesSeenBy('sink,meter')).toEqual([])
})

it('names each wrong variable, and shows no secret', async () => {
  const [first] = await found({ PORT: 'eight', SIGNER_KEY: token })
  expect(await found({ PORT: 'eight', SIGNER_KEY: token })).toHaveLength(2)
  expect(first).toMatch(/^wrong variables: PORT is "eight"; it should be /)
})

it('shows no secret out of a file or of an address, where somebody repeats it', async () => {
  const { FACILITATOR_TOKEN, ...rest } = environment()
  const file = join(folder, 'token')
  await writeFile(file, `${FACILITATOR_TOKEN}\n`)
  const nodeKey = 'k3y-of-a-n0de'
  const says = `no: ${token}, ${nodeKey}`
  answering = {
    ...healthy,
    base: () => ({ body: { error: { code: -32000, message: says } } }),
  }
  const findings = await checkUp(
    {
      ...rest,
      FACILITATOR_TOKEN_FILE: file,
      BASE_RPC_URL: `${url}/base/${nodeKey},${url}/base/2?key=${nodeKey}`,
    },
    { patienceMs: 2_000 },
  )
  const nodes = findings.filter(({ part, state }) => part === 'nodes' && state === 'wrong')
  expect(nodes.map(({ words }) => words.replace(/^.*node: /, ''))).toEqual(['no: …, …', 'no: …, …'])
  expect(findings.find(({ part }) => part === 'facilitators')?.state).toBe('well')
  expect(JSON.stringify(findings)).not.toMatch(new RegExp(`${token}|${nodeKey}`))
})

it.each([
  [
    'a node of another chain',
    'base',
    nodeOf({ eth_chainId: '0x1' }),
    /^wrong nodes: 127\.0\.0\.1:\d+ should be a node of Base \(eip155:8453\), and tells of eip155:1$/,
  ],
  [
    'a node that is behind',
    'solana',
    nodeOf({ getGenesisHash: solana.slice(7), getSlot: 7, getBlockTime: seconds(nowMs) - 900 }),
    /^wrong nodes: the newest block of .* is 9\d\d s old/,
  ],
  [
    'a node without blocks',
    'base',
    nodeOf({ eth_chainId: '0x2105', eth_getBlockByNumber: null }),
    /^watch nodes: .* \(Base\) does not tell its newest block$/,
  ],
  [
    'a node that does not tell its chain',
    'base',
    nodeOf({ eth_getBlockByNumber: { timestamp: `0x${seconds(nowMs).toString(16)}` } }),
    /^wrong nodes: .* \(Base\) does not know eth_chainId: nobody can tell which chain it is of$/,
  ],
  [
    'a node without a chain',
    'solana',
    nodeOf({ getSlot: 7, getBlockTime: seconds(nowMs) }),
    /^watch nodes: .* \(Solana\) does not tell its chain$/,
  ],
  [
    'a node that says no',
    'base',
    () => ({ status: 429 }),
    /^wrong nodes: .* does not answer as a node: HTTP 429$/,
  ],
  [
    'a facilitator that refuses our token',
    'facilitator',
    () => ({ status: 401, body: { error: `what is ${token}?` } }),
    /^wrong facilitators: .* does not answer \/supported/,
  ],
  [
    'a facilitator without a network',
    'facilitator',
    () => ({ body: { kinds: [{ scheme: 'exact', network: base }] } }),
    /^wrong facilitators: nobody settles on solana: nothing is sold there$/,
  ],
  [
    'a public address where nobody sells',
    'fx',
    () => ({ status: 200 }),
    /^wrong door: .* answers HTTP 200, and asks for no payment$/,
  ],
  [
    'a public address that sells for others',
    'fx',
    quoted({ [base]: `0x${'9'.repeat(40)}`, [solana]: payToSolana }),
    /^wrong door: .* does not ask for payment to PAY_TO_BASE$/,
  ],
] as const)('sees %s', async (_, name, answer, words) => {
  having(name, answer)
  expect(await found()).toContainEqual(expect.stringMatching(words))
})

it('sees a clock that is wrong by a day, by the clocks of others', async () => {
  const words = await found({}, { now: () => Date.now() + 86_400_000 })
  expect(words).toContainEqual(
    expect.stringMatching(/^wrong clock: this clock is 86\d\d\d s ahead of the clocks of \d+ hosts/),
  )
})

it('sees an upstream that blocks us, and rails that are away', async () => {
  const STORE_URL = `http://farebox:${token}@127.0.0.1:9/farebox`
  const words = await found({
    ECB_URL: `${url}/nothing`,
    ...{
      LOG_URL: 'kafka://127.0.0.1:9',
      STORE_URL,
      BLOBS_URL: `s3://key:${token}@127.0.0.1:9/bucket?tls=false`,
    },
    PAGES_URL: 'file:package.json/pages',
  })
  for (const expected of [
    /^wrong upstreams: .* \(ECB rates\) answers HTTP 404, and not as it should/,
    /^wrong log: no Kafka broker answers at 127\.0\.0\.1:9/,
    /^wrong store: /,
    /^wrong blobs: large answers: S3 at 127\.0\.0\.1:9/,
    /^wrong blobs: package\.json\/pages cannot be written by this user$/,
  ])
    expect(words).toContainEqual(expect.stringMatching(expected))
})

it('sees that nobody is told: no Prometheus, no alert, no process, no Alertmanager', async () => {
  expect(await found({}, { prometheus: undefined })).toContainEqual(expect.stringMatching(/^unseen alerts: /))
  having('prometheus', () => ({ body: { data: { groups: [], activeTargets: [], activeAlertmanagers: [] } } }))
  expect((await found()).map(line => line.replace(/lacks.*/, 'lacks'))).toEqual([
    'wrong alerts: Prometheus lacks',
    'wrong alerts: Prometheus asks no process of ours',
    'watch alerts: no job of Prometheus is called query, and the alerts name it so',
    'wrong alerts: Prometheus tells nobody: it knows no Alertmanager',
  ])
  having('prometheus', ({ request: { url = '' } }) => ({
    body: {
      data: {
        groups: [{ rules: rules(url ? { health: 'err', state: 'firing' } : {}) }],
        activeTargets: [{ health: 'down', labels: { job: 'query', instance: 'query:8402' } }],
        activeAlertmanagers: [{ url: 'http://a:1/' }],
      },
    },
  }))
  const words = await found()
  expect(words).toContainEqual('wrong alerts: StoreDown fires: deploy/README.md says what to do')
  expect(words).toContainEqual('wrong alerts: Prometheus cannot reach query at query:8402')
  expect(words).toContainEqual(expect.stringMatching(/^wrong alerts: Prometheus cannot evaluate /))
})
