/** Reads Solana. EVM chains have a reader of their own for the same questions. */
import type { SvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainOptions, ChainReader, Holder, Trade } from '../reader.ts'
import { balanceOf } from './balance.ts'
import { checkOf } from './check.ts'
import { openSvmNodes } from './nodes.ts'
import { portfolioOf } from './portfolio.ts'
import { pretradeOf } from './pretrade.ts'
import { priceOf } from './price.ts'
import { openPricing } from './prices.ts'
import { tokenFacts } from './token/facts.ts'
import { transactionOf } from './transaction/transaction.ts'

export function openSvmChain(options: ChainOptions<SvmChainName>) {
  const nodes = openSvmNodes(options)
  const pricing = openPricing(nodes)
  return {
    chain: options.chain,
    balance: (asked: Holder) => balanceOf(nodes, asked),
    token: (token: string) => tokenFacts(nodes, token),
    tx: (hash: string) => transactionOf(nodes, hash),
    price: (token: string) => priceOf(nodes, pricing, token),
    check: (token: string) => checkOf(nodes, pricing, token),
    portfolio: (asked: Holder) => portfolioOf(nodes, pricing, asked),
    pretrade: (asked: Trade) => pretradeOf(nodes, pricing, asked),
  } satisfies ChainReader
}
