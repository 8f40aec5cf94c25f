/** A payer of Solana without a node takes the block of the quote. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getBase58Decoder } from '@solana/kit'
import { expect, it, onTestFinished } from 'vitest'
import { readTransfer } from '../../../pipelines/domains/payments/svm/payment.ts'
import { networks } from '../../../schemas/tables/networks.ts'
import { signed } from '../../../services/client/wallet.ts'
import { payToSolana } from '../till/paying.ts'

const solanaKey = JSON.stringify([...createHash('sha256').update('a payer without a node').digest()])
const blockOf = (name: string) => getBase58Decoder().decode(createHash('sha256').update(name).digest())

const quoteWith = (recentBlockhash: string) => {
  const offer = {
    ...{ scheme: 'exact', network: networks.solana.caip2, asset: networks.solana.asset, amount: '2000' },
    ...{ payTo: payToSolana, maxTimeoutSeconds: 60 },
    extra: { feePayer: 'J9c1hSCitBwM1DJE3wEu6zj6xz5FJsvoAeD7tJdoMdcX', recentBlockhash },
  }
  return {
    quote: { x402Version: 2 as const, resource: { url: 'http://a.example' }, accepts: [offer] },
    offer,
  }
}

const transferIn = ({ payload }: { payload: object }) =>
  readTransfer(Buffer.from((payload as { transaction: string }).transaction, 'base64'))

it('and asks nobody for anything', async () => {
  const before = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = before
  })
  globalThis.fetch = () => Promise.reject(new Error('nobody is asked'))
  const { quote, offer } = quoteWith(blockOf('quoted'))
  const payment = await signed({ solanaKey }, quote, offer)
  expect(transferIn(payment)).toMatchObject({
    blockhash: blockOf('quoted'),
    mint: networks.solana.asset,
    amount: 2000n,
    signed: true,
  })
  expect(payment).toMatchObject({ accepted: offer })
})

it('who names a node takes the block of that node', async () => {
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await request.toArray()).join(''))
    asked.push(method)
    const value = { blockhash: blockOf('own'), lastValidBlockHeight: 9 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 1 }, value } }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const solanaRpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { quote, offer } = quoteWith(blockOf('quoted'))
  expect(transferIn(await signed({ solanaKey, solanaRpcUrl }, quote, offer))?.blockhash).toBe(blockOf('own'))
  expect(asked).toEqual(['getLatestBlockhash'])
})
