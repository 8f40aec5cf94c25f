/** Our own facilitator as others see it: x402's own client and server ask it. */
import { text } from 'node:stream/consumers'
import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SettleCost, settleCosts } from '../../../../schemas/settle-costs.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { startChains } from '../../../../services/sandbox/chains.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../../services/sandbox/wallet.ts'
import { EvmSettler } from '../../../../services/till/settle/evm-settler.ts'
import { type SettleServer, serveSettling } from '../../../../services/till/settle/server.ts'
import { SvmSettler } from '../../../../services/till/settle/svm-settler.ts'
import { OwnTerms } from '../../../../services/till/settle/terms.ts'
import { startUpstream } from '../../../upstream.ts'
import { settling } from './bench.ts'

const names = ['base', 'solana'] as const
let chains: Record<(typeof names)[number], PlayChain>
let own: SettleServer
let server: x402ResourceServer
const costs: SettleCost[] = []
const spent = (cost: SettleCost) => void costs.push(cost)

beforeAll(async () => {
  const [base, solana] = (await startChains(names)) as [PlayChain, PlayChain]
  chains = { base, solana }
  own = await serveSettling({
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    settlers: [
      await EvmSettler.open('base', settling(base, { spent })),
      await SvmSettler.open('solana', settling(solana, { spent })),
    ],
    terms: new OwnTerms(
      names.map(name => ({ name, address: chains[name].payTo })),
      [{ origin: 'testing', path: '/echo', price: '0.002' }],
    ),
    onError: () => {},
  })
  server = new x402ResourceServer(new HTTPFacilitatorClient({ url: own.url }))
    .register('eip155:*', new ExactEvmScheme())
    .register('solana:*', new ExactSvmScheme())
  await server.initialize()
})
afterAll(async () => {
  await own?.close()
  await Promise.all(Object.values(chains ?? {}).map(chain => chain.close()))
})

async function pay(chain: PlayChain, change: Partial<{ payTo: string; price: string }> = {}) {
  const [offer] = await server.buildPaymentRequirements({
    scheme: 'exact',
    network: networks[chain.network].caip2,
    payTo: chain.payTo,
    price: '$0.002',
    maxTimeoutSeconds: 60,
    ...change,
  })
  const required = await server.createPaymentRequiredResponse([offer as PaymentRequirements], {
    url: 'http://shop/fx',
  })
  const payment: PaymentPayload = await (await payingClient(chain)).createPaymentPayload(required)
  return { offer: offer as PaymentRequirements, payment }
}

const unitsIn = (coins: string, name: string): bigint => {
  const [whole = '0', fraction = ''] = coins.split('.')
  return BigInt(whole + fraction.padEnd(name === 'base' ? 18 : 9, '0'))
}

async function coinsOf({ network, rpcUrl }: PlayChain, key: string): Promise<bigint> {
  const [method, params] = network === 'base' ? ['eth_getBalance', [key, 'latest']] : ['getBalance', [key]]
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
  const { result } = (await answer.json()) as { result: string | { value: number } }
  return BigInt(typeof result === 'string' ? result : result.value)
}

describe.each(names)('on %s', name => {
  it('verifies, settles to the last atom, and once', async () => {
    const chain = chains[name]
    const before = await chain.balance(chain.payTo)
    const { offer, payment } = await pay(chain)
    expect(await server.verifyPayment(payment, offer)).toMatchObject({ isValid: true })
    expect(await chain.balance(chain.payTo)).toBe(before)
    const settled = await server.settlePayment(payment, offer)
    expect(settled).toMatchObject({ success: true, network: offer.network, transaction: expect.any(String) })
    expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
    // The same payment again is the same settlement.
    expect(await server.settlePayment(payment, offer)).toMatchObject({ transaction: settled.transaction })
    expect(await chain.balance(chain.payTo)).toBe(before + 2000n)
  })

  it('settles nothing but what we quote', async () => {
    const chain = chains[name]
    const before = await chain.balance(chain.payTo)
    const dear = await pay(chain, { price: '$0.003' })
    const elsewhere = await pay(chain, { payTo: name === 'base' ? `0x${'12'.repeat(20)}` : chain.payer })
    for (const { offer, payment } of [dear, elsewhere]) {
      expect(await server.verifyPayment(payment, offer)).toMatchObject({
        ...{ isValid: false, invalidReason: 'invalid_payment_requirements' },
      })
      expect(await server.settlePayment(payment, offer)).toMatchObject({ success: false, transaction: '' })
    }
    // Words that lie about the payment help nobody: it is read again.
    const { offer } = await pay(chain)
    expect(await server.settlePayment(dear.payment, offer)).toMatchObject({ success: false, transaction: '' })
    expect(await chain.balance(chain.payTo)).toBe(before)
  })

  it('settles many at once', async () => {
    const chain = chains[name]
    const before = await chain.balance(chain.payTo)
    const payments = await Promise.all(Array.from({ length: 8 }, () => pay(chain)))
    const settled = await Promise.all(
      payments.map(({ payment, offer }) => server.settlePayment(payment, offer)),
    )
    expect(settled.map(({ success }) => success)).not.toContain(false)
    expect(await chain.balance(chain.payTo)).toBe(before + 16_000n)
  })

  it('says what each transaction has cost, to the last unit of the key that paid', async () => {
    const chain = chains[name]
    const supported = await fetch(`${own.url}/supported`)
    const { signers } = (await supported.json()) as { signers: Record<string, string[]> }
    const [key] = signers[networks[name].caip2] as [string]
    const held = () => coinsOf(chain, key)
    const [before, told] = [await held(), costs.length]
    const payments = await Promise.all(Array.from({ length: 3 }, () => pay(chain)))
    await Promise.all(payments.map(({ payment, offer }) => server.settlePayment(payment, offer)))
    const found = costs.slice(told)
    expect(found.reduce((sum, { transfers }) => sum + transfers, 0)).toBe(3)
    for (const cost of found) {
      expect(settleCosts.event.safeParse(cost).error).toBeUndefined()
      expect(cost).toMatchObject({ network: networks[name].receipt, tx: expect.any(String) })
      expect(cost.key.toLowerCase()).toBe(key.toLowerCase())
    }
    expect(found.reduce((sum, { coins }) => sum + unitsIn(coins, name), 0n)).toBe(before - (await held()))
  })

  it('says for sure that nothing moves before anything was sent', async () => {
    const chain = chains[name]
    const { offer, payment } = await pay(chain)
    const held = await chain.balance(chain.payer)
    expect(await server.verifyPayment(payment, offer)).toMatchObject({ isValid: true })
    await chain.drain()
    const reason = expect.stringMatching(/insufficient/)
    expect(await server.verifyPayment(payment, offer)).toMatchObject({
      isValid: false,
      invalidReason: reason,
    })
    expect(await server.settlePayment(payment, offer)).toMatchObject({
      ...{ success: false, transaction: '', errorReason: reason },
    })
    await chain.fund(held)
  })
})

it('pays the fee of a Solana payment that fails once, and no further one of its payer', async () => {
  const { solana } = chains
  const held = await solana.balance(solana.payer)
  let isEmptied = false
  // It passes each look, and its money is gone when it lands.
  const node = await startUpstream(async (request, response) => {
    const body = await text(request)
    if (!isEmptied && body.includes('"sendTransaction"')) {
      isEmptied = true
      await solana.drain()
    }
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    response.end(await (await fetch(solana.rpcUrl, asked)).text())
  })
  const settler = await SvmSettler.open('solana', settling(solana, { rpcUrls: [node.url] }))
  const spendOf = async () => {
    const { offer, payment } = await pay(solana)
    return settler.check(payment.payload, { ...offer, scheme: 'exact' } as never)
  }
  expect(await settler.settle(await spendOf())).toMatchObject({
    ...{ success: false, transaction: expect.stringMatching(/./) },
  })
  await solana.fund(held)
  const next = await spendOf()
  expect(await settler.obstacle(next)).toBe('settlement_not_sent')
  expect(await settler.settle(next)).toEqual({
    ...{ success: false, transaction: '', errorReason: 'settlement_not_sent' },
  })
  await settler.close()
})

it('answers who knows the token, and junk with a no', async () => {
  const terms = new OwnTerms([], [])
  const closed = await serveSettling({
    ...{ host: '127.0.0.1', port: 0, token: 'secret', settlers: [], terms, onError: () => {} },
  })
  const ask = (path: string, init: RequestInit = {}, token = 'secret') =>
    fetch(closed.url + path, { ...init, headers: { authorization: `Bearer ${token}` } })
  expect((await ask('/supported', {}, 'guess')).status).toBe(401)
  expect((await fetch(`${closed.url}/supported`)).status).toBe(401)
  expect(await (await ask('/supported')).json()).toEqual({ kinds: [], extensions: [], signers: {} })
  for (const body of ['', 'null', '[]', 'x'.repeat(70_000)])
    expect((await ask('/settle', { method: 'POST', body })).status).toBe(400)
  expect(await (await ask('/settle', { method: 'POST', body: '{}' })).json()).toMatchObject({
    ...{ success: false, transaction: '', errorReason: 'invalid_payload' },
  })
  expect((await ask('/elsewhere')).status).toBe(404)
  await closed.close()
})
