/** Checks a token before a trade. */
import { fromAtoms } from '../../../../schemas/tables/stablecoins.ts'
import { noPrice, toUnits } from '../dollars.ts'
import type { ChainRefused, ChainWarning, TokenCheck } from '../reader.ts'
import { marketOf, noPool, type SvmMarket } from './market.ts'
import type { SvmNodes } from './nodes.ts'
import type { PoolReading } from './pools/reader.ts'
import type { SvmPricedPool } from './priced-pool.ts'
import type { Pricing } from './prices.ts'
import { priceWarnings, shownPrice } from './shown-price.ts'
import { tokenAccount } from './token/account.ts'
import { extension, transferFeeAt } from './token/extensions.ts'
import { readable, type SvmReadToken, seen, tokenWarnings } from './token/facts.ts'

export async function checkOf(
  nodes: SvmNodes,
  pricing: Pricing,
  token: string,
): Promise<TokenCheck | ChainRefused<'not_a_token'>> {
  const market = await marketOf(pricing, token)
  return 'refused' in market ? market : checked(nodes, market)
}

export function checked(nodes: SvmNodes, { read, reading, pools, isPartial }: SvmMarket): TokenCheck {
  const { address, name, symbol, mint } = read
  const [deepest] = pools
  const taken = transferFeeAt(mint.extensions, reading.sight.clock.epoch)
  const taxPct = String((taken?.bps ?? 0) / 100)
  return {
    ...seen(nodes, reading.sight),
    token: address,
    name,
    symbol,
    total_supply: fromAtoms(mint.supply, mint.decimals),
    ...(deepest ? shownPrice(deepest) : noPrice),
    // The mint declares the fee that a transfer withholds. It is the same for every holder.
    buy_tax_pct: taxPct,
    sell_tax_pct: taxPct,
    sellable: extension(mint.extensions, 'non_transferable') ? false : null,
    tried: null,
    warnings: [
      ...tokenWarnings(read, reading.sight),
      ...(deepest ? [] : [noPoolWarning(address)]),
      ...priceWarnings(pools, isPartial),
      ...(deepest ? poolWarnings(deepest, read, reading) : []),
      {
        code: 'not_tried',
        severity: 'info',
        evidence:
          'no purchase is tried here: the authorities and extensions of the mint say what can stop a sale',
      },
    ],
  }
}

const noPoolWarning = (token: string): ChainWarning => ({
  code: 'no_pool',
  severity: 'caution',
  evidence: noPool(token).because,
})

const dayS = 86_400
const nearlyAll = 0.9

function poolWarnings(
  { read: { state, vault } }: SvmPricedPool,
  { mint }: SvmReadToken,
  { sight }: PoolReading,
): ChainWarning[] {
  const found: ChainWarning[] = []
  const ageS = state.openedAt ? sight.clock.unixSeconds - Number(state.openedAt) : undefined
  if (ageS !== undefined && ageS < dayS)
    found.push({
      code: 'young_pool',
      severity: 'caution',
      evidence: `${state.address} opened ${Math.max(0, Math.round(ageS / 3600))} h ago`,
    })
  const account = sight.account(vault)
  const held = (account && readable(() => tokenAccount(account.data))?.amount) ?? 0n
  if (mint.supply > 0n && toUnits(held, 0).div(toUnits(mint.supply, 0)).gt(nearlyAll))
    found.push({
      code: 'held_by_pool',
      severity: 'info',
      evidence: `${vault} of the pool holds ${fromAtoms(held, mint.decimals)} of ${fromAtoms(mint.supply, mint.decimals)}`,
    })
  return found
}
