/** Base: Uniswap, and Aerodrome with its Slipstream pools. */
import { chains } from '../../../../../schemas/tables/chains.ts'
import { coin, dollar, type EvmMarket, slipstreamSpacings, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x4200000000000000000000000000000000000006'

export const base: EvmMarket = {
  wrapped,
  quotes: [
    dollar('USDC', chains.base.usdc),
    coin('WETH', wrapped),
    coin('cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8),
    coin('AERO', '0x940181a94A35A4569E4529A3CDfB74e38FD98631'),
  ],
  factories: [
    { kind: 'uniswap_v2', address: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6', fee: v2Fee },
    { kind: 'uniswap_v3', address: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD', fees: v3Fees },
    { kind: 'solidly', address: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da' },
    {
      kind: 'slipstream',
      address: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      spacings: slipstreamSpacings,
    },
    {
      kind: 'slipstream',
      address: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      spacings: slipstreamSpacings,
    },
    { kind: 'uniswap_v4', address: '0x498581fF718922c3f8e6A244956aF099B2652b2b', tiers: v4Tiers },
  ],
}
