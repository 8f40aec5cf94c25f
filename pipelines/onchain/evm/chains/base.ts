/** Base: Uniswap, and Aerodrome with its Slipstream pools. */
import { chains } from '../../../../schemas/chains.ts'
import { coin, dollar, type Market, slipstreamSpacings, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x4200000000000000000000000000000000000006'

export const base: Market = {
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
  known: {
    DAI: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
    USDbC: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
    EURC: '0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42',
    cbETH: '0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22',
    wstETH: '0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452',
    weETH: '0x04C0599Ae5A44757c0af6F9eC3b93da8976c150A',
    DEGEN: '0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed',
    BRETT: '0x532f27101965dd16442E59d40670FaF5eBB142E4',
    TOSHI: '0xAC1Bd2486aAf3B5C0fc3Fd868558b082a531B2B4',
    VIRTUAL: '0x0b3e328455c4059EEb9e3f84b5543F74E24e7E1b',
    WELL: '0xA88594D404727625A9437C3f886C7643872296AE',
  },
}
