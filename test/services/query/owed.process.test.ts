/** Real chains and a real facilitator: the answers to a payment after kills, changes and a long time. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  decodeFunctionData,
  type Hex,
  http,
  parseAbi,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { proofFor } from '../../../services/client/proof.ts'
import { defineOperation, type Operation } from '../../../services/offer/operation.ts'
import { startChains } from '../../../services/sandbox/chains.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import type { Loopback } from '../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../services/sandbox/wallet.ts'
import { openTill, type TillOptions } from '../../../services/till/open-till.ts'
import { scratchFolder } from '../../scratch.ts'
import { originOf } from '../an-origin.ts'
import { evmKey, solanaKey } from '../sandbox/running.ts'
import { echo, header, type Signed, signed } from '../till/paying.ts'
import { challengeIn } from '../till/proving.ts'
import { startStubFacilitator } from '../till/stub-facilitator.ts'
import { openTestBlobs, openTestLog, options } from '../till/till-options.ts'
import { serve } from './serve.ts'

const names = ['base', 'solana'] as const
type Name = (typeof names)[number]
const hour = 60 * 60_000
const key = { 'idempotency-key': 'the-same-key' }
const dearer = defineOperation({ ...echo, price: '0.004' })

let chains: Record<Name, PlayChain>
let facilitator: Loopback
/** The milliseconds by which the clocks of the chains are ahead. */
let chainAheadMs = 0

async function turn(ms: number): Promise<void> {
  chainAheadMs += ms
  const test = createTestClient({ mode: 'anvil', transport: http(chains.base.rpcUrl) })
  await test.increaseTime({ seconds: ms / 1000 })
  await test.mine({ blocks: ms / 2000 })
}

beforeAll(async () => {
  const [base, solana] = await startChains(names, () => Date.now() + chainAheadMs)
  chains = { base, solana } as typeof chains
  facilitator = await startFacilitator(Object.values(chains))
})
afterAll(async () => {
  await facilitator.close()
  await Promise.all(Object.values(chains).map(chain => chain.close()))
})

const config = (more: Partial<TillOptions['config']> = {}): TillOptions['config'] => ({
  facilitators: [{ url: facilitator.url }],
  payTo: names.map(name => ({ name, address: chains[name].payTo })),
  rpcUrls: Object.fromEntries(names.map(name => [name, [chains[name].rpcUrl]])),
  ...more,
})

interface Shop {
  ask(payment: Signed, more?: Asked): Promise<{ status: number; body: Record<string, unknown> }>
  pay(name: Name): Promise<Signed>
  close(): Promise<void>
}

interface Asked {
  body?: string
  headers?: Record<string, string>
}

const elsewhere = { 'x-forwarded-for': '203.0.113.9' }

async function open(
  folder: string,
  {
    operation = echo,
    aheadMs = 0,
    ...more
  }: { operation?: Operation; aheadMs?: number } & Partial<TillOptions> = {},
): Promise<Shop> {
  const [log, blobs] = await Promise.all([openTestLog(folder), openTestBlobs(folder)])
  const origins = [originOf([operation])]
  const now = () => Date.now() + chainAheadMs + aheadMs
  const till = await openTill(
    options(log, facilitator.url, {
      ...{ blobs, origins, now, config: config(), limits: { unknownMs: 4000, sweepMs: 100 } },
      ...more,
    }),
  )
  const { url, app } = await serve(till, origins, { trustProxy: true })
  const shop: Shop = {
    async ask(payment, { body = '{}', headers = {} } = {}) {
      const type = { 'content-type': 'application/json', 'payment-signature': header(payment) }
      const response = await fetch(`${url}/echo`, { method: 'POST', body, headers: { ...type, ...headers } })
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    async pay(name) {
      const quote = JSON.parse(till.quote(operation).body('payment_required', 'Pay'))
      const accepts = quote.accepts.filter(
        ({ network }: { network: string }) => network === networks[name].caip2,
      )
      const client = await payingClient(chains[name])
      const payload = await client.createPaymentPayload({ ...quote, accepts })
      return payload as unknown as Signed
    },
    async close() {
      await app.close()
      await till.close()
      await Promise.all([log.close(), blobs.close()])
    },
  }
  return shop
}

async function within<T>(shop: Promise<Shop>, work: (shop: Shop) => Promise<T>): Promise<T> {
  const opened = await shop
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}

/** Sells in a process that is killed once the money is on its way, and presents the payment to the next process. */
async function killed(folder: string): Promise<Signed> {
  const payment = await within(open(folder), shop => shop.pay('base'))
  const script = fileURLToPath(new URL('../till/crash-child.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    [script, folder, facilitator.url, JSON.stringify(payment), 'settled', 'small', JSON.stringify(config())],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  )
  const [, signal] = await once(child, 'exit')
  expect(signal).toBe('SIGKILL')
  return payment
}

describe('killed after the broadcast, and started again', () => {
  const otherPayee = () =>
    config({ payTo: [{ name: 'base', address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' }] })

  it.each<[string, () => Parameters<typeof open>[1]]>([
    ['with the same offer', () => ({})],
    ['with another price', () => ({ operation: dearer })],
    ['with another payee', () => ({ config: otherPayee() })],
    ['with a clock an hour back', () => ({ aheadMs: -hour })],
  ])('%s: the truth, and the answer', async (_, change) => {
    const folder = scratchFolder()
    const payment = await killed(folder)
    await within(open(folder, change()), async ({ ask }) => {
      for (const body of ['{"say":', '{"say":1}', '[]', '{"say":"x"}']) {
        const told = await ask(payment, { body, headers: key })
        expect([body, told.body.charged]).not.toEqual([body, false])
      }
      const stranger = await ask(payment, { headers: elsewhere })
      expect(stranger.body.charged).not.toBe(false)
      const given = await ask(payment, { headers: key })
      expect([given.status, given.body]).toMatchObject([200, { said: 'before', receipt: { charged: true } }])
    })
  })
})

const abi = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])

/** As the Go SDK of x402 signs, whatever the quote says. */
async function signedForAnHour(): Promise<Signed> {
  const [{ payTo }, now] = [chains.base, Date.now() + chainAheadMs]
  const payment = await signed({ to: payTo, validBefore: String(Math.floor(now / 1000) + 3600) })
  return { ...payment, accepted: { ...payment.accepted, payTo } }
}

/** Somebody who has seen the payment sends it to the chain. */
async function broadcast({ payload: { authorization, signature } }: Signed): Promise<string> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization as Record<string, Hex>
  const [transport, account] = [http(chains.base.rpcUrl), privateKeyToAccount(evmKey)]
  const times = [BigInt(validAfter ?? 0), BigInt(validBefore ?? 0)] as const
  const hash = await createWalletClient({ transport, account }).writeContract({
    ...{ abi, chain: null, address: networks.base.asset, functionName: 'transferWithAuthorization' },
    args: [from as Hex, to as Hex, BigInt(value ?? 0), ...times, nonce as Hex, signature as Hex],
  })
  await createPublicClient({ transport }).waitForTransactionReceipt({ hash })
  return hash
}

describe('read from the chain', () => {
  /** Reads everything about a payment that the chain shows. */
  async function readFrom(tx: string): Promise<Signed['payload']> {
    const client = createPublicClient({ transport: http(chains.base.rpcUrl) })
    const { input } = await client.getTransaction({ hash: tx as Hex })
    const { args } = decodeFunctionData({ abi, data: input })
    const [from, to, value, validAfter, validBefore, nonce, ...signed] = args
    const signature =
      signed.length === 1
        ? signed[0]
        : `${signed[1]}${signed[2].slice(2)}${signed[0].toString(16).padStart(2, '0')}`
    const times = { validAfter: String(validAfter), validBefore: String(validBefore) }
    return { signature, authorization: { from, to, value: String(value), ...times, nonce } }
  }

  it('and presented from elsewhere, it gets nothing and learns nothing', async () => {
    await within(open(scratchFolder()), async ({ pay, ask }) => {
      const payment = await pay('base')
      const sold = await ask(payment)
      const { payment_tx: tx } = sold.body.receipt as { payment_tx: string }
      const copied = { ...payment, payload: await readFrom(tx) }
      expect(copied.payload.signature.toLowerCase()).toBe(payment.payload.signature.toLowerCase())
      const told = await Promise.all(
        ['{}', '{"say":"hello"}', '{"say":"x"}'].map(body => ask(copied, { body, headers: elsewhere })),
      )
      for (const { status, body } of told) {
        expect([status, body.charged]).toEqual([409, true])
        expect(body.message).toBe(told[0]?.body.message)
        expect(JSON.stringify(body)).not.toContain('"said"')
      }
      expect((await ask(payment)).status).toBe(200)
    })
  })
})

it('a proof by a wallet of Solana is taken', async () => {
  await within(open(scratchFolder()), async ({ pay, ask }) => {
    const payment = await pay('solana')
    expect((await ask(payment)).status).toBe(200)
    const refused = await ask(payment, { headers: elsewhere })
    expect([refused.status, challengeIn(refused.body).supportedChains[0]?.type]).toEqual([409, 'ed25519'])
    const proof = await proofFor(refused.body, 'https://farebox.example/echo', { solanaKey })
    const given = await ask(payment, { headers: { ...elsewhere, 'sign-in-with-x': proof ?? '' } })
    expect(given.status).toBe(200)
  })
})

it('long after, a forgotten purchase is never called free, but a payment that never moved is', async () => {
  const bought = await within(open(scratchFolder()), ({ pay, ask }) =>
    Promise.all(
      names.map(async name => {
        const [payment, unused] = [await pay(name), await pay(name)]
        const { receipt } = (await ask(payment)).body as { receipt: { payment_tx: string } }
        return { payment, unused, tx: receipt.payment_tx }
      }),
    ),
  )
  await turn(20 * 60_000)
  // Another log and another price: no till remembers the payment.
  await within(open(scratchFolder(), { operation: dearer }), async ({ ask }) => {
    for (const { payment, unused, tx } of bought) {
      for (const body of ['{}', '{"say":', '{"say":1}']) {
        const told = await ask(payment, { body })
        expect([body, told.body.charged]).toEqual([body, true])
        expect(told.body.message).toContain(tx)
      }
      expect((await ask(unused)).body).toMatchObject({ charged: false })
    }
  })
})

describe('signed for an hour', () => {
  it('is sold', async () => {
    await within(open(scratchFolder()), async ({ ask }) => {
      expect(await ask(await signedForAnHour())).toMatchObject({ status: 200, body: { said: 'hello' } })
    })
  })

  it('refused by the facilitator, and sent by somebody forty minutes later, its answer is owed', async () => {
    const [folder, refusing] = [scratchFolder(), await startStubFacilitator()]
    Object.assign(refusing, { settle: 'refused', reason: 'insufficient_funds' })
    const shop = () => open(folder, { config: config({ facilitators: [{ url: refusing.url }] }) })
    const payment = await signedForAnHour()
    await within(shop(), async ({ ask }) => {
      expect(await ask(payment)).toMatchObject({ status: 402, body: { charged: false } })
    })
    await turn(40 * 60_000)
    const tx = await broadcast(payment)
    await within(shop(), async ({ ask }) => {
      const given = await ask(payment)
      expect(given).toMatchObject({ status: 200, body: { said: 'hello', receipt: { payment_tx: tx } } })
    })
    await refusing.close()
  })
})
