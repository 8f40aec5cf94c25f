import { HTTPFacilitatorClient, x402ResourceServer } from '@x402/core/server'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/server'
import { ExactSvmScheme } from '@x402/svm/exact/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { startChains } from '../../../services/sandbox/chains.ts'
import { startFacilitator } from '../../../services/sandbox/facilitator.ts'
import type { Loopback } from '../../../services/sandbox/loopback.ts'
import { openingBalance, type PlayChain } from '../../../services/sandbox/play-chain.ts'
import { payingClient } from '../../../services/sandbox/wallet.ts'

describe.each([
  ['base', 'solana'],
  ['base-sepolia', 'solana-devnet'],
  ['polygon', 'arbitrum', 'avalanche'],
] as const)('play money on %s and %s', (...names) => {
  let chains: PlayChain[]
  let facilitator: Loopback
  let server: x402ResourceServer

  beforeAll(async () => {
    chains = await startChains(names)
    facilitator = await startFacilitator(chains)
    server = new x402ResourceServer(new HTTPFacilitatorClient({ url: facilitator.url }))
      .register('eip155:*', new ExactEvmScheme())
      .register('solana:*', new ExactSvmScheme())
    await server.initialize()
  })
  afterAll(async () => {
    await facilitator?.close()
    await Promise.all((chains ?? []).map(chain => chain.close()))
  })

  const chainOf = (name: string) => chains.find(chain => chain.network === name) as PlayChain

  async function pay(chain: PlayChain): Promise<{ offer: PaymentRequirements; payment: PaymentPayload }> {
    const [offer] = await server.buildPaymentRequirements({
      scheme: 'exact',
      network: networks[chain.network].caip2,
      payTo: chain.payTo,
      price: '$0.002',
    })
    if (!offer) throw new Error('no offer')
    const required = await server.createPaymentRequiredResponse([offer], { url: 'http://shop/fx' })
    return { offer, payment: await (await payingClient(chain)).createPaymentPayload(required) }
  }

  it.each(names)('pays on %s to the last atom, and once', async name => {
    const chain = chainOf(name)
    const { offer, payment } = await pay(chain)

    expect(await server.verifyPayment(payment, offer)).toMatchObject({ isValid: true, payer: chain.payer })
    expect(await chain.balance(chain.payer)).toBe(openingBalance)
    const settled = await server.settlePayment(payment, offer)

    expect(settled).toMatchObject({ success: true, network: offer.network, payer: chain.payer })
    expect(settled.transaction).not.toBe('')
    expect(await chain.balance(chain.payer)).toBe(openingBalance - 2000n)
    expect(await chain.balance(chain.payTo)).toBe(2000n)

    expect(await server.verifyPayment(payment, offer)).toMatchObject({ isValid: false })
    await expect(server.settlePayment(payment, offer)).resolves.toMatchObject({ success: false })
    expect(await chain.balance(chain.payTo)).toBe(2000n)
  })

  it.each(names)('settles many payments at once on %s', async name => {
    const chain = chainOf(name)
    const before = await chain.balance(chain.payTo)
    const payments = await Promise.all(Array.from({ length: 8 }, () => pay(chain)))

    const settled = await Promise.all(
      payments.map(({ payment, offer }) => server.settlePayment(payment, offer)),
    )

    expect(settled.map(({ success }) => success)).not.toContain(false)
    expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(8)
    expect(await chain.balance(chain.payTo)).toBe(before + 16_000n)
  })

  it.each(names)('moves nothing on %s when the payer was drained after the verify', async name => {
    const chain = chainOf(name)
    const { offer, payment } = await pay(chain)
    expect((await server.verifyPayment(payment, offer)).isValid).toBe(true)

    await chain.drain()

    expect(await chain.balance(chain.payer)).toBe(0n)
    const before = await chain.balance(chain.payTo)
    expect(await server.settlePayment(payment, offer)).toMatchObject({ success: false })
    expect(await server.verifyPayment(payment, offer)).toMatchObject({ isValid: false })
    expect(await chain.balance(chain.payTo)).toBe(before)
  })
})
