/** Reads of blockchains: balances, tokens, transactions, prices, and a check before a trade. */
import manifest from '../../../package.json' with { type: 'json' }
import { defineOrigin } from '../../offer/origin.ts'
import { chainBalance } from './balance.ts'
import { chainCheck } from './check.ts'
import { chainDrawings } from './drawings.ts'
import { chainWords } from './field-words.ts'
import { chainPortfolio } from './portfolio.ts'
import { chainPretrade } from './pretrade.ts'
import { chainPrice } from './price.ts'
import { chainToken } from './token.ts'
import { chainTx } from './tx.ts'

export const chain = defineOrigin({
  name: 'chain',
  title: 'Reads of blockchains, sold by the call',
  version: manifest.version,
  address: 'CHAIN_URL',
  words: chainWords,
  drawings: chainDrawings,
  operations: [chainBalance, chainToken, chainTx, chainPrice, chainCheck, chainPortfolio, chainPretrade],
  free: [],
  pages: [],
})
