/** Arbitrum: Uniswap and Sushi. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import { callOf } from '../call.ts'
import { coin, dollar, type EvmMarket, permit2, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'

export const arbitrum: EvmMarket = {
  wrapped,
  // On Arbitrum `block.number` is the height of Ethereum. ArbSys knows the chain's own height.
  height: callOf('0x0000000000000000000000000000000000000064', 'arbBlockNumber()'),
  quotes: [
    dollar('USDC', chains.arbitrum.usdc),
    dollar('USDT', chains.arbitrum.usdt),
    coin('WETH', wrapped),
    coin('WBTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 8),
  ],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v2',
      address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4',
      router: '0x1b02dA8Cb0d097eB8D57A175b88c7D8b47997506',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v3',
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
      fees: v3Fees,
    },
    {
      kind: 'uniswap_v4',
      address: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      router: permit2,
      tiers: v4Tiers,
    },
  ],
}
