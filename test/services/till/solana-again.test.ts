/** A payment on Solana says nothing of its end. So the memory and the chain are asked before each first sale of it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ed25519 } from '@noble/curves/ed25519'
import { expect, it, onTestFinished } from 'vitest'
import { payerOf, solanaPayment, solanaTransaction } from '../../attacks/solana-payment.ts'
import { until } from '../../until.ts'
import { header, type Signed } from './paying.ts'
import { challengeOf, proofOf } from './proving.ts'
import { type Bench, failure, openBench, options } from './tills.ts'

interface Node {
  url: string
  isLive: boolean
  landed: Buffer | undefined
  asked: string[]
}

/** As much of a node as tells whether a message lives, and what its payer has sent. */
async function startNode(): Promise<Node> {
  const node: Node = { url: '', isLive: true, landed: undefined, asked: [] }
  const blockTime = Math.floor(Date.now() / 1000)
  const results: Record<string, () => unknown> = {
    isBlockhashValid: () => ({ context: { slot: 1 }, value: node.isLive }),
    getSignaturesForAddress: () => (node.landed ? [{ signature: 'landed', err: null, blockTime }] : []),
    getTransaction: () =>
      node.landed && {
        transaction: [node.landed.toString('base64'), 'base64'],
        blockTime,
        meta: { err: null },
      },
  }
  const server = createServer(async (request, response) => {
    const { id, method } = JSON.parse((await request.toArray()).join(''))
    // The quote asks for a block now and then, for no payment.
    if (method !== 'getLatestBlockhash') node.asked.push(method)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.() ?? null }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return node
}

const turn = { aheadMs: 0 }
async function openOnSolana(node?: Node): Promise<Bench> {
  turn.aheadMs = 0
  const more = { now: () => Date.now() + turn.aheadMs, limits: { sweepMs: 10 } }
  const bench = await openBench(more)
  const { config } = options(bench.log, bench.facilitator.url)
  if (node) await bench.restart({ config: { ...config, rpcUrls: { ...config.rpcUrls, solana: [node.url] } } })
  return bench
}

async function soldAndForgotten(bench: Bench, payment: Signed): Promise<void> {
  const first = await bench.buy(payment)
  first.delivered(true)
  await until(() => {
    turn.aheadMs += 60_000
    return !bench.till.knows(bench.till.decode(header(payment)))
  }, 'the purchase to be forgotten')
}

const again = { question: '{"say":"another"}', caller: 'a stranger' }
const forged = (seed: string) => {
  const transaction = solanaTransaction(seed)
  return { transaction, payment: solanaPayment(transaction) as never as Signed }
}

it('what was sold and forgotten buys no second answer, though the facilitator calls it settled once more', async () => {
  const bench = await openOnSolana()
  const { payment } = forged('memory')
  await soldAndForgotten(bench, payment)
  await expect(bench.buy(payment, again)).rejects.toMatchObject({ code: 'payment_already_used' })
  expect(bench.runs).toBe(1)
})

it('nor where only the chain remembers it', async () => {
  const node = await startNode()
  const bench = await openOnSolana(node)
  const { payment, transaction } = forged('chain')
  Object.assign(node, { isLive: false, landed: transaction })
  await expect(bench.buy(payment, again)).rejects.toMatchObject({ code: 'payment_already_used' })
  expect(bench.runs).toBe(0)
})

it('nor where the chain is silent, once the memory has forgotten anything', async () => {
  const bench = await openOnSolana()
  await soldAndForgotten(bench, forged('one').payment)
  await expect(bench.buy(forged('another').payment, again)).rejects.toMatchObject({
    code: 'payment_unknown',
    charged: null,
  })
  expect(bench.runs).toBe(1)
})

it('a message whose blockhash is dead, and which never landed, is expired and free', async () => {
  const node = await startNode()
  const bench = await openOnSolana(node)
  node.isLive = false
  await expect(bench.buy(forged('dead').payment)).rejects.toMatchObject({
    code: 'payment_expired',
    charged: false,
  })
  expect(bench.runs + bench.facilitator.calls.settle).toBe(0)
})

it('beside any error, what only the chain remembers is charged', async () => {
  const node = await startNode()
  const bench = await openOnSolana(node)
  const word = ({ payment }: ReturnType<typeof forged>, caller = 'a stranger') =>
    bench.till.recalled(bench.till.decode(header(payment)), caller)
  const landed = forged('recalled')
  expect(await word(landed)).toBe(false)
  expect(node.asked).toEqual(['isBlockhashValid'])
  Object.assign(node, { isLive: false, landed: landed.transaction })
  expect(await word(landed)).toEqual({ tx: 'landed' })
  expect(await word(forged('never landed'))).toBe(false)
})

it('beside any error, nobody says that it is free while the node is silent', async () => {
  const bench = await openOnSolana()
  const { payment } = forged('silence')
  expect(await bench.till.recalled(bench.till.decode(header(payment)), 'a stranger')).toBe(null)
})

it('a caller’s dead messages are looked at ten times in a minute, and no further one is sold', async () => {
  const node = await startNode()
  const bench = await openOnSolana(node)
  node.isLive = false
  const codes: string[] = []
  for (let nth = 0; nth < 12; nth++)
    codes.push(await bench.buy(forged(`dead ${nth}`).payment, again).catch(({ code }) => code))
  expect(codes).toEqual([...Array(10).fill('payment_expired'), ...Array(2).fill('payment_unknown')])
  const another = bench.buy(forged('of another').payment, { caller: 'another' })
  await expect(another).rejects.toThrow(failure('payment_expired'))
  expect(bench.runs + bench.facilitator.calls.settle).toBe(0)
})

it('what was lost is given again to a proof by the account that paid, and to no other', async () => {
  const bench = await openOnSolana()
  const { payment } = forged('payer')
  ;(await bench.buy(payment)).delivered(false)
  const signerOf = (seed: string) => {
    const { publicKey, secretKey } = payerOf(seed)
    return {
      publicKey: publicKey.toBase58(),
      signMessage: async (text: Uint8Array) => ed25519.sign(text, secretKey.subarray(0, 32)),
    }
  }
  const challenge = await challengeOf(bench.buy(payment, again))
  const theirs = { caller: 'elsewhere', proof: await proofOf(challenge, signerOf('another')) }
  await expect(bench.buy(payment, theirs)).rejects.toThrow(failure('payment_already_used'))
  const mine = { caller: 'elsewhere', proof: await proofOf(challenge, signerOf('payer')) }
  expect((await bench.buy(payment, mine)).replayed).toBe(true)
})

it('a message that lives is sold after one question to the chain', async () => {
  const node = await startNode()
  const bench = await openOnSolana(node)
  const sold = await bench.buy(forged('alive').payment)
  expect(sold.replayed).toBe(false)
  expect(node.asked).toEqual(['isBlockhashValid'])
})
