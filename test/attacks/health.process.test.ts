/**
 * Whatever strangers do at the public door, the service says at once that it is ready. LONG_FORM=1: at the largest sizes, and
 * with a bound on the longest wait.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { networks } from '../../schemas/tables/networks.ts'
import { evmClient } from '../../services/sandbox/evm-chain.ts'
import { noteOf } from '../services/sandbox/noted.ts'
import { type Attacker, attacks, sites, soldAnswers } from './health/attacks.ts'
import type { Probed } from './health/prober.ts'
import type { Held } from './health/service.ts'

const mostMs = 250
const isLong = process.env.LONG_FORM !== undefined
const folder = mkdtempSync(join(tmpdir(), 'health-'))
const server = createServer(({ headers, url = '' }, response) => {
  const [, sold] = /^\/sold\/([a-z-]+)/.exec(url) ?? []
  if (sold) return response.end(soldAnswers[sold])
  const { status = 200, type = 'text/html', body, robots } = sites[headers.host ?? ''] ?? { body: '' }
  if (url === '/robots.txt') response.writeHead(robots ? 200 : 404).end(robots)
  else response.writeHead(status, { 'content-type': type }).end(body)
})
const children: ChildProcess[] = []
let service: ChildProcess
let prober: ChildProcess
let shop: { url: string; rpcUrl: string }
const statuses: number[] = []

const run = (name: string, args: readonly string[]): ChildProcess => {
  const child = fork(fileURLToPath(new URL(`./health/${name}.ts`, import.meta.url)), args)
  children.push(child)
  return child
}
async function told<T>(child: ChildProcess): Promise<T> {
  const heard = once(child, 'message')
  child.send('tell')
  return (await heard)[0] as T
}

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  service = run('service', [folder, String(port), ...Object.keys(sites)])
  const [{ url }] = (await once(service, 'message')) as [{ url: string }]
  prober = run('prober', [url, String(service.pid)])
  const [chain] = (await noteOf(folder)).chains
  shop = { url, rpcUrl: (chain as NonNullable<typeof chain>).rpcUrl }
})
afterAll(async () => {
  for (const child of children) if (child.connected) child.disconnect()
  for (const child of children) if (child.exitCode === null) await once(child, 'exit')
  server.close().closeAllConnections()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** A wallet of its own for each attack: what one asks for nothing counts against its payer, and would keep the next one out. */
async function freshPayer(): Promise<typeof fetch> {
  const account = privateKeyToAccount(generatePrivateKey())
  const { asset, caip2 } = networks.base
  const minter = evmClient('base', shop.rpcUrl, 'refunds')
  const abi = parseAbi(['function mint(address to, uint256 value) returns (bool)'])
  const args = [account.address, 1_000_000_000n] as const
  const hash = await minter.writeContract({ address: asset, abi, functionName: 'mint', args })
  await minter.waitForTransactionReceipt({ hash })
  const client = new x402Client().setSpendControls(false).register(caip2, new ExactEvmScheme(account))
  return wrapFetchWithPayment(fetch, client)
}

/** Ever another caller, so that no limit stands between him and the service. */
function attackerOf(url: string, pay: typeof fetch): Attacker {
  let callers = 0
  async function send(by: typeof fetch, path: string, body: unknown, more: object = {}): Promise<number> {
    const caller = callers++
    const headers = {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'x-forwarded-for': `10.${caller >> 16}.${(caller >> 8) & 255}.${caller & 255}`, ...more },
    }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await by(
      url + path,
      text === undefined ? { headers } : { method: 'POST', headers, body: text },
    )
    await answer.arrayBuffer()
    statuses.push(answer.status)
    return answer.status
  }
  return {
    ask: (path, body) => send(fetch, path, body),
    paid: (path, question, key) => send(pay, path, question, key ? { 'idempotency-key': key } : {}),
  }
}

it.each(Object.entries(attacks))('is ready through %s', async (name, attack) => {
  const by = attackerOf(shop.url, await freshPayer())
  await Promise.all([told(service), told(prober)])
  statuses.length = 0
  await attack(by)
  const [held, probed] = [await told<Held>(service), await told<Probed>(prober)]
  const figures = [probed.longestMs, probed.longestOwnMs, held.heldMs, held.workedMs].map(Math.round)
  if (isLong)
    process.stdout.write(
      `\n| ${[name, probed.asked, ...figures, String([...new Set(statuses)].sort())].join(' | ')} |\n`,
    )
  expect(statuses.length).toBeGreaterThan(0)
  expect(statuses).not.toContain(500)
  expect(probed.failed).toEqual([])
  if (!isLong) return
  expect(held.heldMs).toBeLessThan(mostMs)
  expect(probed.longestOwnMs).toBeLessThan(mostMs)
})
