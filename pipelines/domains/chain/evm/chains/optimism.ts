/** OP Mainnet: Uniswap, and Velodrome with its Slipstream pools. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import { coin, dollar, type EvmMarket, slipstreamSpacings, v2Fee, v3Fees, v4Tiers } from '../market.ts'

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
    { kind: 'uniswap_v2', address: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf', fee: v2Fee },
    { kind: 'uniswap_v3', address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', fees: v3Fees },
    { kind: 'solidly', address: '0xF1046053aa5682b4F9a81b5481394DA16BE5FF5a' },
    {
      kind: 'slipstream',
      address: '0xCc0bDDB707055e04e497aB22a59c2aF4391cd12F',
      spacings: slipstreamSpacings,
    },
    { kind: 'uniswap_v4', address: '0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3', tiers: v4Tiers },
  ],
}
