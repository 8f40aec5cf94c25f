/** OP Mainnet: Uniswap, and Velodrome with its Slipstream pools. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import {
  coin,
  dollar,
  type EvmMarket,
  permit2,
  slipstreamSpacings,
  v2Fee,
  v3Fees,
  v4Tiers,
} from '../market.ts'

const wrapped = '0x4200000000000000000000000000000000000006'

export const optimism: EvmMarket = {
  wrapped,
  quotes: [
    dollar('USDC', chains.optimism.usdc),
    dollar('USDT', chains.optimism.usdt),
    coin('WETH', wrapped),
    coin('OP', '0x4200000000000000000000000000000000000042'),
  ],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
      router: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v3',
      address: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      router: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
      fees: v3Fees,
    },
    {
      kind: 'solidly',
      address: '0xF1046053aa5682b4F9a81b5481394DA16BE5FF5a',
      router: '0xa062aE8A9c5e11aaA026fc2670B0D65cCc8B2858',
    },
    {
      kind: 'slipstream',
      address: '0xCc0bDDB707055e04e497aB22a59c2aF4391cd12F',
      router: '0x0792a633F0c19c351081CF4B211F68F79bCc9676',
      spacings: slipstreamSpacings,
    },
    {
      kind: 'uniswap_v4',
      address: '0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3',
      router: permit2,
      tiers: v4Tiers,
    },
  ],
}
