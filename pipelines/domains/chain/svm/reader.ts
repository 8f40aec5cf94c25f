/** Reads Solana. EVM chains have a reader of their own for the same questions. */
import type { SvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainOptions, ChainReader } from '../reader.ts'
import { balanceOf } from './balance.ts'
import { checkOf } from './check.ts'
import { openSvmNodes } from './nodes.ts'
import { portfolioOf } from './portfolio.ts'
import { pretradeOf } from './pretrade.ts'
import { priceOf } from './price.ts'
import { openPricing } from './prices.ts'
import { tokenFacts } from './token/facts.ts'
import { transactionOf } from './transaction/transaction.ts'

export function openSvmChain(options: ChainOptions<SvmChainName>): ChainReader {
  const nodes = openSvmNodes(options)
  const pricing = openPricing(nodes)
  return {
    chain: options.chain,
    balance: asked => balanceOf(nodes, asked),
    token: token => tokenFacts(nodes, token),
    tx: hash => transactionOf(nodes, hash),
    price: token => priceOf(nodes, pricing, token),
    check: token => checkOf(nodes, pricing, token),
    portfolio: asked => portfolioOf(nodes, pricing, asked),
    pretrade: asked => pretradeOf(nodes, pricing, asked),
  }
}
