import { SystemProgram } from '@solana/web3.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openSvmFinder, type Sent } from '../../../../../pipelines/domains/payments/svm/finder.ts'
import {
  readTransfer,
  type TokenTransfer,
  tokenAccount,
} from '../../../../../pipelines/domains/payments/svm/payment.ts'
import { networks } from '../../../../../schemas/tables/networks.ts'
import { startFacilitator } from '../../../../../services/sandbox/facilitator.ts'
import { type Loopback, serveLoopback } from '../../../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../../../services/sandbox/solana-node.ts'
import { payingClient } from '../../../../../services/sandbox/wallet.ts'
import { payerOf, solanaInstructions, solanaTransaction } from '../../../../attacks/solana-payment.ts'
import { inVersion1 } from '../../../../attacks/solana-v1.ts'

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

  it('recognises the payment, whatever is in the place of the fee payer’s signature', async () => {
    const { bytes, transfer } = await pay()
    const other = Buffer.from(bytes)
    other.fill(7, 1, 65)
    expect(readTransfer(other)?.messageSha256).toBe(transfer.messageSha256)
  })

  it('notices an invalid signature', async () => {
    const { bytes } = await pay()
    const forged = Buffer.from(bytes)
    forged[70] = (forged[70] as number) ^ 1
    expect(readTransfer(forged)?.signed).toBe(false)
  })

  it('refuses a message that moves money more than once, or that outlives its blockhash', () => {
    const authority = payerOf('a payer').publicKey
    const nonce = SystemProgram.nonceAdvance({ noncePubkey: authority, authorizedPubkey: authority })
    const [, , transfer] = solanaInstructions('a payer')
    expect(readTransfer(solanaTransaction('a payer'))).toMatchObject({ signed: true })
    expect(readTransfer(solanaTransaction('a payer', all => [...all, transfer ?? nonce]))).toBeUndefined()
    expect(readTransfer(solanaTransaction('a payer', all => [nonce, ...all]))).toBeUndefined()
    expect(readTransfer(solanaTransaction('a payer', all => [...all, nonce]))).toBeUndefined()
  })

  it('reads version 1, which has its message first and its signatures last', () => {
    const version0 = solanaTransaction('a payer')
    const version1 = inVersion1(version0, 'a payer')
    const { messageSha256, ...same } = readTransfer(version0) as TokenTransfer
    const read = readTransfer(version1) as TokenTransfer
    expect(read).toMatchObject({ ...same, signed: true })
    expect(read.messageSha256).not.toBe(messageSha256)
    const [signer] = [version1.length - 1]
    const forged = Buffer.from(version1)
    forged[signer] = (forged[signer] as number) ^ 1
    expect(readTransfer(forged)).toMatchObject({ messageSha256: read.messageSha256, signed: false })
    for (let length = 0; length < version1.length; length++)
      expect(readTransfer(version1.subarray(0, length))).toBeUndefined()
    // A message of version 1 behind its signatures is in no layout that a node takes.
    const message = version1.subarray(0, version1.length - 128)
    expect(readTransfer(Buffer.concat([version0.subarray(0, 129), message]))).toBeUndefined()
  })

  it('survives junk', async () => {
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
    expect(await solana().find(sent, now())).toEqual({ found: true, tx: transaction, position: 2 })
    expect(await solana().find((await pay()).sent, now())).toMatchObject({ found: false })
  })

  it('knows that it is dead once its blockhash is', async () => {
    const { sent } = await pay()
    const since = now()
    aheadMs += 2 * 60_000
    expect(await solana().find(sent, since)).toEqual({ found: false, final: true, reason: 'expired' })
  })

  it('recognises our own settlement by a clock that is ten minutes ahead of the chain', async () => {
    const ahead = () => now() + 600_000
    const finder = openSvmFinder({ rpcUrls: [chain.rpcUrl], now: ahead })
    const { settle, sent } = await pay()
    const promisedAt = ahead()
    const { transaction } = await settle()
    const found = { found: true, tx: transaction, position: 2 }
    expect(await finder.find(sent, promisedAt)).toEqual(found)
    expect(await finder.find(sent, promisedAt, transaction)).toEqual(found)
    expect(await solana().find(sent, promisedAt)).toEqual(found)
  })

  it('ignores a transaction from three minutes before, and accepts one from the same second', async () => {
    const { settle, sent } = await pay()
    const { transaction } = await settle()
    const answer = await fetch(chain.rpcUrl, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTransaction', params: [transaction] }),
    })
    const { result } = (await answer.json()) as { result: { blockTime: number } }
    aheadMs += 10 * 60_000
    const edge = (result.blockTime + 180) * 1000
    for (const tx of [undefined, transaction]) {
      expect(await solana().find(sent, edge + 999, tx)).toMatchObject({ found: true })
      expect(await solana().find(sent, edge + 5000, tx)).toEqual({
        found: false,
        final: true,
        // Without a name, the list is not read that far, and the blockhash of the transaction is dead.
        reason: tx === undefined ? 'expired' : 'spent_before',
      })
    }
  })

  it('calls no transaction young by a node that has no time for its newest slot', async () => {
    const { settle, sent } = await pay()
    const { transaction } = await settle()
    const node = await serveLoopback(async ({ body }) => {
      const { id, method } = JSON.parse(body)
      if (method === 'getBlockTime') return { body: JSON.stringify({ jsonrpc: '2.0', id, result: null }) }
      return { body: await (await fetch(chain.rpcUrl, { method: 'POST', body })).text() }
    })
    onTestFinished(() => node.close())
    aheadMs += 10 * 60_000
    const { find } = openSvmFinder({ rpcUrls: [node.url], now })
    await expect(find(sent, now(), transaction)).rejects.toThrow('a slot without time')
  })

  describe('of a payer who has sent transactions of newer versions', () => {
    const blockTime = () => Math.floor(now() / 1000)

    /** A node that shows what it is asked for in the version that it has, or says that the version is above the asked one. */
    async function newer(shown: Record<string, Buffer | number>, isLive = true) {
      const node = await serveLoopback(({ body }) => {
        const { id, method, params } = JSON.parse(body)
        const answer = (more: object) => ({ body: JSON.stringify({ jsonrpc: '2.0', id, ...more }) })
        if (method === 'getSignaturesForAddress')
          return answer({
            result: Object.keys(shown).map(signature => ({ signature, err: null, blockTime: blockTime() })),
          })
        if (method === 'isBlockhashValid') return answer({ result: { context: { slot: 1 }, value: isLive } })
        const at = shown[params[0]]
        const version = typeof at === 'number' ? at : at?.[0] === 0x81 ? 1 : 0
        if (version > params[1].maxSupportedTransactionVersion) {
          const message = `Transaction version (${version}) is not supported by the requesting client.`
          return answer({ error: { code: -32015, message } })
        }
        const transaction = [(at as Buffer).toString('base64'), 'base64']
        return answer({ result: { transaction, version, blockTime: blockTime(), meta: { err: null } } })
      })
      onTestFinished(() => node.close())
      return openSvmFinder({ rpcUrls: [node.url], now })
    }
    const sentIn = (bytes: Buffer) => {
      const { source, messageSha256, blockhash } = readTransfer(bytes) as TokenTransfer
      return { source, message_sha256: messageSha256, blockhash }
    }
    const version0 = solanaTransaction('a payer')
    const version1 = inVersion1(version0, 'a payer')
    const other1 = inVersion1(solanaTransaction('another'), 'another')

    it('finds a payment of either version among them', async () => {
      const finder = await newer({ 'the newest': 2, 'a first': other1, zero: version0, one: version1 })
      expect(await finder.find(sentIn(version0), now())).toEqual({ found: true, tx: 'zero', position: 2 })
      expect(await finder.find(sentIn(version1), now())).toEqual({ found: true, tx: 'one', position: 2 })
      expect(await finder.find(sentIn(version1), now(), 'one')).toMatchObject({ found: true, tx: 'one' })
      expect(await finder.find(sentIn(version1), now(), 'the newest')).toMatchObject({ tx: 'one' })
    })

    it.each([
      ['version 0', version0],
      ['version 1', version1],
    ])('knows that one of %s is dead once its blockhash is', async (_, bytes) => {
      const finder = await newer({ 'the newest': 2, 'a first': other1 }, false)
      const sent = sentIn(bytes)
      expect(await finder.find(sent, now())).toEqual({ found: false, final: false, reason: 'not_seen' })
      const dead = { found: false, final: true, reason: 'expired' }
      expect(await finder.find(sent, now() - 2 * 60_000)).toEqual(dead)
    })
  })

  describe('of a payer whose account got 2,000 grains of dust', () => {
    const grains = 2000

    /** A node that lists the dust before and after the payment. */
    async function dusty(bytes: Buffer) {
      let calls = 0
      const dust = (from: number, to: number) =>
        Array.from({ length: to - from }, (_, i) => ({
          signature: `dust${from + i}`,
          err: null,
          blockTime: Math.floor(now() / 1000),
        }))
      const node = await serveLoopback(async ({ body }) => {
        calls++
        const { id, method, params } = JSON.parse(body)
        const answer = (result: unknown) => ({ body: JSON.stringify({ jsonrpc: '2.0', id, result }) })
        if (method === 'getTransaction' && params[0].startsWith('dust'))
          return answer({
            transaction: [bytes.toString('base64'), 'base64'],
            blockTime: null,
            meta: { err: null },
          })
        const asked = method === 'getSignaturesForAddress' ? [params[0], { limit: 1000 }] : params
        const heard = await fetch(chain.rpcUrl, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id, method, params: asked }),
        })
        const said = (await heard.json()) as { result: { signature: string }[] }
        if (method !== 'getSignaturesForAddress') return answer(said.result)
        const all = [...dust(0, grains / 2), ...said.result, ...dust(grains / 2, grains)]
        const start = all.findIndex(({ signature }) => signature === params[1].before) + 1
        return answer(all.slice(start, start + params[1].limit))
      })
      onTestFinished(() => node.close())
      const finder = openSvmFinder({ rpcUrls: [node.url], now })
      /** Looks until there is a result. Returns it, the number of looks, and the most calls of one look. */
      async function ended(sent: Sent, since: number) {
        let most = 0
        for (let looks = 1; ; looks++) {
          calls = 0
          const said = await finder.find(sent, since)
          most = Math.max(most, calls)
          if (said.found || said.final || looks === 2 * grains) return { said, looks, most }
        }
      }
      return ended
    }

    it('finds it, in cheap looks', async () => {
      const other = await pay()
      const { settle, sent } = await pay()
      const { transaction } = await settle()
      const { said, looks, most } = await (await dusty(other.bytes))(sent, now())
      expect(said).toEqual({ found: true, tx: transaction, position: 2 })
      expect([looks < 30, most <= 62]).toEqual([true, true])
    })

    it('says so when it is dead', async () => {
      const other = await pay()
      const { sent } = await pay()
      const since = now()
      aheadMs += 2 * 60_000
      const { said, looks, most } = await (await dusty(other.bytes))(sent, since)
      expect(said).toEqual({ found: false, final: true, reason: 'expired' })
      expect([looks < 50, most <= 62]).toEqual([true, true])
    })
  })

  it('rejects, and does not guess, if no node answers', async () => {
    const { sent } = await pay()
    const nobody = openSvmFinder({ rpcUrls: ['http://127.0.0.1:9'], now })
    await expect(nobody.find(sent, now())).rejects.toThrow(/no Solana node answers/)
  })
})
