/** The powers over holders that functions in the code of a token give to an account, by their names. */
import { type Hex, slice, toFunctionSelector } from 'viem'
import type { Code } from './code.ts'

const accounts = ['address', 'address,bool', 'address[]', 'address[],bool']
const named = (names: string, ...given: readonly string[]) =>
  names.split(' ').flatMap(name => given.map(each => `${name}(${each})`))
const numbers = ['uint256', 'uint256,uint256', 'uint256,uint256,uint256', 'uint256,uint256,uint256,uint256']

const powers = {
  owner_can_mint: [
    ...named('mint issue increaseSupply ownerMint mintTokens addSupply', 'uint256', 'address,uint256'),
    ...named(
      'mintTo mintFor mintToken adminMint crosschainMint bridgeMint generateTokens inflate print',
      'address,uint256',
    ),
  ],
  owner_can_pause: [
    ...named('pause pauseTrading stopTrading disableTrading toggleTrading closeTrading togglePause lock', ''),
    ...named(
      'enableTrading setTrading setTradingEnabled setTradingActive setTradingStatus setTradingOpen tradingStatus setTradingAllowed setCanTrade setPause setPaused setTransfersEnabled setTransferEnabled setTransferable enableTransfer',
      'bool',
    ),
  ],
  can_freeze: [
    ...named(
      'blacklist blackList addBlackList addBlacklist addToBlacklist setBlacklist setBlackList setBlacklisted setIsBlacklisted blacklistAddress blacklistAccount updateBlacklist manageBlacklist multiBlacklist setBlacklists denylist setDenylist addToDenylist blocklist setBlocklist blockAccount blockAddress setBlocked ban setBanned freeze freezeAccount freezeAddress setFrozen lockAccount setBot setBots addBot addBots setSniper setIsBot',
      ...accounts,
    ),
  ],
  owner_sets_fee: [
    ...named(
      'setFee setFees setTax setTaxes setBuyFee setBuyFees setSellFee setSellFees setBuyTax setBuyTaxes setSellTax setSellTaxes setTransferFee setTransferTax setTaxFee setTaxRate setFeeRate setFeePercent setTaxFeePercent setLiquidityFeePercent setMarketingFee updateFee updateFees updateTax updateTaxes updateBuyFee updateBuyFees updateSellFee updateSellFees changeFee changeFees changeTax setParams',
      ...numbers,
    ),
    ...named(
      'enableFees enableFee setFeesEnabled setFeeEnabled setFeesOn setFeeOn setTakeFee setTaxEnabled setTaxesEnabled enableTax switchFees switchFee setFeeActive',
      'bool',
    ),
    ...named('toggleFees toggleFee toggleTax toggleTaxes', ''),
  ],
  rebasing: [
    ...named('rebase', '', 'uint256', 'int256', 'uint256,int256'),
    ...named('sharesOf scaledBalanceOf', 'address'),
  ],
} as const
type Power = keyof typeof powers

const selectors = (Object.keys(powers) as Power[]).flatMap(power =>
  powers[power].map(signature => ({
    power,
    signature,
    pushed: `63${slice(toFunctionSelector(signature), 0).slice(2)}`,
  })),
)

/** The code compares a call with the selector of each function. The compiler writes that selector as a push of 4 bytes. */
export function powersIn({ own, delegates }: Code): { power: Power; signature: string }[] {
  const code = `${own}${delegates.map(each => each.code).join('')}`
  const found = selectors.filter(({ pushed }) => code.includes(pushed))
  return found.filter(({ power }, i) => found.findIndex(each => each.power === power) === i)
}

const bySelector = new Map(selectors.map(({ signature, pushed }) => [`0x${pushed.slice(2)}`, signature]))

export const signatureOf = (selector: Hex): string => bySelector.get(selector) ?? `its function ${selector}`
