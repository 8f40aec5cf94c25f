/** What a second node of Solana says of the first: a lie is refused, and what nobody can tell is told. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { usdcMint } from '../../../../pipelines/domains/chain/svm/programs.ts'
import { openSvmChain } from '../../../../pipelines/domains/chain/svm/reader.ts'
import { toBase58 } from '../../../../pipelines/domains/payments/svm/base58.ts'
import { json, serveLoopback } from '../../../../services/sandbox/loopback.ts'
import type { PlayChain } from '../../../../services/sandbox/play-chain.ts'
import { startSolanaChain } from '../../../../services/sandbox/solana-node.ts'

type Asked = { method: string; params: [unknown, ...unknown[]] }
type Reply = {
  result: { context: { slot: number }; value: ({ data: [string, string]; lamports: number } | null)[] }
}

let chain: PlayChain
let honest: string
beforeAll(async () => {
  chain = await startSolanaChain()
  honest = chain.rpcUrl.replace('127.0.0.1', 'localhost')
})
afterAll(() => chain?.close())

const nodes: { close(): Promise<void> }[] = []
afterAll(async () => {
  for (const node of nodes) await node.close()
})

/** A node that changes the answers of another, and may be slots ahead of it. */
async function nodeThat(changes: (reply: Reply, asked: Asked) => unknown): Promise<string> {
  const node = await serveLoopback(async ({ body: asked }) => {
    const body = asked.replace(/,"minContextSlot":\d+/, '')
    const real = await fetch(chain.rpcUrl, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    return { body: json(await changes((await real.json()) as Reply, JSON.parse(body) as Asked)) }
  })
  nodes.push(node)
  return node.url
}

/** The account of this place of a look, after the clock and USDC, has another number of lamports or tokens. */
const withAccount =
  (change: (account: { data: [string, string]; lamports: number }) => void) =>
  (reply: Reply, { method }: Asked) => {
    const account = reply.result.value?.[2]
    if (method === 'getMultipleAccounts' && account) change(account)
    return reply
  }
const richer = withAccount(account => {
  account.lamports = Number(account.lamports) + 5_000_000_000
})
const later = (slots: number) => (reply: Reply, asked: Asked) => {
  if (asked.method === 'getMultipleAccounts') reply.result.context.slot += slots
  return reply
}
const readerOf = (urls: readonly string[]) =>
  openSvmChain({ chain: 'solana', urls, perSecond: 100_000, now: Date.now })
const balanceBy = (...urls: string[]) => readerOf(urls).balance({ address: chain.payer })

describe('two nodes of Solana', () => {
  it('that show the same confirm an answer, and one alone confirms none', async () => {
    const both = readerOf([chain.rpcUrl, honest])
    const asked = { address: chain.payer }
    for (const answer of [
      both.balance(asked),
      both.token(usdcMint),
      both.portfolio({ ...asked, tokens: [usdcMint] }),
    ])
      expect(await answer).toMatchObject({ source: '127.0.0.1', confirmed_by: 'localhost' })
    expect(await balanceBy(honest)).toMatchObject({ confirmed_by: null })
  })

  it('that differ are refused, whichever of them is asked first: nodes_disagree', async () => {
    const lying = await nodeThat(richer)
    for (const urls of [
      [lying, honest],
      [honest, lying],
    ])
      expect(await balanceBy(...urls)).toMatchObject({
        refused: 'nodes_disagree',
        because: expect.stringMatching(
          /^Two nodes of Solana give different answers of slot \d+: \S+ and \S+$/,
        ),
      })
  })

  it('of which one is slots behind are told apart from one that lies', async () => {
    expect(await balanceBy(honest, await nodeThat(later(3)))).toMatchObject({
      confirmed_by: expect.any(String),
    })
    const lying = await nodeThat((reply, asked) => later(3)(richer(reply, asked) as Reply, asked))
    let looks = 0
    const growing = await nodeThat((reply, asked) => {
      looks += asked.method === 'getMultipleAccounts' ? 1 : 0
      return later(4 * Math.max(0, looks - 1))(reply, asked)
    })
    expect(await balanceBy(growing, lying)).toMatchObject({ refused: 'nodes_disagree' })
  })

  it('of which one leaves an account out of its list are refused, or not confirmed', async () => {
    const silent = await nodeThat((reply, { method, params }) => {
      if (method === 'getTokenAccountsByOwner') reply.result.value = []
      if (method !== 'getMultipleAccounts') return reply
      const [asked] = params as unknown as [string[]]
      // It says nothing of the account of USDC, either.
      reply.result.value = reply.result.value.map((account, i) =>
        i > 1 && asked[i] !== chain.payer ? null : account,
      )
      return reply
    })
    expect(await balanceBy(silent, honest)).toMatchObject({ refused: 'nodes_disagree' })
    const listless = await nodeThat((reply, { method }) => {
      if (method === 'getTokenAccountsByOwner') reply.result.value = []
      return reply
    })
    expect(await balanceBy(listless, honest)).toMatchObject({ usdc: { raw: '1000000000' } })
  })

  it('of which the second is dead or refuses lists leave an answer unconfirmed', async () => {
    expect(await balanceBy(honest, 'http://127.0.0.1:1')).toMatchObject({ confirmed_by: null })
    const refusing = await nodeThat((reply, { method }) =>
      method === 'getTokenAccountsByOwner' ? { id: 1, error: { code: -32010, message: 'no index' } } : reply,
    )
    expect(await balanceBy(honest, refusing)).toMatchObject({ source: 'localhost', confirmed_by: null })
  })

  it('of which the first has not seen a change are read anew', async () => {
    let looks = 0
    const slower = await nodeThat((reply, asked) => {
      looks += asked.method === 'getMultipleAccounts' ? 1 : 0
      return looks > 1 ? later(9 + looks)(richer(reply, asked) as Reply, asked) : reply
    })
    const ahead = await nodeThat((reply, asked) => later(5)(richer(reply, asked) as Reply, asked))
    expect(await balanceBy(slower, ahead)).toMatchObject({
      native: { balance: '1005' },
      confirmed_by: '127.0.0.1',
    })
  })

  it('confirm a transaction, and are refused where they tell another outcome', async () => {
    const hash = toBase58(new Uint8Array(64).fill(7))
    const telling = async (change: object = {}) => {
      const meta = { err: null, fee: 5000, preBalances: [9, 1], postBalances: [4, 6], ...change }
      const message = { accountKeys: [{ pubkey: 'a' }, { pubkey: 'b' }], instructions: [] }
      const found = { slot: 7, blockTime: 1_700_000_000, meta, transaction: { signatures: [hash], message } }
      const statuses = {
        context: { slot: 9 },
        value: [{ confirmations: 2, confirmationStatus: 'confirmed' }],
      }
      const node = await serveLoopback(({ body }) => ({
        body: json({
          result: JSON.parse(body).method === 'getTransaction' ? ('gone' in change ? null : found) : statuses,
        }),
      }))
      nodes.push(node)
      return node.url
    }
    const told = await telling()
    const tx = async (...urls: string[]) => readerOf(urls).tx(hash)
    expect(await tx(told, await telling())).toMatchObject({ status: 'success', confirmed_by: '127.0.0.1' })
    expect(await tx(told)).toMatchObject({ confirmed_by: null })
    expect(await tx(told, await telling({ gone: true }))).toMatchObject({
      status: 'success',
      confirmed_by: null,
    })
    for (const change of [{ err: 'x' }, { postBalances: [1, 9] }, { fee: 1 }])
      expect(await tx(told, await telling(change))).toMatchObject({ refused: 'nodes_disagree' })
  })
})
