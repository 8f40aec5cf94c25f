/** The tour of the sandbox: its shop is watched, shut and opened, and the process is killed between event and delivery. */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { concat, getContractAddress, serializeErc6492Signature } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isSignedByEvm } from '../../../pipelines/domains/payments/evm/signed-text.ts'
import { hookUrl } from '../../../services/origins/watch/examples.ts'
import { evmAccount } from '../../../services/sandbox/keys.ts'
import { findNote, type Note } from '../../../services/sandbox/note.ts'
import { type Heard, readHeard } from '../../../services/sandbox/street.ts'
import { nobody, silentUpstreams } from '../../silent-upstreams.ts'
import { until } from '../../until.ts'

const program = (name: string) => fileURLToPath(new URL(`../../../services/sandbox/${name}`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'watch-'))
const env = {
  ...process.env,
  ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0', NETWORKS: 'base,solana' },
  ...silentUpstreams,
}
const shop = 'http://shop.sample/fx'

let sandbox: ChildProcessByStdio<null, Readable, Readable>
let said: string
let note: Note

async function start(): Promise<void> {
  said = ''
  sandbox = spawn(process.execPath, [program('main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [sandbox.stdout, sandbox.stderr]) stream.on('data', text => (said += text))
  await until(() => said.includes('Ctrl-C') || sandbox.exitCode !== null, 'the banner', 120_000)
  if (sandbox.exitCode !== null) throw new Error(`it did not start: ${said}`)
  note = (await findNote(folder)) as Note
}

const call = async (...args: string[]) =>
  promisify(execFile)(process.execPath, [program('call.ts'), ...args], { env })
const steer = (path: string) => fetch(note.street + path, { method: 'POST' })
const get = async (path: string) => (await fetch(note.url + path)).json() as Promise<Record<string, unknown>>
const post = async (path: string, body: object) =>
  (
    await fetch(note.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json() as Promise<Record<string, unknown>>

interface Told extends Heard {
  id: string
  type: string
  subscription: string
}
const heard = (type: string): Told[] =>
  readHeard(folder)
    .map(each => {
      const { type, data } = JSON.parse(each.body) as { type: string; data: { subscription_id: string } }
      return { ...each, id: each.headers['webhook-id'] ?? '', type, subscription: data.subscription_id }
    })
    .filter(each => each.type === type)

beforeAll(start)
afterAll(() => {
  sandbox.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

interface Subscription {
  subscription_id: string
  secret: string
  payee: { address: string }
}
let subscriptions: Subscription[]

test('the banner shows the tour, and the catalog both origins', async () => {
  expect(said).toContain('npm run call -- weigh ')
  const { operations } = await get('/')
  const urls = (operations as { url: string }[]).map(({ url }) => new URL(url).pathname)
  expect(urls).toEqual(expect.arrayContaining(['/fx', '/weigh/subscribe']))
  expect(await get(`/check?url=${shop}`)).toMatchObject({ x402: true, price_usd: 0.002, method: 'POST' })
})

test('a subscription is paid on either network, signed by a wallet of either kind', async () => {
  const bought = await Promise.all(
    ['base', 'solana'].map(network =>
      call('weigh', '--network', network).then(({ stdout }) => JSON.parse(stdout)),
    ),
  )
  expect(bought).toMatchObject([
    { url: shop, payee: { network: 'eip155:8453' }, receipt: { price_usdc: 5, network: 'base' } },
    {
      url: shop,
      payee: { network: expect.stringMatching(/^solana:/) },
      receipt: { price_usdc: 5, network: 'solana' },
    },
  ])
  subscriptions = bought
  expect(heard('endpoint.test')).toHaveLength(2)
  await until(
    async () => (await get(`/weigh/status?url=${shop}`)).state === 'up',
    'the endpoint to be watched',
  )
})

const nodeOfBase = () => note.chains.find(({ network }) => network === 'base')?.rpcUrl ?? ''
const askNode = async (method: string, ...params: unknown[]) =>
  fetch(nodeOfBase(), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

test('a contract wallet confirms its own signature (ERC-1271)', async () => {
  const rpcUrl = nodeOfBase()
  const layCode = (address: string, code: string) => askNode('anvil_setCode', address, code)
  const [willing, unwilling, empty] = ['a1', 'b2', 'c3'].map(byte => `0x${byte.repeat(20)}`) as [
    string,
    string,
    string,
  ]
  // This contract answers every question with 0x1626ba7e, the other one with 0.
  await layCode(willing, '0x631626ba7e60e01b60005260206000f3')
  await layCode(unwilling, '0x600060005260206000f3')
  const isSigned = (address: string, signature: string, urls = [rpcUrl]) =>
    isSignedByEvm({ address, text: 'watch it', signature }, urls)
  expect(await isSigned(willing, '0x1234')).toBe(true)
  expect(await isSigned(willing, `0x${'12'.repeat(65)}`)).toBe(true)
  expect(await isSigned(unwilling, '0x1234')).toBe(false)
  expect(await isSigned(empty, '0x1234')).toBe(false)
  expect(await isSigned(willing, '0x1234', [])).toBe(false)
  await expect(isSigned(willing, '0x1234', [nobody])).rejects.toThrow()
  expect(await isSigned(willing, '0x1234', [nobody, rpcUrl])).toBe(true)
})

test('so does one that its factory has not deployed yet (ERC-6492)', async () => {
  const rpcUrl = nodeOfBase()
  // The factory creates the code that its caller sends. Anvil has it, like many chains.
  const factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
  const salt = `0x${'00'.repeat(32)}` as const
  /** A wallet with this code, and a signature that contains its deployment. */
  const walletOf = (code: string) => {
    // The code returns everything after its first 11 bytes.
    const bytecode =
      `0x60${(code.length / 2).toString(16).padStart(2, '0')}80600b6000396000f3${code}` as const
    const data = concat([salt, bytecode])
    return {
      address: getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }),
      signature: serializeErc6492Signature({ address: factory, data, signature: '0x1234' }),
      data,
    }
  }
  const isSigned = (address: string, signature: string) =>
    isSignedByEvm({ address, text: 'watch it', signature }, [rpcUrl])
  const willing = walletOf('631626ba7e60e01b60005260206000f3')
  const unwilling = walletOf('600060005260206000f3')
  expect(await isSigned(willing.address, willing.signature)).toBe(true)
  expect(await isSigned(willing.address, '0x1234')).toBe(false)
  expect(await isSigned(unwilling.address, unwilling.signature)).toBe(false)
  // The factory makes another wallet than the named signer.
  expect(await isSigned(unwilling.address, willing.signature)).toBe(false)
  const { address: from } = evmAccount('payer')
  await askNode('eth_sendTransaction', { from, to: factory, data: willing.data })
  await until(() => isSigned(willing.address, '0x1234'), 'the wallet to be deployed')
  expect(await isSigned(willing.address, willing.signature)).toBe(true)
})

test('an answer of our own is watched without a signature', async () => {
  const question = { what: 'airport', question: { airport: 'JFK' }, webhookUrl: hookUrl }
  const { stdout } = await call('/watch/subscribe', JSON.stringify(question))
  expect(JSON.parse(stdout)).toMatchObject({
    event: 'airport.status_changed',
    answer: { airport: 'JFK' },
    receipt: { price_usdc: 0.5, charged: true },
  })
})

test('when the shop is shut, its subscribers get a signed event', async () => {
  await call('weigh', 'stop')
  await until(() => heard('endpoint.down').length === 2, 'both to be told', 60_000)
  for (const { headers, body, subscription } of heard('endpoint.down')) {
    const { secret = '' } = subscriptions.find(each => each.subscription_id === subscription) ?? {}
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      data: { url: shop, after: { state: 'down' } },
    })
  }
  const { stdout } = await call('weigh', 'heard')
  expect(stdout).toMatch(/msg_\S+ endpoint\.down \(answered 204\)/)
  const status = await get(`/weigh/status?url=${shop}`)
  expect(status).toMatchObject({ state: 'down', problem: 'server_error' })
  expect(JSON.stringify(status)).not.toContain('hooks.sample')
})

test('a kill between event and delivery loses no event, and a repeat has the same id', async () => {
  await steer('/deaf')
  await steer('/open')
  await until(() => heard('endpoint.recovered').length >= 2, 'the attempts that fail', 60_000)
  const ids = new Set(heard('endpoint.recovered').map(({ id }) => id))
  expect(ids.size).toBe(2)
  sandbox.kill('SIGKILL')
  await once(sandbox, 'exit')
  await start()
  const answered = () =>
    new Set(
      heard('endpoint.recovered')
        .filter(({ status }) => status === 204)
        .map(({ id }) => id),
    )
  await until(() => answered().size === 2, 'the events after the restart', 60_000)
  expect(answered()).toEqual(ids)
  const [{ subscription_id, secret }] = subscriptions as [Subscription]
  await until(async () => {
    // At this pace some requests are refused with 429.
    const { attempts = [] } = await post('/weigh/deliveries', { subscription_id, secret })
    return (attempts as { type: string; outcome: string }[]).some(
      ({ type, outcome }) => type === 'endpoint.recovered' && outcome === 'delivered',
    )
  }, 'the delivery to be on record')
  expect(await post('/weigh/cancel', { subscription_id, secret })).toMatchObject({ subscription_id })
  await until(() => heard('subscription.ended').length === 1, 'the end')
})

test('analysts see checks and states, and no webhook', async () => {
  const storeUrl = /http:\/\/127\.0\.0\.1:\d+(?=\/\?user=analyst)/.exec(said)?.[0] ?? ''
  const query = async (sql: string) =>
    (await fetch(`${storeUrl}/?user=analyst`, { method: 'POST', body: sql })).text()
  await until(
    async () => Number(await query("select count() from endpoint_checks where verdict = 'failed'")) > 1,
  )
  expect(await query('select state, host from endpoint_now')).toBe('up\tshop.sample\n')
  expect(await query('select type from endpoint_history order by at')).toBe(
    'endpoint.down\nendpoint.recovered\n',
  )
  const tables = await query(
    "select name from system.tables where database = 'farebox' and name like 'webhook%'",
  )
  expect(tables.trim().split('\n').sort()).toEqual(['webhook_deliveries'])
  expect(await query('select * from webhook_deliveries format JSONEachRow')).not.toContain('hooks.sample')
})
