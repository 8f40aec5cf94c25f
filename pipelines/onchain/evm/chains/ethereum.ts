/** Ethereum: Uniswap and Sushi. */
import { chains } from '../../../../schemas/chains.ts'
import { coin, dollar, type Market, v2Fee, v3Fees, v4Tiers } from '../market.ts'

const wrapped = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

export const ethereum: Market = {
  wrapped,
  quotes: [
    dollar('USDC', chains.ethereum.usdc),
    dollar('USDT', chains.ethereum.usdt),
    coin('WETH', wrapped),
    coin('WBTC', '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', 8),
  ],
  factories: [
    { kind: 'uniswap_v2', address: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f', fee: v2Fee },
    { kind: 'uniswap_v2', address: '0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac', fee: v2Fee },
    { kind: 'uniswap_v3', address: '0x1F98431c8aD98523631AE4a59f267346ea31F984', fees: v3Fees },
    { kind: 'uniswap_v4', address: '0x000000000004444c5dc75cB358380D2e3dE08A90', tiers: v4Tiers },
  ],
  known: {
    DAI: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    USDe: '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3',
    PYUSD: '0x6c3ea9036406852006290770BEdFcAbA0e23A0e8',
    EURC: '0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c',
    cbBTC: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
    stETH: '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
    wstETH: '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0',
    LINK: '0x514910771AF9Ca656af840dff83E8264EcF986CA',
    UNI: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
    AAVE: '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9',
    MKR: '0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2',
    LDO: '0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32',
    CRV: '0xD533a949740bb3306d119CC777fa900bA034cd52',
    COMP: '0xc00e94Cb662C3520282E6f5717214004A7f26888',
    SNX: '0xC011a73ee8576Fb46F5E1c5751cA3B9Fe0af2a6F',
    GRT: '0xc944E90C64B2c07662A292be6244BDf05Cda44a7',
    ENS: '0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72',
    APE: '0x4d224452801ACEd8B2F0aebE155379bb5D594381',
    SHIB: '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE',
    PEPE: '0x6982508145454Ce325dDbE47a25d4ec3d2311933',
  },
}
