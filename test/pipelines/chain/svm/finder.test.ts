import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSvmFinder } from '../../../../pipelines/chain/svm/finder.ts'
import { readTransfer, type TokenTransfer, tokenAccount } from '../../../../pipelines/chain/svm/payment.ts'
import { networks } from '../../../../schemas/networks.ts'
import { startFacilitator } from '../../../../services/sandbox/facilitator.ts'
import type { Loopback } from '../../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../../services/sandbox/solana-node.ts'
import { payingClient } from '../../../../services/sandbox/wallet.ts'

const { asset, caip2 } = networks.solana
let aheadMs = 0
const now = () => Date.now() + aheadMs
let chain: PlayChain
let facilitator: Loopback
let feePayer: string

beforeAll(async () => {
  chain = await startSolanaChain('solana', now)
  facilitator = await startFacilitator([chain])
  const { kinds } = (await (await fetch(`${facilitator.url}/supported`)).json()) as {
    kinds: { extra: { feePayer: string } }[]
  }
  feePayer = kinds[0]?.extra.feePayer as string
})
afterAll(async () => {
  await facilitator.close()
  await chain.close()
})

/** A payment that x402's own client signs. */
async function pay() {
  const client = await payingClient(chain)
  const offer = {
    scheme: 'exact',
    network: caip2,
    amount: '2000',
    asset,
    payTo: chain.payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer },
  }
  const resource = { url: 'https://farebox.example/echo', description: 'Echo', mimeType: 'application/json' }
  const payment = await client.createPaymentPayload({ x402Version: 2, resource, accepts: [offer] } as never)
  const bytes = Buffer.from((payment.payload as { transaction: string }).transaction, 'base64')
  const transfer = readTransfer(bytes) as TokenTransfer
  const settle = async () => {
    const response = await fetch(`${facilitator.url}/settle`, {
      method: 'POST',
      body: JSON.stringify({ x402Version: 2, paymentPayload: payment, paymentRequirements: offer }),
    })
    return (await response.json()) as { success: boolean; transaction: string }
  }
  const sent = {
    source: transfer.source,
    message_sha256: transfer.messageSha256,
    blockhash: transfer.blockhash,
  }
  return { bytes, transfer, settle, sent }
}

describe('reading a transaction', () => {
  it("finds the transfer in what x402's client signs", async () => {
    const { transfer } = await pay()
    expect(transfer).toMatchObject({
      feePayer,
      payer: chain.payer,
      source: tokenAccount(chain.payer, asset),
      destination: tokenAccount(chain.payTo, asset),
      mint: asset,
      amount: 2000n,
      signed: true,
    })
  })

  it('knows the payment again, whatever stands in the place of the fee payer’s signature', async () => {
    const { bytes, transfer } = await pay()
    const other = Buffer.from(bytes)
    other.fill(7, 1, 65)
    expect(readTransfer(other)?.messageSha256).toBe(transfer.messageSha256)
  })

  it('sees that a signature does not hold', async () => {
    const { bytes } = await pay()
    const forged = Buffer.from(bytes)
    forged[70] = (forged[70] as number) ^ 1
    expect(readTransfer(forged)?.signed).toBe(false)
  })

  it('is not upset by junk', async () => {
    const { bytes } = await pay()
    for (let length = 0; length < bytes.length; length += 7)
      expect(readTransfer(bytes.subarray(0, length))?.signed ?? false).toBe(false)
    for (let i = 0; i < bytes.length; i++) {
      const changed = Buffer.from(bytes)
      changed[i] = 0xff
      expect(() => readTransfer(changed)).not.toThrow()
    }
  })
})

describe('looking for a transfer', () => {
  const solana = () => openSvmFinder({ rpcUrls: ['http://127.0.0.1:9', chain.rpcUrl], now })

  it('finds it by its message, under the transaction id that the fee payer signed', async () => {
    const { settle, sent } = await pay()
    expect(await solana().find(sent, now())).toEqual({ found: false, final: false, reason: 'not_seen' })
    const { success, transaction } = await settle()
    expect(success).toBe(true)
    expect(await solana().find(sent, now())).toEqual({ found: true, tx: transaction })
    expect(await solana().find((await pay()).sent, now())).toMatchObject({ found: false })
  })

  it('knows that it is dead once its blockhash is', async () => {
    const { sent } = await pay()
    const since = now()
    aheadMs += 2 * 60_000
    expect(await solana().find(sent, since)).toEqual({ found: false, final: true, reason: 'expired' })
  })

  it('rejects rather than guesses where no node answers', async () => {
    const { sent } = await pay()
    const nobody = openSvmFinder({ rpcUrls: ['http://127.0.0.1:9'], now })
    await expect(nobody.find(sent, now())).rejects.toThrow(/no Solana node answers/)
  })
})
