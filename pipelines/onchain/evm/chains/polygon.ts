/** Polygon: Uniswap and QuickSwap. */
import { chains } from '../../../../schemas/chains.ts'
import { coin, dollar, type Market, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270'

export const polygon: Market = {
  wrapped,
  quotes: [
    dollar('USDC', chains.polygon.usdc),
    dollar('USDT', chains.polygon.usdt),
    coin('WPOL', wrapped),
    coin('WETH', '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619'),
  ],
  factories: [
    { kind: 'uniswap_v2', address: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C', fee: v2Fee },
    { kind: 'uniswap_v2', address: '0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32', fee: v2Fee },
    { kind: 'uniswap_v3', address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', fees: v3Fees },
    { kind: 'uniswap_v4', address: '0x67366782805870060151383F4BbFF9daB53e5cD6', tiers: v4Tiers },
  ],
  known: {
    'USDC.e': '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
    DAI: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
    WBTC: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6',
    LINK: '0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39',
    AAVE: '0xD6DF932A45C0f255f85145f286eA0b292B21C90B',
    UNI: '0xb33EaAd8d922B1083446DC23f610c2567fB5180f',
    CRV: '0x172370d5Cd63279eFa6d502DAB29171933a610AF',
    SUSHI: '0x0b3F868E0BE5597D5DB7fEB59E1CADBb0fdDa50a',
    QUICK: '0xB5C064F955D8e7F38fE0460C556a72987494eE17',
    GHST: '0x385Eeac5cB85A38A9a07A70c73e0a3271CfB54A7',
    wstETH: '0x03b54A6e9a984069379fae1a4fC4dBAE93B3bCCD',
    SAND: '0xBbba073C31bF03b8ACf7c28EF0738DeCF3695683',
  },
}
