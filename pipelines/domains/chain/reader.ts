/**
 * The answers of a chain reader. EVM chains and Solana have one reader each, and operations know only this file. A
 * reader reads all data of one answer at one block. It sends no transaction and holds no key.
 */
import type { ChainName } from '../../../schemas/tables/chains.ts'

export interface ChainReader {
  chain: ChainName
  /**
   * Addresses and hashes are in the canonical form of addresses.ts. Every method rejects with UpstreamFailed if no
   * node answers.
   */
  balance(asked: Holder): Promise<Balance | NodesDisagree>
  token(token: string): Promise<TokenFacts | ChainRefused<'not_a_token'> | NodesDisagree>
  tx(hash: string): Promise<Transaction | ChainRefused<'unknown_transaction'> | NodesDisagree>
  price(token: string): Promise<ChainPrice | ChainRefused<'not_a_token' | 'no_pool'> | NodesDisagree>
  check(token: string): Promise<TokenCheck | ChainRefused<'not_a_token'> | NodesDisagree>
  portfolio(asked: Holder): Promise<Portfolio | NodesDisagree>
  pretrade(asked: Trade): Promise<Pretrade | ChainRefused<'not_a_token' | 'no_pool'> | NodesDisagree>
}

/** The nodes of a chain, and their limit of calls per second. */
export interface ChainNodes {
  urls: readonly string[]
  perSecond: number
}

/** The options for the reader of each family. */
export interface ChainOptions<Name extends ChainName> extends ChainNodes {
  chain: Name
  now: () => number
}

/** A "no" with its reason, in a sentence for the caller. */
export interface ChainRefused<Code extends string> {
  refused: Code
  because: string
}

/** Two nodes give different answers of one block, and nobody can tell which of them is right. */
export type NodesDisagree = ChainRefused<'nodes_disagree'>

export const isRefused = <T>(answer: T): answer is Extract<T, ChainRefused<string>> =>
  typeof answer === 'object' && answer !== null && 'refused' in answer

export interface Holder {
  address: string
  /** If absent, the tokens that the reader knows. */
  tokens?: readonly string[] | undefined
}

export interface Trade {
  token: string
  wallet: string
  amountUsd: number
  side: 'buy' | 'sell'
}

/** The height or slot of every number in the answer, and the node that read it. */
export interface SeenAt {
  chain: ChainName
  block: number
  /** The time of the reading. */
  fetched_at: string
  /** The host of the node, without port, path or key. */
  source: string
  /** The host of a second node that read the same at the same block. Null if none was asked, or it could not tell. */
  confirmed_by: string | null
}

/** Amounts are decimal text in units of the token. `raw` is in atoms. Null if the token does not report its decimals. */
export interface Amount {
  balance: string | null
  raw: string
}

export interface TokenBalance {
  token: string
  symbol: string | null
  decimals: number | null
  /** Both are null if `error` gives a reason. */
  balance: string | null
  raw: string | null
  error: string | null
}

export interface Balance extends SeenAt {
  address: string
  native: { symbol: string; decimals: number; balance: string; raw: string }
  usdc: Amount
  /** Null if the chain has none. */
  usdt: Amount | null
  tokens: TokenBalance[]
  is_contract: boolean
}

/** Facts with their evidence, never a score. */
export interface ChainWarning {
  code: WarningCode
  severity: 'info' | 'caution' | 'danger'
  evidence: string
}

/** Every warning, with its meaning. The description of the operations is derived from it. */
export const warnings = {
  odd_name:
    'Name or symbol is empty, too long, or holds control or bidirectional characters; they are cleaned',
  no_decimals: 'The token does not say how many decimals it has, so amounts are in atoms only',
  lookalike: 'It passes itself off as a known token at another address',
  shared_name: 'It has the symbol or the name of a known token, and not both',
  proxy: 'Its code can be replaced',
  clone: 'It runs the code of another contract, which cannot be replaced',
  owner_can_mint: 'An account can create more of it',
  owner_can_pause: 'An account can stop all transfers',
  owner_sets_fee: 'An account can change what is taken from a transfer',
  can_freeze: 'An account can freeze the tokens of a holder',
  permanent_delegate: 'An account can move or burn the tokens of every holder',
  non_transferable: 'It cannot be transferred',
  default_frozen: 'New accounts of holders are frozen at first',
  transfer_hook: 'A program runs with each transfer, and can refuse it',
  transfer_fee: 'A fee is taken from each transfer',
  confidential: 'Amounts can be hidden',
  mutable_metadata: 'Its name and picture can be changed',
  unknown_extension: 'It has an extension whose rules are not known here',
  rebasing: 'Balances change without transfers',
  buy_tax: 'Less arrives than the pool pays out',
  sell_tax: 'Less arrives at the pool than the seller sends',
  cannot_buy: 'A purchase was tried, and failed',
  cannot_sell: 'A sale was tried after a purchase, and failed',
  buy_limit: 'A purchase was tried, and failed; one of a smaller amount went through',
  sell_limit: 'A sale was tried, and failed; one of a smaller amount went through',
  cooldown: 'A sale soon after the purchase failed; a later one went through',
  not_tried: 'A purchase and a sale could not be tried',
  no_pool: 'No pool with a known quote token has liquidity, so there is no price',
  thin: 'Less than $5,000 moves its price by 2 %',
  price_disagrees: 'The price is more than 5 % off its 30-minute average, or off the second deepest pool',
  skewed:
    'The pool of the price moved by more than 10 % within the last 100 blocks (five minutes, where blocks are slower), or is more than 50 % off its average of 30 minutes; both figures are told. A move that is older is its price',
  past_unknown: 'The pool could not be compared with its price 100 blocks before',
  pools_left_out: 'Pools of a kind that the node cannot list were left out',
  young_pool: 'The pool is less than a day old',
  exceeds_pool: 'The pool cannot take the whole amount',
  exceeds_holding: 'The wallet holds less than goes into the trade',
  too_small: 'The amount is worth too little: the pool pays nothing for it',
  held_by_pool: 'Nearly all of the supply lies in the pool',
} as const

type WarningCode = keyof typeof warnings

export interface TokenFacts extends SeenAt {
  token: string
  /** Cleaned. Null if the token has none. */
  name: string | null
  symbol: string | null
  decimals: number | null
  /** In units of the token. Null if the token does not report its decimals. */
  total_supply: string | null
  total_supply_raw: string
  warnings: ChainWarning[]
  /** Only EVM chains have these fields. Null if the token has none, or does not report it. */
  owner?: string | null
  is_proxy?: boolean
  implementation?: string | null
  /** Only Solana has these fields. */
  mint_authority?: string | null
  freeze_authority?: string | null
  token_program?: string
  extensions?: string[]
  metadata?: { uri: string | null; update_authority: string | null; is_mutable: boolean | null } | null
}

export interface Transaction extends SeenAt {
  hash: string
  status: 'success' | 'failed' | 'pending'
  /** Null while it is pending. */
  tx_block: number | null
  block_time: string | null
  confirmations: number
  finalized: boolean
  from: string
  /** Null if it creates a contract. Then `created` has its address. */
  to: string | null
  created: string | null
  /** In native coin. */
  value: string
  /** In native coin. Null while it is pending. */
  fee: string | null
  /** EVM: the selector, with its signature if known. Solana: the programs, in order. Null for a plain transfer. */
  method: string | null
  transfers: ChainTransfer[]
  revert_reason: string | null
  note: string
}

export interface ChainTransfer {
  standard: 'native' | 'erc20' | 'erc721' | 'erc1155' | 'spl' | 'token2022'
  /** Null for native coin. */
  token: string | null
  symbol: string | null
  /** Null if the token is minted or burned. */
  from: string | null
  to: string | null
  /** In units of the token. Null if the token does not report its decimals. */
  amount: string | null
  raw: string
  token_id: string | null
}

export interface Pool {
  address: string
  kind: PoolKind
  /** In percent, as decimal text: 0.3 is 0.3 %. */
  fee: string
  /** The symbol of the quote token. */
  quote: string
}

export const poolKinds = [
  'uniswap_v2',
  'uniswap_v3',
  'uniswap_v4',
  'solidly_volatile',
  'solidly_stable',
  'slipstream',
  'whirlpool',
  'raydium_amm',
  'raydium_clmm',
  'raydium_cpmm',
  'meteora_dlmm',
  'pumpswap',
] as const
export type PoolKind = (typeof poolKinds)[number]

/** US dollars are decimal text here. */
interface Priced {
  price_usd: string
  pool: Pool
  /** What the pool pays out, in dollars, while its price falls by 2 %. Nobody can fake these dollars. */
  depth_usd: string
  thin_liquidity: boolean
}

export interface ChainPrice extends SeenAt, Priced {
  token: string
  symbol: string | null
  pools_seen: number
  /** The average of the last 30 minutes. Null if the pool keeps none. */
  price_30m_usd: string | null
  warnings: ChainWarning[]
}

/** A pool with less depth, in dollars, is thin. */
export const thinBelowUsd = 5000

export interface TokenCheck extends SeenAt {
  token: string
  name: string | null
  symbol: string | null
  total_supply: string | null
  /** The next four are null if no pool has liquidity. */
  price_usd: string | null
  depth_usd: string | null
  thin_liquidity: boolean | null
  pool: Pool | null
  /** In percent, as decimal text. Null if it was not tried. */
  buy_tax_pct: string | null
  sell_tax_pct: string | null
  sellable: boolean | null
  /** Who bought how much through which router, and when they sold. Null if nothing was tried. */
  tried: string | null
  warnings: ChainWarning[]
}

export interface Holding {
  token: string
  symbol: string | null
  amount: string | null
  price_usd: string | null
  value_usd: string | null
  thin_liquidity: boolean | null
}

export interface Portfolio extends SeenAt {
  address: string
  /** The native coin comes first, then the most valuable token. Tokens with a zero balance are left out. */
  holdings: Holding[]
  /** A thin holding counts at most with the depth of its pool, because a stranger may send a million of anything. */
  total_usd: string
  /** The number of holdings without a price. */
  unpriced: number
  /** Describes which tokens were checked. */
  coverage: string
  /** Tokens that were asked for, and did not tell what the address holds. */
  unread: string[]
  warnings: ChainWarning[]
}

export interface Pretrade extends TokenCheck {
  wallet: string
  side: Trade['side']
  amount_usd: number
  /**
   * Compared with the mid price. It includes the fee of the pool, but no tax of the token. Null if the pool cannot
   * take the whole amount, or would pay out nothing.
   */
  price_impact_pct: string | null
  /** The result of the trade: of a purchase the token, of a sale the quote token. Null in the same cases. */
  receive: { symbol: string | null; amount: string | null; raw: string } | null
  /** The pools of the trade, in order. */
  route: Pool[]
  /** The wallet's holding of the token. */
  holding: Amount
}
