/** Polygon: Uniswap and QuickSwap. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import { coin, dollar, type EvmMarket, permit2, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'

export const polygon: EvmMarket = {
  wrapped,
  quotes: [
    dollar('USDC', chains.polygon.usdc),
    dollar('USDT', chains.polygon.usdt),
    coin('WPOL', wrapped),
    coin('WETH', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
  ],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      router: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v2',
      address: '0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32',
      router: '0xa5E0829CaCEd8fFDD4De3c43696c57F7D7A678ff',
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
      address: '0x67366782805870060151383F4BbFF9daB53e5cD6',
      router: permit2,
      tiers: v4Tiers,
    },
  ],
}
