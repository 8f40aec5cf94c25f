/** What a second node says of the first, on a real anvil: a lie is refused, and silence is told. */
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openChains } from '../../../../pipelines/domains/chain/open-chains.ts'
import type { Operation } from '../../../../services/offer/operation.ts'
import { chainBalance } from '../../../../services/origins/chain/balance.ts'
import { chainCheck } from '../../../../services/origins/chain/check.ts'
import { chainPortfolio } from '../../../../services/origins/chain/portfolio.ts'
import { chainPretrade } from '../../../../services/origins/chain/pretrade.ts'
import { chainPrice } from '../../../../services/origins/chain/price.ts'
import { chainToken } from '../../../../services/origins/chain/token.ts'
import { chainTx } from '../../../../services/origins/chain/tx.ts'
import { type Market, startMarket, usdc, weth } from '../../../pipelines/domains/chain/market.ts'
import { startUpstream } from '../../../upstream.ts'
import { asking } from './asking.ts'

const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const word = (value: bigint) => value.toString(16).padStart(64, '0')

let market: Market
let honest: string
beforeAll(async () => {
  market = await startMarket()
  honest = market.rpcUrl.replace('127.0.0.1', 'localhost')
})
afterAll(() => market?.close())

const ask = (operation: Operation, question: Record<string, unknown>, urls: readonly string[]) =>
  asking(
    operation,
    { chain: 'base', ...question },
    openChains({ base: { urls, perSecond: 100_000 } }, Date.now),
  )

/** A node that changes the answers of another. Undefined: it never answers. */
async function nodeThat(changes: (answer: string, method: string) => string | undefined): Promise<string> {
  const { url } = await startUpstream(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    const real = await fetch(market.rpcUrl, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    const answer = changes(await real.text(), JSON.parse(body).method)
    if (answer !== undefined) response.setHeader('content-type', 'application/json').end(answer)
  })
  return url
}

const questions = (): [Operation, Record<string, unknown>][] => [
  [chainBalance, { address: wallet }],
  [chainToken, { token: usdc }],
  [chainPrice, { token: weth }],
  [chainCheck, { token: weth }],
  [chainPortfolio, { address: wallet, tokens: [weth, usdc] }],
  [chainPretrade, { token: weth, wallet, amount_usd: 5 }],
]

describe('two nodes', () => {
  it('that read the same confirm an answer, in one call more, and one node alone confirms none', async () => {
    for (const [operation, question] of questions()) {
      expect(await ask(operation, question, [market.rpcUrl, honest])).toMatchObject({
        source: '127.0.0.1',
        confirmed_by: 'localhost',
      })
      expect(await ask(operation, question, [honest])).toMatchObject({ confirmed_by: null })
    }
    const calls: string[] = []
    const counting = await nodeThat((answer, method) => {
      calls.push(method)
      return answer
    })
    await ask(chainBalance, { address: wallet }, [honest, counting])
    expect(calls).toEqual(['eth_call'])
  })

  it('that differ are refused, free, whichever of them is asked first: nodes_disagree', async () => {
    const { usdc: held } = await ask(chainBalance, { address: wallet }, [honest])
    const lying = await nodeThat(answer => answer.replaceAll(word(BigInt(held.raw)), word(10n ** 12n)))
    for (const urls of [
      [lying, honest],
      [honest, lying],
    ])
      expect(await ask(chainBalance, { address: wallet }, urls)).toMatchObject({
        refused: 'nodes_disagree',
        message: expect.stringMatching(
          /^Two nodes of Base give different answers of block \d+: \S+ and \S+$/,
        ),
      })
    expect(await ask(chainPortfolio, { address: wallet }, [lying, honest])).toMatchObject({
      refused: 'nodes_disagree',
    })
  })

  it('of which one lies about a pool, the supply or the past of the block are refused', async () => {
    const { total_supply_raw } = await ask(chainToken, { token: usdc }, [honest])
    const supply = await nodeThat(answer => answer.replaceAll(word(BigInt(total_supply_raw)), word(7n)))
    expect(await ask(chainToken, { token: usdc }, [supply, honest])).toMatchObject({
      refused: 'nodes_disagree',
    })

    const { pool } = await ask(chainPrice, { token: weth }, [honest])
    const slot0 = await market.client.call({ to: pool.address as Address, data: '0x3850c7bd' })
    const root = (slot0.data as string).slice(2, 66)
    const cheaper = word((BigInt(`0x${root}`) * 9n) / 10n)
    const pools = await nodeThat(answer => answer.replaceAll(root, cheaper))
    for (const [operation, question] of questions().slice(2))
      expect(await ask(operation, question, [pools, honest])).toMatchObject({ refused: 'nodes_disagree' })

    const other = await nodeThat(answer => {
      const words = JSON.parse(answer)
        .result.slice(2)
        .match(/[0-9a-f]{64}/g) as string[] | null
      const parent = words?.find(each => /^(?!0{8})/.test(each))
      return parent ? answer.replaceAll(parent, 'e'.repeat(64)) : answer
    })
    expect(await ask(chainBalance, { address: wallet }, [other, honest])).toMatchObject({
      refused: 'nodes_disagree',
    })
  })

  it('of which the second is dead, silent or of another opinion about gas leave an answer unconfirmed', async () => {
    const silent = await nodeThat(() => undefined)
    const refusing = await nodeThat(answer =>
      JSON.stringify({
        id: JSON.parse(answer).id,
        jsonrpc: '2.0',
        error: { code: -32000, message: 'out of gas' },
      }),
    )
    for (const second of ['http://127.0.0.1:1', silent, refusing])
      expect(await ask(chainBalance, { address: wallet }, [honest, second])).toMatchObject({
        usdc: { balance: '1000' },
        confirmed_by: null,
      })
  })

  it('of which the first is silent answer by the second, and ask the first no other time', async () => {
    const asked: string[] = []
    const silent = await nodeThat((_, method) => void asked.push(method))
    const chains = openChains({ base: { urls: [silent, honest], perSecond: 100_000 } }, Date.now)
    for (const token of [weth, usdc]) {
      asked.length = 0
      const answer = await asking(chainToken, { chain: 'base', token }, chains)
      expect(answer).toMatchObject({ source: 'localhost', confirmed_by: null })
      // Once in its turn, and then to confirm alone.
      expect(asked.length).toBeLessThanOrEqual(token === weth ? 2 : 1)
    }
  })

  it('confirm a transaction, and are refused where its receipts differ', async () => {
    const { transactionHash: hash } = await market.send(weth, '0xd0e30db0', 5n)
    expect(await ask(chainTx, { hash }, [market.rpcUrl, honest])).toMatchObject({ confirmed_by: 'localhost' })
    expect(await ask(chainTx, { hash }, [honest])).toMatchObject({ confirmed_by: null })
    const failing = await nodeThat((answer, method) =>
      method === 'eth_getTransactionReceipt' ? answer.replace('"status":"0x1"', '"status":"0x0"') : answer,
    )
    const lied = await ask(chainTx, { hash }, [failing, honest])
    expect(lied).toMatchObject({ refused: 'nodes_disagree', message: expect.stringContaining(hash) })
    const late = await nodeThat((answer, method) =>
      method === 'eth_getTransactionReceipt'
        ? JSON.stringify({ ...JSON.parse(answer), result: null })
        : answer,
    )
    expect(await ask(chainTx, { hash }, [honest, late])).toMatchObject({
      status: 'success',
      confirmed_by: null,
    })
  })
})
