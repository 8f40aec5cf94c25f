/** What the trades of a trial say about a token. Each warning says which trade it comes from. */
import { centsText, Decimal } from '../dollars.ts'
import type { ChainWarning } from '../reader.ts'

/** A trade that was tried. */
export interface Tried {
  dollars: Decimal
  ok: boolean
  /** In the token's words. */
  reason: string
  /** In percent: what did not arrive. Null if nobody can tell. */
  tax: Decimal | null
  /** It had the gas of a wallet and used it up, which says nothing about the token. */
  starved?: boolean
}

interface Tries {
  /** From the largest to the smallest. */
  purchases: readonly Tried[]
  /** The sales of one buyer. A step is absent if there was nothing left to sell. */
  steps: Partial<Record<'atOnce' | 'next' | 'later' | 'month', Tried | undefined>>
  /** After `later` has failed: a tenth of it. */
  laterTenth?: Tried | undefined
  /** In the next block, of other buyers: all they had, and where that failed a tenth of it. */
  others: readonly { all: Tried; tenth: Tried }[]
  grown?: bigint
  endured?: Endured | undefined
  counted?: Counted | undefined
}

/** Small sales through a year. */
export interface Endured {
  /** Of each sale, whether it went through. */
  ends: readonly boolean[]
  last: Tried
}

/** Sales by one whose blocks are far apart. */
export interface Counted {
  atOnce: Tried
  later: readonly Tried[]
  /** After the purchase, of each later sale. */
  blocks: readonly number[]
}

export interface Verdict {
  sellable: boolean | null
  buyTax: Decimal | null
  sellTax: Decimal | null
  warnings: ChainWarning[]
}

const of = ({ dollars }: Tried) => `$${centsText(dollars)}`

export function judged(trials: Tries): Verdict {
  const { purchases } = trials
  const bought = purchases.filter(({ ok }) => ok)
  const first = purchases[0]
  if (!bought.length || !first)
    return {
      sellable: null,
      buyTax: null,
      sellTax: null,
      warnings: first
        ? [danger('cannot_buy', `purchases of ${rangeOf(purchases)} failed: ${first.reason}`)]
        : [],
    }
  const short = salesOf(trials)
  const closing = short.sellable ? closingOf(trials) : []
  const sales = closing.some(({ code }) => code === 'cannot_sell') ? { ...short, sellable: false } : short
  const buyTax = heaviest(bought)
  // In the block of the purchase many tokens take more, against programs that buy and sell at once.
  const sellTax = heaviest([
    trials.steps.next,
    trials.steps.later,
    trials.steps.month,
    trials.endured?.last,
    ...trials.others.flatMap(({ all, tenth }) => [all, tenth]),
  ])
  return {
    sellable: sales.sellable,
    buyTax: buyTax?.tax ?? null,
    sellTax: sellTax?.tax ?? null,
    warnings: [
      ...buyLimit(purchases),
      ...taxWarning('buy', buyTax),
      ...taxWarning('sell', sellTax),
      ...sales.warnings,
      ...closing,
      ...(trials.grown
        ? [
            {
              code: 'rebasing' as const,
              severity: 'info' as const,
              evidence: `a holding changes by ${trials.grown} atoms in a day and a half without a transfer`,
            },
          ]
        : []),
    ],
  }
}

function buyLimit(purchases: readonly Tried[]): ChainWarning[] {
  const [most] = purchases.filter(({ ok }) => ok)
  const refused = purchases.filter(each => !each.ok && most && each.dollars.gt(most.dollars)).at(-1)
  return refused && most
    ? [
        caution(
          'buy_limit',
          `a purchase of ${of(refused)} failed: ${refused.reason}; one of ${of(most)} went through`,
        ),
      ]
    : []
}

function salesOf({ steps, laterTenth, others }: Tries): {
  sellable: boolean | null
  warnings: ChainWarning[]
} {
  const { atOnce, next, later, month } = steps
  const last = later ?? next ?? atOnce
  if (!last) return { sellable: null, warnings: [] }
  if (!last.ok && !laterTenth?.ok) {
    const early = [next, atOnce].find(each => each?.ok)
    const when = early
      ? 'a sale a day and a half after the purchase failed, and an earlier one did not'
      : 'the sale failed'
    return {
      sellable: false,
      warnings: [danger('cannot_sell', `${when}, of ${of(last)}: ${last.reason}`)],
    }
  }
  if (later?.ok && month?.ok === false) {
    const when = 'a sale a month after the purchase failed, and an earlier one did not'
    return { sellable: false, warnings: [danger('cannot_sell', `${when}, of ${of(month)}: ${month.reason}`)] }
  }
  const warnings: ChainWarning[] = []
  const early = [next, atOnce].find(each => each && !each.ok)
  if (early)
    warnings.push(
      caution(
        'cooldown',
        early === next
          ? `a sale in the block after the purchase failed: ${early.reason}; a day and a half later it went through`
          : `a sale in the block of the purchase failed: ${early.reason}; in the next block it went through`,
      ),
    )
  if (later && !later.ok && laterTenth) warnings.push(sellLimit(later, laterTenth))
  // Before the wait is over, nobody else can sell either.
  const failed = next && !next.ok ? [] : others.filter(({ all }) => !all.ok && !all.starved)
  const limited = failed.filter(({ all, tenth }) => tenth.ok || all.dollars.gt(last.dollars))
  const [limit] = limited
  if (limit) warnings.push(sellLimit(limit.all, limit.tenth.ok ? limit.tenth : last))
  const caught = failed.find(each => !limited.includes(each))
  if (caught)
    warnings.push(
      danger('cannot_sell', `the sale of another buyer failed, of ${of(caught.all)}: ${caught.all.reason}`),
    )
  return { sellable: !caught, warnings }
}

/** Some honest tokens let an account sell once in some days. */
const mostWaiting = 8
/** A share of the sales. */
const mostFailed = 0.05

/** What goes through at first, and not for long. */
function closingOf({ endured, counted }: Tries): ChainWarning[] {
  const late = counted?.later.findLastIndex(({ ok }) => ok) ?? -1
  const [failed] = counted?.later.slice(late + 1) ?? []
  if (counted?.atOnce.ok && failed) {
    const blocks = counted.blocks[late + 1]
    return [
      danger(
        'cannot_sell',
        `a sale ${blocks} blocks after the purchase failed, and an earlier one did not: ${failed.reason}`,
      ),
    ]
  }
  // Some take no small sale at all. The first alone may come too soon after the purchase, or have no luck.
  if (!endured?.ends.includes(true)) return []
  const { ends, last } = endured
  const lastGood = ends.lastIndexOf(true)
  const closed = ends.length - 1 - lastGood
  const waits = ends
    .slice(0, lastGood)
    .join('')
    .split('true')
    .map(each => each.length / 'false'.length)
  if (closed >= mostWaiting && closed > 2 * Math.max(0, ...waits))
    return [
      danger(
        'cannot_sell',
        `of ${ends.length} small sales through a year, the last ${closed} failed: ${last.reason}`,
      ),
    ]
  const lost = ends.filter(end => !end).length
  return lost > ends.length * mostFailed
    ? [danger('sell_limit', `of ${ends.length} small sales through a year, ${lost} failed`)]
    : []
}

const sellLimit = (refused: Tried, sold: Tried): ChainWarning =>
  danger('sell_limit', `a sale of ${of(refused)} failed: ${refused.reason}; one of ${of(sold)} went through`)

/** Smaller taxes are the token's own rounding. */
const noTax = new Decimal('0.01')
const heavyTax = 10

function heaviest(tries: readonly (Tried | undefined)[]): Tried | undefined {
  const known = tries.flatMap(each => (each?.ok && each.tax ? [each as Tried & { tax: Decimal }] : []))
  return known.reduce<(typeof known)[number] | undefined>(
    (most, each) => (most?.tax.gte(each.tax) ? most : each),
    undefined,
  )
}

function taxWarning(side: 'buy' | 'sell', heavy: Tried | undefined): ChainWarning[] {
  if (!heavy?.tax?.gt(noTax)) return []
  const what = `${heavy.tax.toFixed()} % did not arrive, of a trial with ${of(heavy)}`
  return [(heavy.tax.gt(heavyTax) ? danger : caution)(`${side}_tax`, what)]
}

const rangeOf = (tries: readonly Tried[]): string => {
  const [first, last] = [tries[0], tries.at(-1)]
  return first && last && first !== last ? `${of(first)} to ${of(last)}` : first ? of(first) : 'nothing'
}

const said =
  (severity: ChainWarning['severity']) =>
  (code: ChainWarning['code'], evidence: string): ChainWarning => ({ code, severity, evidence })
const danger = said('danger')
const caution = said('caution')
