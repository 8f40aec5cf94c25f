import { address } from '@solana/kit'
import { Connection, PublicKey } from '@solana/web3.js'
import type { PaymentRequirements } from '@x402/core/types'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSvmChain } from '../../../pipelines/domains/chain/svm/reader.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { solanaSigner } from '../../../services/sandbox/keys.ts'
import type { PlayChain } from '../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../services/sandbox/solana-node.ts'
import { usdcAccount } from '../../../services/sandbox/solana-token.ts'
import { payerBalance, payingClient } from '../../../services/sandbox/wallet.ts'

const { asset, caip2 } = networks.solana

let now: number
let chain: PlayChain
let connection: Connection
let facilitator: ReturnType<typeof toFacilitatorSvmSigner>
let feePayer: string

beforeEach(async () => {
  now = Date.parse('2026-11-20T12:00:00Z')
  chain = await startSolanaChain('solana', () => now)
  connection = new Connection(chain.rpcUrl, 'confirmed')
  const signer = await solanaSigner('facilitator')
  feePayer = signer.address
  facilitator = toFacilitatorSvmSigner(signer, { defaultRpcUrl: chain.rpcUrl })
})
afterEach(() => chain.close())

/** Makes a payment with the signatures of a client and a facilitator. */
async function signedPayment(): Promise<string> {
  const offer: PaymentRequirements = {
    scheme: 'exact',
    network: caip2,
    asset,
    amount: '2000',
    payTo: chain.payTo,
    maxTimeoutSeconds: 60,
    extra: { feePayer },
  }
  const client = await payingClient(chain)
  const { payload } = await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'http://shop/fx' },
    accepts: [offer],
  })
  return facilitator.signTransaction(String(payload.transaction), address(feePayer), caip2)
}

const tillAccount = async () => new PublicKey(await usdcAccount(address(chain.payTo), address(asset)))

it('shows a payment to anybody who looks for it, as a node does', async () => {
  const signature = await facilitator.sendTransaction(await signedPayment(), caip2)
  await facilitator.confirmTransaction(signature, caip2)

  const [found] = await connection.getSignaturesForAddress(await tillAccount(), { limit: 10 })
  expect(found).toMatchObject({ signature, err: null, confirmationStatus: 'finalized' })
  const seen = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 })
  expect(seen?.blockTime).toBe(now / 1000)
  expect(seen?.meta).toMatchObject({ err: null, fee: 10_001 })
  const moved = (owner: string) =>
    [seen?.meta?.preTokenBalances, seen?.meta?.postTokenBalances].map(
      held => held?.find(balance => balance.owner === owner)?.uiTokenAmount.amount,
    )
  expect(moved(chain.payer)).toEqual(['1000000000', '999998000'])
  expect(moved(chain.payTo)).toEqual(['0', '2000'])
  expect((await connection.getTokenAccountBalance(await tillAccount())).value.amount).toBe('2000')
  expect(await payerBalance(chain)).toBe(await chain.balance(chain.payer))

  expect(await connection.getSignaturesForAddress(await tillAccount(), { until: signature })).toEqual([])
  expect(await connection.getSignaturesForAddress(await tillAccount(), { before: signature })).toEqual([])
})

it('lets a transaction die with its blockhash', async () => {
  const transaction = await signedPayment()
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash()
  now += 61_000

  expect(await connection.getBlockHeight()).toBeGreaterThan(lastValidBlockHeight)
  expect((await connection.isBlockhashValid(blockhash)).value).toBe(false)
  await expect(facilitator.simulateTransaction(transaction, caip2)).rejects.toThrow('BlockhashNotFound')
  const signature = await facilitator.sendTransaction(transaction, caip2)
  expect((await connection.getSignatureStatuses([signature])).value).toEqual([null])
  expect(await chain.balance(chain.payTo)).toBe(0n)
})

it('takes a message once', async () => {
  const transaction = await signedPayment()
  await facilitator.sendTransaction(transaction, caip2)
  await expect(facilitator.simulateTransaction(transaction, caip2)).rejects.toThrow('AlreadyProcessed')
  await facilitator.sendTransaction(transaction, caip2)
  expect(await chain.balance(chain.payTo)).toBe(2000n)
})

it('tells the reader of chains what a transaction moved, and what a failed one cost', async () => {
  const reader = openSvmChain({ chain: 'solana', urls: [chain.rpcUrl], perSecond: 1000, now: () => now })
  const signature = await facilitator.sendTransaction(await signedPayment(), caip2)
  now += 4000
  expect(await reader.tx(signature)).toMatchObject({
    chain: 'solana',
    hash: signature,
    status: 'success',
    block_time: '2026-11-20T12:00:00.000Z',
    confirmations: 10,
    finalized: true,
    from: feePayer,
    to: null,
    value: '0',
    fee: '0.000010001',
    method: expect.stringContaining('spl-token'),
    transfers: [
      {
        standard: 'spl',
        token: asset,
        symbol: 'USDC',
        from: chain.payer,
        to: chain.payTo,
        amount: '0.002',
        raw: '2000',
      },
    ],
    revert_reason: null,
  })

  const poor = await signedPayment()
  await chain.drain()
  const failed = await facilitator.sendTransaction(poor, caip2)
  expect(await reader.tx(failed)).toMatchObject({
    status: 'failed',
    fee: '0.000010001',
    transfers: [],
    revert_reason: expect.stringMatching(/Custom.*(insufficient|failed)/i),
    note: expect.stringContaining('pays its fee'),
  })
  const never = `${signature.startsWith('2') ? 3 : 2}${signature.slice(1)}`
  expect(await reader.tx(never)).toMatchObject({
    refused: 'unknown_transaction',
    because: expect.stringContaining(never),
  })
  expect(await reader.tx(asset)).toMatchObject({ because: expect.stringContaining('64 bytes') })
})

it('lands a failed transaction, with its error', async () => {
  const transaction = await signedPayment()
  await chain.drain()
  const signature = await facilitator.sendTransaction(transaction, caip2)

  const err = { InstructionError: [2, { Custom: 1 }] }
  expect((await connection.getSignatureStatuses([signature])).value[0]).toMatchObject({ err })
  expect(await connection.getSignaturesForAddress(await tillAccount())).toMatchObject([{ signature, err }])
})

it('refuses a transaction whose signatures do not hold', async () => {
  const bytes = Buffer.from(await signedPayment(), 'base64')
  bytes[1 + 64] = (bytes[1 + 64] ?? 0) ^ 1
  await facilitator.sendTransaction(bytes.toString('base64'), caip2).catch(() => undefined)
  expect(await chain.balance(chain.payTo)).toBe(0n)
})

it('tells a client that nobody pays for priority', async () => {
  const lockedWritableAccounts = [await tillAccount()]
  expect(await connection.getRecentPrioritizationFees({ lockedWritableAccounts })).toEqual([
    { slot: await connection.getSlot(), prioritizationFee: 0 },
  ])
})

it('names a call that it does not know', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'getInflationRate', params: [] })
  const response = await fetch(chain.rpcUrl, { method: 'POST', body })
  expect(await response.json()).toMatchObject({
    id: 7,
    error: { code: -32601, message: expect.stringContaining('getInflationRate') },
  })
})
