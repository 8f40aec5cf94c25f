/** Checks a token: its facts, its price, and a trial purchase and sale. */
import type { Address } from 'viem'
import { chains } from '../../../../schemas/tables/chains.ts'
import { Decimal, noPrice } from '../dollars.ts'
import type { ChainRefused, ChainWarning, TokenCheck } from '../reader.ts'
import { codeOf } from './code.ts'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'
import { type Plan, together } from './plan.ts'
import { noPool, tokenPlan } from './price.ts'
import { type EvmPricedPool, type Prices, pricesOf } from './prices.ts'
import { priceWarnings, shownPrice } from './shown-price.ts'
import { inUnits, shownAddress } from './token.ts'
import { type EvmReadToken, seen, tokenWarnings } from './token-facts.ts'
import { type TokenTrial, tried, usualDollars } from './trial.ts'

interface Checked<Extra> {
  check: TokenCheck
  token: EvmReadToken
  deepest: EvmPricedPool | undefined
  prices: Prices<{ more: Extra }>
}

export async function checkOf<Extra>(
  nodes: EvmNodes,
  token: Address,
  more: Plan<Extra>,
  amountUsd = usualDollars,
): Promise<Checked<Extra> | ChainRefused<'not_a_token'>> {
  const prices = await pricesOf(nodes, [token], together({ read: tokenPlan(token), more }))
  const { block, source, extra, of, coins } = prices
  const { read } = extra
  if ('refused' in read) return read
  const pools = of.get(token.toLowerCase()) ?? []
  const [deepest] = pools
  const reading = codeOf(nodes, token, block)
  const [code, trial, young] = await Promise.all([
    reading,
    deepest
      ? tried(nodes, deepest, coins, amountUsd, block, { code: reading, owner: read.owner })
      : undefined,
    deepest && !deepest.pool.key ? isYoung(nodes, deepest.pool.address, block) : false,
  ])
  const check: TokenCheck = {
    ...seen(nodes, block, source),
    token: shownAddress(token),
    name: read.name.text,
    symbol: read.symbol.text,
    total_supply: inUnits(read.supply, read.decimals),
    ...(deepest ? shownPrice(deepest) : noPrice),
    ...outcomeOf(trial),
    warnings: firstOfEach([
      ...(trial?.tried ? trial.powers : []),
      ...tokenWarnings(nodes, token, read, code),
      ...priceWarnings(pools),
      ...(deepest ? poolWarnings(deepest, read, young) : [unpriced(noPool(nodes, token, read))]),
      ...(trial ? trialWarnings(trial) : []),
    ]),
  }
  return { check, token: read, deepest, prices }
}

/** What was seen to happen comes before what a name suggests. A code is told once. */
const firstOfEach = (all: readonly ChainWarning[]): ChainWarning[] =>
  all.filter(({ code }, i) => code === 'price_disagrees' || all.findIndex(each => each.code === code) === i)

const outcomeOf = (trial: TokenTrial | undefined) => ({
  buy_tax_pct: (trial?.tried && trial.buyTax?.toFixed()) || null,
  sell_tax_pct: (trial?.tried && trial.sellTax?.toFixed()) || null,
  sellable: trial?.tried ? trial.sellable : null,
  tried: trial?.tried ? trial.how : null,
})

const unpriced = ({ because }: ChainRefused<'no_pool'>): ChainWarning => ({
  code: 'no_pool',
  severity: 'caution',
  evidence: because,
})

const trialWarnings = (trial: TokenTrial): ChainWarning[] =>
  trial.tried ? trial.warnings : [{ code: 'not_tried', severity: 'info', evidence: trial.why }]

const nearlyAll = 0.95

function poolWarnings({ pool }: EvmPricedPool, { supply }: EvmReadToken, young: boolean): ChainWarning[] {
  const found: ChainWarning[] = []
  if (young)
    found.push({
      code: 'young_pool',
      severity: 'caution',
      evidence: `${shownAddress(pool.address)} had no code a day before`,
    })
  if (pool.form === 'pair' && supply > 0n) {
    const share = new Decimal(String(pool.reserveToken)).div(String(supply))
    if (share.gt(nearlyAll))
      found.push({
        code: 'held_by_pool',
        severity: 'info',
        evidence: `${share.mul(100).toDecimalPlaces(1).toFixed()} % of the supply lie in ${shownAddress(pool.address)}`,
      })
  }
  return found
}

const dayMs = 86_400_000

/** Also false if the node does not remember yesterday. */
async function isYoung(nodes: EvmNodes, pool: Address, { number }: EvmBlock): Promise<boolean> {
  const dayAgo = number - Math.ceil(dayMs / chains[nodes.chain].blockMs)
  if (dayAgo < 1) return false
  const { answer } = await nodes.ask(client =>
    client.getCode({ address: pool, blockNumber: BigInt(dayAgo) }).then(
      code => code === undefined,
      () => false,
    ),
  )
  return answer
}
