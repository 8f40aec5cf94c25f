/** Base: Uniswap, and Aerodrome with its Slipstream pools. */
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

export const base: EvmMarket = {
  wrapped,
  quotes: [
    dollar('USDC', chains.base.usdc),
    coin('WETH', wrapped),
    coin('cbBTC', '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf', 8),
    coin('AERO', '0x940181a94A35A4569E4529A3CDfB74e38FD98631'),
  ],
  factories: [
    {
      kind: 'uniswap_v2',
      address: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      fee: v2Fee,
    },
    {
      kind: 'uniswap_v3',
      address: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      router: '0x2626664c2603336E57B271c5C0b26F421741e481',
      fees: v3Fees,
    },
    {
      kind: 'solidly',
      address: '0x420DD381b31aEf6683db6B902084cB0FFECe40Da',
      router: '0xcF77a3Ba9A5CA399B7c97c74d54e5b1Beb874E43',
    },
    {
      kind: 'slipstream',
      address: '0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A',
      router: '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
      spacings: slipstreamSpacings,
    },
    {
      kind: 'slipstream',
      address: '0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a',
      router: '0xBE6D8f0d05cC4be24d5167a3eF062215bE6D18a5',
      spacings: slipstreamSpacings,
    },
    {
      kind: 'uniswap_v4',
      address: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      router: permit2,
      tiers: v4Tiers,
    },
  ],
}
