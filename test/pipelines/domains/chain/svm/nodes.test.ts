/** Nodes that fail, each in its own way. None of their data gets into an answer. */
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { usdcMint, wrappedSol } from '../../../../../pipelines/domains/chain/svm/programs.ts'
import { openSvmChain } from '../../../../../pipelines/domains/chain/svm/reader.ts'
import { UpstreamFailed } from '../../../../../pipelines/rails/failures.ts'
import { layMarket } from '../../../../../services/sandbox/solana-market.ts'
import { type Solana, startSolana } from './solana.ts'

let healthy: Solana
beforeAll(async () => {
  healthy = await startSolana()
  layMarket(healthy.chain)
})
afterAll(() => healthy.close())

type Reply = { result: { context: { slot: number }; value: unknown[] } }
const changed = (change: (result: Reply['result']) => void) => (_: unknown, would: () => unknown) => {
  const reply = JSON.parse(
    JSON.stringify(would(), (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  )
  if (Array.isArray(reply.result?.value)) change(reply.result)
  return reply
}

const failures = {
  'of another network': [changed(({ value }) => value.splice(1, 1, null)), `USDC is not at ${usdcMint}`],
  'that truncates': [changed(({ value }) => value.pop()), 'accounts'],
  'that cannot date its accounts': [changed(({ value }) => value.splice(0, 1, null)), 'cannot date'],
  'that garbles an account': [
    changed(({ value }) => value.splice(1, 1, { ...(value[1] as object), data: ['AAAA', 'base64+zstd'] })),
    '127.0.0.1',
  ],
  'that refuses the call': [
    () => ({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'not on this plan' } }),
    'not on this plan',
  ],
  'that is out of order': [
    () => ({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'node is behind' } }),
    'node is behind',
  ],
} as const

it.for(Object.entries(failures))('a node %s fails', async ([, [answer, said]]) => {
  const node = await startSolana({ answer })
  onTestFinished(() => node.close())
  const asked = node.reader.token(wrappedSol)
  await expect(asked).rejects.toThrow(UpstreamFailed)
  await expect(asked).rejects.toThrow(said)
})

it('a transaction with one confirmation is pending', async () => {
  const node = await startSolana({
    answer: ({ method }, would) =>
      method === 'getSignatureStatuses'
        ? {
            result: {
              context: { slot: 9 },
              value: [{ slot: 9, confirmations: 0, confirmationStatus: 'processed' }],
            },
          }
        : would(),
  })
  onTestFinished(() => node.close())
  expect(await node.reader.tx('1'.repeat(64))).toMatchObject({
    status: 'pending',
    tx_block: null,
    fee: null,
    finalized: false,
    transfers: [],
  })
})

it("the reason of a failure is the program's own message", async () => {
  const transaction = {
    slot: 7,
    blockTime: 1_700_000_000,
    meta: {
      err: { InstructionError: [3, { Custom: 6001 }] },
      fee: 5000,
      logMessages: [
        'Program log: Instruction: Route',
        'Program log: AnchorError thrown. Error Number: 6001. Error Message: Slippage tolerance exceeded.',
        'Program JUP6 failed: custom program error: 0x1771',
      ],
    },
    transaction: { signatures: [], message: { accountKeys: [{ pubkey: usdcMint }], instructions: [] } },
  }
  const node = await startSolana({
    answer: ({ method }, would) => (method === 'getTransaction' ? { result: transaction } : would()),
  })
  onTestFinished(() => node.close())
  expect(await node.reader.tx('1'.repeat(64))).toMatchObject({
    status: 'failed',
    from: usdcMint,
    fee: '0.000005',
    revert_reason: expect.stringMatching(/6001.*Slippage tolerance exceeded/),
  })
})

it('a node that lags fails, and the next one is asked', async () => {
  const [lagging, ahead] = [await startSolana(), Date.now() + 120_000]
  onTestFinished(() => lagging.close())
  const options = { chain: healthy.reader.chain as 'solana', perSecond: 1000 }
  const late = openSvmChain({ ...options, urls: [lagging.url], now: () => ahead })
  await expect(late.token(wrappedSol)).rejects.toThrow(/newest slot of the node is 1\d\d s old/)
})

it('asks the next node if the first is dead, and names the one that answered', async () => {
  const options = { chain: healthy.reader.chain as 'solana', perSecond: 1000, now: Date.now }
  const reader = openSvmChain({
    ...options,
    urls: ['http://127.0.0.1:1', healthy.url.replace('127.0.0.1', 'localhost')],
  })
  expect(await reader.price(wrappedSol)).toMatchObject({ price_usd: '150', source: 'localhost' })
  const nobody = openSvmChain({ ...options, urls: ['http://user:secret@127.0.0.1:1/key'] })
  await expect(nobody.price(wrappedSol)).rejects.toThrow(UpstreamFailed)
  await expect(nobody.price(wrappedSol)).rejects.not.toThrow(/secret|key/)
})
