/** What people see of answers about tokens and wallets. */
import {
  type AnswerFields,
  amountOf,
  type Drawing,
  type Drawings,
  fieldsOf,
  numberOf,
  rowsOf,
  textOf,
} from '../../offer/drawing.ts'

/** The pool pays out its depth while its price falls by this share. */
const depthShare = 0.02
const steps = 40

/**
 * The impact of amounts up to a few times the known ones: what the depth says of a pool whose product is constant. Its reserve is
 * D / (1 - sqrt(1 - 0.02)).
 */
function impact(answer: AnswerFields): Drawing[] {
  const depth = numberOf(answer.depth_usd)
  const fee = numberOf(fieldsOf(answer.pool).fee_pct)
  const [amount, known] = [numberOf(answer.amount_usd), numberOf(answer.price_impact_pct)]
  if (!(depth > 0) || !(fee >= 0) || !(fee < 100)) return []
  const reserve = depth / (1 - Math.sqrt(1 - depthShare))
  const within = (dollars: number) => {
    const left = dollars * (1 - fee / 100)
    return fee + (100 - fee) * (left / (reserve + left))
  }
  const most = Math.max(depth, amount > 0 ? amount * 1.5 : 0)
  return [
    {
      kind: 'curve',
      title: 'Price impact by amount',
      note: `The curve follows from the depth, ${amountOf(answer.depth_usd)} USD paid out while the price falls by 2 %. It includes the fee, ${fee} %.`,
      across: 'amount',
      acrossUnit: 'USD',
      what: 'impact',
      unit: '%',
      curve: Array.from({ length: steps + 1 }, (_, i) => {
        const x = (most * i) / steps
        return { x, y: within(x) }
      }),
      known: [
        ...(amount > 0 && known >= 0 ? [{ name: 'as asked', x: amount, y: known }] : []),
        { name: 'the depth', x: depth, y: within(depth) },
      ],
    },
  ]
}

const portfolio = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'ranked',
    title: `What ${textOf(answer.address).slice(0, 10)}… holds`,
    note: `${amountOf(answer.total_usd)} USD in all; ${textOf(answer.unpriced)} without a price.`,
    when: 'coin',
    what: 'value',
    unit: 'USD',
    more: ['amount', 'price, USD', 'note'],
    marks: rowsOf(answer.holdings).map(row => ({
      at: textOf(row.symbol) || textOf(row.token),
      value: numberOf(row.value_usd),
      more: [textOf(row.amount), textOf(row.price_usd), row.thin_liquidity === true ? 'thin liquidity' : ''],
    })),
  },
]

const transfers = (answer: AnswerFields): Drawing[] => [
  {
    kind: 'steps',
    title: 'What the transaction moved',
    steps: rowsOf(answer.transfers).map(row => ({
      name: `${textOf(row.amount) || textOf(row.raw)} ${textOf(row.symbol)} to ${textOf(row.to)}`,
      value: `from ${textOf(row.from)}`,
    })),
  },
]

export const chainDrawings: Drawings = {
  at: import.meta.url,
  of: {
    chainPrice: impact,
    chainCheck: impact,
    chainPretrade: impact,
    chainPortfolio: portfolio,
    chainTx: transfers,
  },
}
