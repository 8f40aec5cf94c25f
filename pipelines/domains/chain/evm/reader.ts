/** The reader of an EVM chain. */
import type { Address } from 'viem'
import type { EvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainOptions, ChainReader } from '../reader.ts'
import { balanceOf } from './balance.ts'
import { checkOf } from './check.ts'
import { openEvmNodes } from './nodes.ts'
import { portfolioOf } from './portfolio.ts'
import { pretradeOf } from './pretrade.ts'
import { priceOf } from './price.ts'
import { tokenFacts } from './token-facts.ts'
import { transactionOf } from './transaction.ts'

const nothingMore = { calls: [], read: () => undefined }

export function openEvmChain(options: ChainOptions<EvmChainName>): ChainReader {
  const nodes = openEvmNodes(options)
  return {
    chain: options.chain,
    balance: asked => balanceOf(nodes, asked),
    token: token => tokenFacts(nodes, token as Address),
    tx: hash => transactionOf(nodes, hash),
    price: token => priceOf(nodes, token as Address),
    async check(token) {
      const checked = await checkOf(nodes, token as Address, nothingMore)
      return 'refused' in checked ? checked : checked.check
    },
    portfolio: asked => portfolioOf(nodes, asked),
    pretrade: asked => pretradeOf(nodes, asked),
  }
}
