/** The questions of callers about a chain, each as a lookup. The reader of the chain keeps and shares its answers. */
import type { ChainName } from '../../schemas/tables/chains.ts'
import { type Chains, chainReaders } from '../domains/chain/open-chains.ts'
import type {
  Balance,
  ChainPrice,
  ChainReader,
  ChainRefused,
  Holder,
  NodesDisagree,
  Portfolio,
  Pretrade,
  TokenCheck,
  TokenFacts,
  Trade,
  Transaction,
} from '../domains/chain/reader.ts'
import { chainVariables } from '../domains/chain/variables.ts'
import type { Lookup } from './lookup.ts'

interface Needs {
  chains: Chains
}

type On<Asked> = Asked & { chain: ChainName }
type Read<Asked, Answer> = Lookup<On<Asked>, Answer, Needs>

const timeoutMs = 15_000

const reading = <Asked, Answer>(
  name: string,
  read: (reader: ChainReader, asked: On<Asked>) => Promise<Answer>,
): Read<Asked, Answer> => ({
  name: `chain_${name}`,
  timeoutMs,
  variables: [chainVariables],
  needs: async ({ use }) => ({ chains: await use(chainReaders) }),
  open: ({ chains }) => ({ find: asked => read(chains(asked.chain), asked) }),
})

type Code<T extends string> = ChainRefused<T | 'nodes_disagree'>

export const chainBalanceLookup: Read<Holder, Balance | NodesDisagree> = reading(
  'balance',
  (reader, { address, tokens }) => reader.balance({ address, tokens }),
)
export const chainTokenLookup: Read<{ token: string }, TokenFacts | Code<'not_a_token'>> = reading(
  'token',
  (reader, { token }) => reader.token(token),
)
export const chainTxLookup: Read<{ hash: string }, Transaction | Code<'unknown_transaction'>> = reading(
  'tx',
  (reader, { hash }) => reader.tx(hash),
)
export const chainPriceLookup: Read<{ token: string }, ChainPrice | Code<'not_a_token' | 'no_pool'>> =
  reading('price', (reader, { token }) => reader.price(token))
export const chainCheckLookup: Read<{ token: string }, TokenCheck | Code<'not_a_token'>> = reading(
  'check',
  (reader, { token }) => reader.check(token),
)
export const chainPortfolioLookup: Read<Holder, Portfolio | NodesDisagree> = reading(
  'portfolio',
  (reader, { address, tokens }) => reader.portfolio({ address, tokens }),
)
export const chainPretradeLookup: Read<Trade, Pretrade | Code<'not_a_token' | 'no_pool'>> = reading(
  'pretrade',
  (reader, { token, wallet, amountUsd, side }) => reader.pretrade({ token, wallet, amountUsd, side }),
)
