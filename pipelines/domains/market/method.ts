/** The published text about the rules of the market. Its hash lets a buyer tell one set of rules from another. */
import canonicalize from 'canonicalize'
import { marketRules as rules } from '../../../schemas/tables/market-rules.ts'
import { sha256 } from '../../rails/signing/sha256.ts'
import { labels } from './labels.ts'

export const disclosure =
  'The operator of this service runs this ranking and also sells tools. Its own tools are ranked by the same rule, with no boost, and are marked.'

const rank =
  'est_revenue_30d_usd descending, then paying_wallets_max descending, then calls descending, then host; active sellers only'
const best =
  'sqrt(text relevance) x log2(1 + paying wallets in 30 days) x (1 if buyers come back, else ' +
  `${rules.repeat.factor}); ties: cheaper first, then a hash of the week and the listing's own words. Call counts do not enter. An endpoint that failed its last hourly probe comes after all others. One result per operator.`

const described = labels.map(({ code, witness, severity, about }) => ({ code, witness, severity, about }))

export const rulesSha256 = sha256(canonicalize({ rules, rank, best, labels: described }) as string)

export const ranking = `${rules.version} (sha256:${rulesSha256.slice(0, 16)}): text relevance x log2(1 + paying wallets) x repeat-buyer factor; see /market/method`

export const method = {
  version: rules.version,
  sha256: rulesSha256,
  witnesses: {
    catalog: "the catalog's own counts of calls and paying wallets in 30 days",
    chain:
      'payments seen in final blocks at wallets that one seller alone names, over the same 30 days; only where at least 95 % of them were read',
  },
  numbers: {
    paying_wallets_max:
      'paying wallets of the busiest endpoint; wallets of several endpoints are never added up',
    est_revenue_30d_usd: `calls x listed price, to the cent; a list-price estimate. Quotes above ${rules.priceOutlier.usd} USD count only where the chain saw that money`,
    repeat_buyers: `chain: at least ${rules.repeat.wallets} wallets paid on 2 days or more, the lower end of the 95 % interval of their share is at least ${rules.repeat.lowerBound}, and no strong label; sweepers, wallets that the seller funds and its own do not count. Without chain data: at least ${rules.repeat.catalogWallets} wallets with ${rules.repeat.catalogCallsPerWallet} calls each on average, and no label that doubts them`,
  },
  rank,
  best,
  left_out: [
    'hosts that are no public address, tunnels and previews, test networks only',
    'URLs that still hold a placeholder, listings that describe themselves as tests, endpoints without a call, prices that cannot be read',
  ],
  labels: described,
  not_seen: [
    'transfers between wallets neither of which is a seller: rings that go through other wallets, and who first funded a payer',
    'payments at wallets that several sellers name, and calls that are settled in batches or on other networks',
  ],
  thresholds: rules,
  disclosure,
  disclaimer: 'A label says that numbers look unusual. It is not proof of wrongdoing.',
} as const
