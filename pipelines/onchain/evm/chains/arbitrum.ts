/** Arbitrum: Uniswap and Sushi. */
import { chains } from '../../../../schemas/chains.ts'
import { coin, dollar, type Market, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1'

export const arbitrum: Market = {
  wrapped,
  // `block.number` is the height of Ethereum there. ArbSys knows the chain's own: arbBlockNumber().
  height: { address: '0x0000000000000000000000000000000000000064', data: '0xa3b1b31d' },
  quotes: [
    dollar('USDC', chains.arbitrum.usdc),
    dollar('USDT', chains.arbitrum.usdt),
    coin('WETH', wrapped),
    coin('WBTC', '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 8),
  ],
  factories: [
    { kind: 'uniswap_v2', address: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9', fee: v2Fee },
    { kind: 'uniswap_v2', address: '0xc35DADB65012eC5796536bD9864eD8773aBc74C4', fee: v2Fee },
    { kind: 'uniswap_v3', address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', fees: v3Fees },
    { kind: 'uniswap_v4', address: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32', tiers: v4Tiers },
  ],
  known: {
    'USDC.e': '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
    DAI: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
    ARB: '0x912CE59144191C1204E64559FE8253a0e49E6548',
    GMX: '0xfc5A1A6EB076a2C7aD06eD22C90d7E710E35ad0a',
    LINK: '0xf97f4df75117a78c1A5a0DBb814Af92458539FB4',
    PENDLE: '0x0c880f6761F1af8d9Aa9C466984b80DAb9a8c9e8',
    wstETH: '0x5979D7b546E38E414F7E9822514be443A4800529',
    UNI: '0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0',
    CRV: '0x11cDb42B0EB46D95f990BeDD4695A6e3fA034978',
    LDO: '0x13Ad51ed4F1B7e9Dc168d8a00cB3f4dDD85EfA60',
    MAGIC: '0x539bdE0d7Dbd336b79148AA742883198BBF60342',
    RDNT: '0x3082CC23568eA640225c2467653dB90e9250AaA0',
    GRT: '0x9623063377AD1B27544C965cCd7342f7EA7e88C7',
    COMP: '0x354A6dA3fcde098F8389cad84b0182725c6C91dE',
    rETH: '0xEC70Dcb4A1EFa46b8F2D97C310C9c4790ba5ffA8',
    weETH: '0x35751007a407ca6FEFfE80b3cB397736D2cf4dbe',
    FRAX: '0x17FC002b466eEc40DaE837Fc4bE5c67993ddBd6F',
    STG: '0x6694340fc020c5E6B96567843da2df01b2CE1eb6',
    USDe: '0x5d3a1Ff2b6BAb83b63cd9AD0787074081a52ef34',
  },
}
