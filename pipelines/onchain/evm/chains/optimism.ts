/** OP Mainnet: Uniswap, and Velodrome with its Slipstream pools. */
import { chains } from '../../../../schemas/chains.ts'
import { coin, dollar, type Market, slipstreamSpacings, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x4200000000000000000000000000000000000006'

export const optimism: Market = {
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
  known: {
    'USDC.e': '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
    DAI: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
    WBTC: '0x68f180fcCe6836688e9084f035309E29Bf0A2095',
    LINK: '0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6',
    SNX: '0x8700dAec35aF8Ff88c16BdF0418774CB3D7599B4',
    VELO: '0x9560e827aF36c94D2Ac33a39bCE1Fe78631088Db',
    wstETH: '0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb',
    AAVE: '0x76FB31fb4af56892A25e32cFC43De717950c9278',
    UNI: '0x6fd9d7AD17242c41f7131d257212c54A0e816691',
    LDO: '0xFdb794692724153d1488CcdBE0C56c252596735F',
    rETH: '0x9Bcef72be871e61ED4fBbc7630889beE758eb81D',
    WLD: '0xdC6fF44d5d932Cbd77B52E5612Ba0529DC6226F1',
    sUSD: '0x8c6f28f2F1A3C87F0f938b96d27520d9751ec8d9',
  },
}
