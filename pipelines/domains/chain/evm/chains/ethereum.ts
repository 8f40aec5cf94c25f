/** Ethereum: Uniswap and Sushi. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import { coin, dollar, type EvmMarket, permit2, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

export const ethereum: EvmMarket = {
  wrapped,
  quotes: [
    dollar('USDC', chains.ethereum.usdc),
    dollar('USDT', chains.ethereum.usdt),
    coin('WETH', wrapped),
    coin('WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8),
  ],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
      router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v2',
      address: '0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac',
      router: '0xd9e1cE17f2641f24aE83637ab66a2cca9C378B9F',
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
      address: '0x000000000004444c5dc75cB358380D2e3dE08A90',
      router: permit2,
      tiers: v4Tiers,
    },
  ],
}
