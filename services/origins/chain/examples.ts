/** Questions, and the answers that the sandbox gave. */
import { chainNames } from '../../../schemas/tables/chains.ts'

const base = chainNames[0]
const token = '0xBC9129Dc0487fc2E169941C75aABC539f208fb01'
const wallet = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const pool = {
  address: '0x987298fa34bbCF4965d1eDb71bF58802D7ca6864',
  kind: 'uniswap_v2',
  fee: 0.3,
  fee_pct: 0.3,
  quote: 'USDC',
} as const

/** The check of the token, in the answers of /chain/check and /chain/pretrade. */
const checked = {
  token,
  name: 'Fare Play Token',
  symbol: 'FARE',
  total_supply: '100000000',
  price_usd: 0.05,
  depth_usd: 20101.01,
  thin_liquidity: false,
  pool,
  buy_tax_pct: 0,
  sell_tax_pct: 0,
  sellable: true,
  tried:
    '6 new accounts tried to buy, for $1000, $100, $10, $1, $0.1, $0.01, through the router 0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24; that of $100 sold in the same block, in the next, a day and a half and a month later; those of $1000, $10 sold in the next block; beside that, it sold in 120 pieces through a year',
  warnings: [],
} as const

export const chainBalanceExample = {
  request: {
    address: wallet,
    chain: base,
    tokens: [token],
  },
  response: {
    chain: base,
    address: wallet,
    native: {
      symbol: 'ETH',
      decimals: 18,
      balance: '10000',
      raw: '10000000000000000000000',
    },
    usdc: {
      balance: '1000',
      raw: '1000000000',
    },
    usdt: null,
    tokens: [
      {
        token,
        symbol: 'FARE',
        decimals: 18,
        balance: '1000',
        raw: '1000000000000000000000',
        error: null,
      },
    ],
    is_contract: false,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.799Z',
    source: '127.0.0.1',
    confirmed_by: null,
  } as const,
}

export const chainTokenExample = {
  request: {
    token,
    chain: base,
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.822Z',
    source: '127.0.0.1',
    confirmed_by: null,
    token,
    name: 'Fare Play Token',
    symbol: 'FARE',
    decimals: 18,
    total_supply: '100000000',
    total_supply_raw: '100000000000000000000000000',
    owner: null,
    is_proxy: false,
    implementation: null,
    warnings: [],
  } as const,
}

export const chainTxExample = {
  request: {
    hash: '0x601b60b3cebf5f4de8d54c7ae9be6f4b4756a9e499c8f26b158a77546d24f0b2',
    chain: base,
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.836Z',
    source: '127.0.0.1',
    confirmed_by: null,
    hash: '0x601b60b3cebf5f4de8d54c7ae9be6f4b4756a9e499c8f26b158a77546d24f0b2',
    status: 'success',
    tx_block: 13,
    block_time: '2026-11-22T12:23:31.000Z',
    confirmations: 6,
    finalized: true,
    from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    to: token,
    created: null,
    value: '0',
    fee: '0.00051503',
    coin: 'ETH',
    method: 'transfer(address,uint256)',
    transfers: [
      {
        standard: 'erc20',
        token,
        symbol: 'FARE',
        from: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        to: wallet,
        amount: '1000',
        raw: '1000000000000000000000',
        token_id: null,
      },
    ],
    revert_reason: null,
    note: 'transfers are read from the logs; native coin that a contract sends within the transaction leaves no log, and is not among them',
  } as const,
}

export const chainPriceExample = {
  request: {
    token: '0x4200000000000000000000000000000000000006',
    chain: base,
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.889Z',
    source: '127.0.0.1',
    confirmed_by: null,
    token: '0x4200000000000000000000000000000000000006',
    symbol: 'WETH',
    price_usd: 2999.9999997,
    pool: {
      address: '0xd0b53D9277642d899DF5C87A3966A349A798F224',
      kind: 'uniswap_v3',
      fee: 0.05,
      fee_pct: 0.05,
      quote: 'USDC',
    },
    depth_usd: 27136.37,
    thin_liquidity: false,
    pools_seen: 1,
    price_30m_usd: null,
    warnings: [],
  } as const,
}

export const chainCheckExample = {
  request: {
    token,
    chain: base,
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.951Z',
    source: '127.0.0.1',
    confirmed_by: null,
    ...checked,
  } as const,
}

export const chainPortfolioExample = {
  request: {
    address: wallet,
    chain: base,
    tokens: [token],
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:31.980Z',
    source: '127.0.0.1',
    confirmed_by: null,
    address: wallet,
    unpriced: 0,
    coverage: 'the native coin and the token that was asked for',
    warnings: [],
    holdings: [
      {
        token: 'native',
        symbol: 'ETH',
        amount: '10000',
        price_usd: 2999.9999997,
        value_usd: 30000000,
        thin_liquidity: false,
      },
      {
        token,
        symbol: 'FARE',
        amount: '1000',
        price_usd: 0.05,
        value_usd: 50,
        thin_liquidity: false,
      },
    ],
    total_usd: 30000050,
  } as const,
}

export const chainPretradeExample = {
  request: {
    token,
    chain: base,
    wallet,
    amount_usd: 1000,
  },
  response: {
    chain: base,
    block: 18,
    fetched_at: '2026-11-22T12:23:32.036Z',
    source: '127.0.0.1',
    confirmed_by: null,
    ...checked,
    tried:
      '6 new accounts tried to buy, for $1005.05, $1000, $100, $10, $1, $0.1, through the router 0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24; that of $1000 sold in the same block, in the next, a day and a half and a month later; those of $1005.05, $100 sold in the next block; beside that, it sold in 120 pieces through a year',
    wallet,
    side: 'buy',
    amount_usd: 1000,
    price_impact_pct: 0.3497,
    receive: {
      symbol: 'FARE',
      amount: '19930.064862665961018432',
      raw: '19930064862665961018432',
    },
    route: [pool],
    holding: {
      balance: '1000',
      raw: '1000000000000000000000',
    },
    web_results: null,
    web_note: 'no web search is configured here',
  } as const,
}
