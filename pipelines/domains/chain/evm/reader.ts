/** The reader of an EVM chain. */
import type { Address } from 'viem'
import type { EvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainOptions, ChainReader } from '../reader.ts'
import { balanceOf } from './balance.ts'
import { checkOf } from './check.ts'
import { confirmed } from './confirmed.ts'
import { type EvmNodes, openEvmNodes } from './nodes.ts'
import { portfolioOf } from './portfolio.ts'
import { pretradeOf } from './pretrade.ts'
import { priceOf } from './price.ts'
import { tokenFacts } from './token-facts.ts'
import { transactionOf } from './transaction.ts'

const nothingMore = { calls: [], read: () => undefined }

export function openEvmChain(options: ChainOptions<EvmChainName>): ChainReader {
  const nodes = openEvmNodes(options)
  const check = async (own: EvmNodes, token: string) => {
    const checked = await checkOf(own, token as Address, nothingMore)
    return 'refused' in checked ? checked : checked.check
  }
  return {
    chain: options.chain,
    balance: asked => confirmed(nodes, own => balanceOf(own, asked)),
    token: token => confirmed(nodes, own => tokenFacts(own, token as Address)),
    tx: hash => transactionOf(nodes, hash),
    price: token => confirmed(nodes, own => priceOf(own, token as Address)),
    check: token => confirmed(nodes, own => check(own, token)),
    portfolio: asked => confirmed(nodes, own => portfolioOf(own, asked)),
    pretrade: asked => confirmed(nodes, own => pretradeOf(own, asked)),
  }
}
