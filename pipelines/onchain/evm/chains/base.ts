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
    USDS: '0x820C137fa70C8691f0e44Dc420a5e53c168921Dc',
    tBTC: '0x236aa50979D5f3De3Bd1Eeb40E81137F22ab794b',
    rETH: '0xB6fe221Fe9EeF5aBa221c348bA20A1Bf5e73624c',
    ezETH: '0x2416092f143378750bb29b79eD961ab195CcEea5',
    KEYCAT: '0x9a26F5433671751C3276a065f57e5a02D2817973',
    HIGHER: '0x0578d8A44db98B23BF096A382e016e29a5Ce0ffe',
    MOG: '0x2Da56AcB9Ea78330f947bD57C54119Debda7AF71',
    PRIME: '0xfA980cEd6895AC314E7dE34Ef1bFAE90a5AdD21b',
    ZORA: '0x1111111111166b7FE7bd91427724B487980aFc69',
    MORPHO: '0xBAa5CC21fd487B8Fcc2F632f3F4E8D37262a0842',
    UNI: '0xc3De830EA07524a0761646a6a4e4be0e114a3C83',
    LINK: '0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196',
    CRV: '0x8Ee73c484A26e0A5df2Ee2a4960B789967dd0415',
    AIXBT: '0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825',
    CLANKER: '0x1bc0c42215582d5A085795f4baDbaC3ff36d1Bcb',
    SPX: '0x50dA645f148798F68EF2d7dB7C1CB22A6819bb2C',
    SEAM: '0x1C7a460413dD4e964f96D8dFC56E7223cE88CD85',
    YFI: '0x9EaF8C1E34F05a589EDa6BAfdF391Cf6Ad3CB239',
    KAITO: '0x98d0baa52b2D063E780DE12F615f963Fe8537553',
  },
}
