/** The labels: what each means, when a seller gets it, which witness saw it, and its sentence. A label is never a verdict. */
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import { type Chain, largest, ratio, type Seller, type SellerEndpoint } from './seller.ts'

type Evidence = Record<string, number | string>

interface Label {
  code: string
  witness: 'catalog' | 'chain' | 'both'
  /** strong: the seller's buyers do not count as returning. caution: shown with the result. info: only listed. */
  severity: 'strong' | 'caution' | 'info'
  about: string
  found(seller: Seller): Evidence | undefined
  /** The sentence for a buyer. */
  caution?(evidence: Evidence): string
}

const percent = (share: number) => `${Math.round(100 * share)} %`
const day = 86_400_000
const calledMuch = ({ calls, payers }: { calls: number; payers: number }) => {
  const { fewWallets } = rules
  return (
    (calls >= fewWallets.calls && payers <= fewWallets.wallets && payers > 0) ||
    ratio(calls, payers) >= fewWallets.callsPerWallet
  )
}
const busiest = (endpoints: readonly SellerEndpoint[]): SellerEndpoint | undefined =>
  endpoints.reduce<SellerEndpoint | undefined>(
    (most, next) => (!most || next.calls > most.calls ? next : most),
    undefined,
  )

/** A label that needs proof from the chain. A seller without chain data cannot get it. */
const onChain =
  (found: (chain: Chain, seller: Seller) => Evidence | undefined): Label['found'] =>
  seller =>
    seller.chain && found(seller.chain, seller)

const oneCaution = () =>
  'Almost every paying wallet called once; this can be a test sweep or one-time wallets.'

export const labels: readonly Label[] = [
  {
    code: 'few_wallets_many_calls',
    witness: 'catalog',
    severity: 'caution',
    about: `at least ${rules.fewWallets.calls} calls from at most ${rules.fewWallets.wallets} wallets, or ${rules.fewWallets.callsPerWallet} calls a wallet, at one endpoint or over all`,
    found: ({ calls, payersMax, endpoints }) => {
      const much = [{ calls, payers: payersMax }, ...endpoints].find(calledMuch)
      return much && { calls: much.calls, wallets: much.payers }
    },
    caution: ({ calls, wallets }) =>
      `${calls} calls came from only ${wallets} paying wallets, so call volume says little about demand.`,
  },
  {
    code: 'one_call_per_wallet',
    witness: 'catalog',
    severity: 'caution',
    about: `at least ${rules.oneCall.wallets} wallets with at most ${rules.oneCall.callsPerWallet} calls each at any endpoint`,
    // At any endpoint, not at the busiest: the seller's own calls to another endpoint must not remove the label.
    found: ({ endpoints }) => {
      const { wallets, callsPerWallet } = rules.oneCall
      const once = endpoints
        .filter(({ calls, payers }) => payers >= wallets && calls <= callsPerWallet * payers)
        .reduce<SellerEndpoint | undefined>(
          (most, next) => (most && most.payers >= next.payers ? most : next),
          undefined,
        )
      return once && { calls: once.calls, wallets: once.payers }
    },
    caution: oneCaution,
  },
  {
    code: 'single_wallet_seller',
    witness: 'catalog',
    severity: 'info',
    about: 'no endpoint has more than one paying wallet: usually the test of its owner',
    found: ({ calls, payersMax }) =>
      calls >= 1 && payersMax <= 1 ? { calls, wallets: payersMax } : undefined,
  },
  {
    code: 'price_outlier',
    witness: 'catalog',
    severity: 'caution',
    about: `a called endpoint asks more than ${rules.priceOutlier.usd} dollars, or ${rules.priceOutlier.timesMedian} times the median of its category and more than ${rules.priceOutlier.aboveUsd}; not where the chain saw that money`,
    found: ({ endpoints, chain }) => {
      const odd = endpoints.find(({ calls, outlier }) => calls >= 1 && outlier)
      if (!odd?.price) return undefined
      const listed = Number(odd.price.times(odd.calls))
      const paid = Number(chain?.paid ?? 0)
      const { chainWithin } = rules.priceOutlier
      return paid > 0 && ratio(listed, paid) <= chainWithin && ratio(paid, listed) <= chainWithin
        ? undefined
        : { price_usd: odd.price.toFixed(), calls: odd.calls }
    },
    caution: ({ price_usd }) =>
      `Quoted price ${price_usd} USD is far above similar tools; check the quote before paying.`,
  },
  {
    code: 'cloned_endpoints',
    witness: 'catalog',
    severity: 'info',
    about: `at least ${rules.cloned.endpoints} endpoints, ${percent(rules.cloned.share)} of them with at most one call`,
    found: ({ endpoints }) => {
      const idle = endpoints.filter(({ calls }) => calls <= 1).length
      return endpoints.length >= rules.cloned.endpoints && ratio(idle, endpoints.length) >= rules.cloned.share
        ? { endpoints: endpoints.length, hardly_called: idle }
        : undefined
    },
  },
  {
    code: 'placeholder_url',
    witness: 'catalog',
    severity: 'caution',
    about: 'the URL that sells best still holds a placeholder',
    found: ({ endpoints }) => {
      const most = busiest(endpoints)
      return most?.placeholder ? { url: most.url } : undefined
    },
    caution: () => 'The listed URL contains a placeholder and may need a path value.',
  },
  {
    code: 'dormant',
    witness: 'catalog',
    severity: 'info',
    about: `no call in the last ${rules.dormantDays} days`,
    found: ({ endpoints, asOf }) => {
      const last = largest(endpoints.map(({ lastCalledAt }) => lastCalledAt ?? 0))
      return last > 0 && asOf - last > rules.dormantDays * day
        ? { last_called: new Date(last).toISOString().slice(0, 10) }
        : undefined
    },
  },
  {
    code: 'self_payment',
    witness: 'chain',
    severity: 'strong',
    about: `the seller's own wallets, those of its operator or the sender of the transaction paid at least ${rules.selfPayment.payments} times or ${percent(rules.selfPayment.share)} of all payments`,
    found: onChain(({ selfPayments: n, payments }) =>
      n > 0 && (n >= rules.selfPayment.payments || ratio(n, payments) >= rules.selfPayment.share)
        ? { self_payments: n, payments }
        : undefined,
    ),
    caution: ({ self_payments, payments }) =>
      `${percent(ratio(Number(self_payments), Number(payments)))} of payments came from wallets linked to the seller's own payment address.`,
  },
  {
    code: 'single_payer',
    witness: 'chain',
    severity: 'caution',
    about: `one wallet made at least ${percent(rules.singlePayer.share)} of ${rules.singlePayer.payments} payments or more`,
    found: onChain(({ payments, topPayments }) =>
      payments >= rules.singlePayer.payments && ratio(topPayments, payments) >= rules.singlePayer.share
        ? { payments, of_one_wallet: topPayments }
        : undefined,
    ),
    caution: ({ payments, of_one_wallet }) =>
      `One wallet made ${percent(ratio(Number(of_one_wallet), Number(payments)))} of the payments seen on chain.`,
  },
  {
    code: 'circular_funding',
    witness: 'chain',
    severity: 'strong',
    about: `at least ${rules.circular.wallets} paying wallets got more than ${percent(rules.refund.shareOfPaid)} of what they paid back from the seller's wallets, together ${percent(rules.circular.shareOfRevenue)} of its revenue`,
    found: onChain(({ fundedPayers, circular, paid }) =>
      fundedPayers >= rules.circular.wallets && circular.gte(paid.times(rules.circular.shareOfRevenue))
        ? { wallets: fundedPayers, circular_usd: circular.toFixed(), paid_usd: paid.toFixed() }
        : undefined,
    ),
    caution: () =>
      "Some paying wallets also received USDC from the seller's address; part of the volume may be circular.",
  },
  {
    code: 'coordinated_wallets',
    witness: 'chain',
    severity: 'strong',
    about: `at least ${rules.coordinated.wallets} wallets, ${percent(rules.coordinated.share)} of which paid for the first time ever within the same ${rules.coordinated.minutes} minutes, with near-equal counts; not in the first ${rules.coordinated.launchHours} hours of a seller`,
    found: onChain(({ payersWithoutSweepers, beganTogether, togetherAt, firstAt, cv, medianPayments }) => {
      const { wallets, share, cv: mostCv, median, minutes, launchHours } = rules.coordinated
      const launch = togetherAt + minutes * 60_000 - firstAt <= launchHours * 3_600_000
      return payersWithoutSweepers >= wallets &&
        ratio(beganTogether, payersWithoutSweepers) >= share &&
        cv <= mostCv &&
        medianPayments >= median &&
        !launch
        ? { wallets: payersWithoutSweepers, began_together: beganTogether, cv: Math.round(cv * 1000) / 1000 }
        : undefined
    }),
    caution: ({ began_together }) =>
      `${began_together} paying wallets started within ${rules.coordinated.minutes} minutes and pay in near-equal counts.`,
  },
  {
    code: 'one_shot_crowd',
    witness: 'chain',
    severity: 'caution',
    about: `at least ${rules.oneCall.wallets} wallets, ${percent(rules.oneCall.share)} of which paid once`,
    found: onChain(({ payersWithoutSweepers, oneCall, payments, payers }) =>
      payersWithoutSweepers >= rules.oneCall.wallets &&
      ratio(oneCall, payersWithoutSweepers) >= rules.oneCall.share &&
      payments <= rules.oneCall.callsPerWallet * payers
        ? { wallets: payersWithoutSweepers, paid_once: oneCall }
        : undefined,
    ),
    caution: oneCaution,
  },
  {
    code: 'burst',
    witness: 'chain',
    severity: 'caution',
    about: `of at least ${rules.burst.payments} payments ${percent(rules.burst.hourShare)} fall into one hour or ${percent(rules.burst.dayShare)} into one day, at a seller older than ${rules.burst.sellerDays} days`,
    found: onChain(({ payments, busiestHour, busiestDay, firstAt }, { asOf }) =>
      payments >= rules.burst.payments &&
      asOf - firstAt >= rules.burst.sellerDays * day &&
      (ratio(busiestHour, payments) >= rules.burst.hourShare ||
        ratio(busiestDay, payments) >= rules.burst.dayShare)
        ? { payments, busiest_hour: busiestHour, busiest_day: busiestDay }
        : undefined,
    ),
    caution: ({ payments, busiest_hour, busiest_day }) =>
      ratio(Number(busiest_hour), Number(payments)) >= rules.burst.hourShare
        ? `${percent(ratio(Number(busiest_hour), Number(payments)))} of 30-day payments fall in one hour.`
        : `${percent(ratio(Number(busiest_day), Number(payments)))} of 30-day payments fall on one day.`,
  },
  {
    code: 'metronome',
    witness: 'chain',
    severity: 'info',
    about: `a wallet with ${percent(rules.metronome.share)} of the payments pays like a clock: a scheduled job`,
    found: onChain(({ metronomeCv }) =>
      metronomeCv !== undefined && metronomeCv <= rules.metronome.cv ? { cv: metronomeCv } : undefined,
    ),
  },
  {
    code: 'sweeper_only',
    witness: 'chain',
    severity: 'caution',
    about: `${percent(rules.sweeperShare)} of its wallets pay nearly everyone once: at least ${rules.sweeper.sellers} sellers, at most ${rules.sweeper.paymentsPerSeller} times each`,
    found: onChain(({ payers, payersWithoutSweepers }) =>
      payers > 0 && ratio(payers - payersWithoutSweepers, payers) >= rules.sweeperShare
        ? { wallets: payers, sweepers: payers - payersWithoutSweepers }
        : undefined,
    ),
    caution: () =>
      'Most paying wallets pay nearly every seller once; they may be indexers rather than customers.',
  },
  {
    code: 'shared_wallet',
    witness: 'catalog',
    severity: 'info',
    about: `a wallet that at least ${rules.sharedHosts} sellers name: payments at it are nobody's in particular`,
    found: ({ walletHosts }) => (walletHosts >= rules.sharedHosts ? { sellers: walletHosts } : undefined),
  },
  {
    code: 'chain_gap',
    witness: 'both',
    severity: 'caution',
    about: `the catalog counts at least ${rules.chainGap.calls} calls, the chain less than ${percent(rules.chainGap.share)} of them; not where calls may be settled together`,
    found: onChain(({ payments }, { calls, endpoints }) =>
      calls >= rules.chainGap.calls &&
      !endpoints.some(({ priceIsMax }) => priceIsMax) &&
      payments < rules.chainGap.share * calls
        ? { calls, payments }
        : undefined,
    ),
    caution: ({ calls }) =>
      `The catalog reports ${calls} calls, but few matching payments were seen at the declared wallet; they may settle elsewhere.`,
  },
  {
    code: 'price_differs',
    witness: 'both',
    severity: 'info',
    about: `what is typically paid is more than ${rules.priceDiffers} times the listed price of every called endpoint, or less than 1/${rules.priceDiffers} of it`,
    found: onChain(({ typicalPaid, payments }, { endpoints }) => {
      const prices = endpoints.flatMap(({ price, calls }) => (price && calls >= 1 ? [Number(price)] : []))
      if (!prices.length || payments === 0) return undefined
      const near = prices.some(
        price => typicalPaid <= price * rules.priceDiffers && typicalPaid * rules.priceDiffers >= price,
      )
      return near ? undefined : { typically_paid_usd: typicalPaid }
    }),
  },
]

export interface AppliedLabel {
  label: Label
  evidence: Evidence
}

export const labelsOf = (seller: Seller): AppliedLabel[] =>
  labels.flatMap(label => {
    const evidence = label.found(seller)
    return evidence ? [{ label, evidence }] : []
  })

const disclaimer = 'Numbers look unusual; this is not proof of wrongdoing.'

/** The text for a buyer: the first sentence, and the number of further ones. */
export function cautionOf(applied: readonly AppliedLabel[]): string | null {
  const cautions = applied.filter(({ label }) => label.caution && label.severity !== 'info')
  const [first] = cautions
  if (!first?.label.caution) return null
  const more = cautions.length > 1 ? ` And ${cautions.length - 1} more.` : ''
  return `${first.label.caution(first.evidence)}${more} ${disclaimer}`
}
