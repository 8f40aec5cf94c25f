/** Reads Solana. EVM chains have a reader of their own for the same questions. */
import type { SvmChainName } from '../../../../schemas/tables/chains.ts'
import type { ChainOptions, ChainReader, Holder, Trade } from '../reader.ts'
import { balanceOf } from './balance.ts'
import { checkOf } from './check.ts'
import { confirmed } from './confirmed.ts'
import { openSvmNodes } from './nodes.ts'
import { portfolioOf } from './portfolio.ts'
import { pretradeOf } from './pretrade.ts'
import { priceOf } from './price.ts'
import { openPricing } from './prices.ts'
import { tokenFacts } from './token/facts.ts'
import { transactionOf } from './transaction/transaction.ts'

export function openSvmChain(options: ChainOptions<SvmChainName>) {
  const nodes = openSvmNodes(options)
  const pricingOf = openPricing(nodes)
  return {
    chain: options.chain,
    balance: (asked: Holder) => confirmed(nodes, own => balanceOf(own, asked)),
    token: (token: string) => confirmed(nodes, own => tokenFacts(own, token)),
    tx: (hash: string) => transactionOf(nodes, hash),
    price: (token: string) => confirmed(nodes, own => priceOf(own, pricingOf(own), token)),
    check: (token: string) => confirmed(nodes, own => checkOf(own, pricingOf(own), token)),
    portfolio: (asked: Holder) => confirmed(nodes, own => portfolioOf(own, pricingOf(own), asked)),
    pretrade: (asked: Trade) => confirmed(nodes, own => pretradeOf(own, pricingOf(own), asked)),
  } satisfies ChainReader
}
