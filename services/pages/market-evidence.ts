/** What stands behind each label of a seller: its numbers, the endpoints or the payers that have them, and their payments. */
import { method } from '../../pipelines/domains/market/method.ts'
import type { ChainPayment } from '../../schemas/chain-payments.ts'
import type { MarketPayer } from '../../schemas/market-views.ts'
import type { MarketSeller } from '../../schemas/market-weeks.ts'
import type { NetworkName } from '../../schemas/tables/networks.ts'
import { networks } from '../../schemas/tables/networks.ts'
import type { ReleaseSeller } from '../../schemas/values/market-release.ts'
import { cut } from '../query/face/scale.ts'
import { table } from '../query/face/table.ts'
import { escaped, linkTo, whole, words } from '../query/face/text.ts'
import { isTrue, type SellerFacts } from './market-facts.ts'

const mostPayers = 8
/** How many payers the view of a seller has at most. */
const mostPayersRead = 200
const mostEndpoints = 5
const mostPayments = 3

type Label = (typeof method.labels)[number]
/** `explored`: the networks whose block explorers know these payments. Chains of play money have none. */
export interface JudgedSeller {
  seller: ReleaseSeller
  week: string
  facts: SellerFacts
  explored: readonly NetworkName[]
}

/** The payers that a label of the chain speaks of. All of them, where it speaks of their crowd. */
const spokenOf: Readonly<Record<string, (payer: MarketPayer, at: number) => boolean>> = {
  self_payment: ({ self }) => isTrue(self),
  circular_funding: ({ funded }) => isTrue(funded),
  single_payer: (_, at) => at === 0,
  metronome: (_, at) => at === 0,
  coordinated_wallets: ({ sweeper }) => !isTrue(sweeper),
  one_shot_crowd: ({ sweeper, payments }) => !isTrue(sweeper) && Number(payments) === 1,
  sweeper_only: ({ sweeper }) => isTrue(sweeper),
}

export function evidenceOf(shown: JudgedSeller): string {
  const { seller, week, facts } = shown
  const labels = method.labels.filter(({ code }) => seller.patterns.includes(code))
  if (labels.length === 0) return ''
  const patterns = (facts.weeks.find(each => each.week === week) ?? facts.weeks[0])?.patterns ?? []
  return `<h2 id="evidence">What stands behind its labels</h2>
<p>${escaped(method.disclaimer)} ${linkTo('/docs/market/method', 'How the market is judged')}.</p>
${labels.map(label => labelSection(label, patterns, shown)).join('')}`
}

function labelSection(label: Label, patterns: MarketSeller['patterns'], shown: JudgedSeller): string {
  const { code, about, witness } = label
  const numbers = numbersOf(patterns.find(each => each.code === code)?.evidence)
  const figures = Object.entries(numbers).map(
    ([name, value]) => `<div><dt>${escaped(words(name))}</dt><dd>${figureOf(name, value)}</dd></div>`,
  )
  const isOfPayers = witness === 'chain' || witness === 'both'
  return `<section class="card" id="behind-${escaped(code)}"><h3>${escaped(words(code))}</h3>
<p>It is given where ${linkTo(`/market#${code}`, 'its rule')} holds: ${escaped(about)}.</p>
<p class="quiet">Seen ${isOfPayers ? 'on chain' : 'in the catalog'}.</p>
${figures.length ? `<dl class="figures">${figures.join('')}</dl>` : ''}${isOfPayers ? payersOf(code, shown) : endpointsOf(numbers, shown)}</section>`
}

type Numbers = Readonly<Record<string, unknown>>

function numbersOf(evidence: string | undefined): Numbers {
  try {
    const told: unknown = JSON.parse(evidence ?? '{}')
    return typeof told === 'object' && told !== null ? (told as Numbers) : {}
  } catch {
    return {}
  }
}

const figureOf = (name: string, value: unknown): string =>
  typeof value === 'number' && !name.endsWith('usd') ? whole(value) : escaped(cut(String(value), 120))

/** The endpoints that have these numbers. Where none has them alone, they are the sums of all. */
function endpointsOf(numbers: Numbers, { seller }: JudgedSeller): string {
  const having = seller.endpoints.filter(
    ({ url, calls, wallets, price_usd: price }) =>
      url === numbers.url ||
      (numbers.calls === calls && (numbers.wallets === wallets || numbers.price_usd === price)),
  )
  const rows = having
    .slice(0, mostEndpoints)
    .map(each => `<li><code>${escaped(cut(each.url, 160))}</code></li>`)
  return rows.length
    ? `<p>${whole(having.length)} of its ${whole(seller.endpoints.length)} ${linkTo('#endpoints', 'endpoints')} ${having.length === 1 ? 'has' : 'have'} these numbers:</p><ul>${rows.join('')}</ul>`
    : `<p>These are numbers of all its ${linkTo('#endpoints', 'endpoints')} together.</p>`
}

const columns = [
  'payer',
  { title: 'payments', isNumber: true },
  { title: 'paid, USDC', isNumber: true },
  { title: 'days', isNumber: true },
  'first, UTC',
  'what it is',
  'last payments',
]

function payersOf(code: string, { facts, explored }: JudgedSeller): string {
  const byPayments = facts.payers.toSorted((a, b) => Number(b.payments) - Number(a.payments))
  const spoken = byPayments.filter(spokenOf[code] ?? (() => true))
  if (spoken.length === 0)
    return '<p class="quiet">None of its payers that were read here is one of them.</p>'
  const rows = spoken.slice(0, mostPayers).map(payer => payerRow(payer, facts, explored))
  // The view brings no more, so of a crowd only a part is known here.
  const isPart = facts.payers.length >= mostPayersRead
  return `${table({ columns, rows, caption: `Payers that ${words(code)} speaks of` })}
<p class="quiet">${Math.min(mostPayers, spoken.length)} of ${whole(spoken.length)} payers${isPart ? ` among the ${whole(facts.payers.length)} that were read; there are more` : ''}. All: the view <code>market_payers</code> of the ${linkTo('/docs/market/dataset', 'dataset')}.</p>`
}

function payerRow(payer: MarketPayer, facts: SellerFacts, explored: readonly NetworkName[]): string[] {
  const paid = facts.payments.filter(each => each.payer === payer.payer).slice(0, mostPayments)
  const back = facts.back.filter(each => each.pay_to === payer.payer).slice(0, mostPayments)
  const links = (label: string, all: readonly ChainPayment[]) =>
    all.length ? `${label}${all.map(each => paymentLink(each, explored)).join(', ')}` : ''
  return [
    `<code>${escaped(cut(payer.payer, 80))}</code>`,
    whole(Number(payer.payments)),
    escaped(String(payer.paid)),
    whole(Number(payer.days)),
    escaped(minute(payer.first_at)),
    whatItIs(payer),
    [links('', paid), links('came back: ', back)].filter(Boolean).join('; ') || 'older than those read here',
  ]
}

function whatItIs({ self, funded, back, sweeper }: MarketPayer): string {
  const told = [
    isTrue(self) ? 'a wallet of the seller, or one that settles for itself' : '',
    isTrue(funded) ? `funded by the operator of its wallets: ${escaped(String(back))} USDC came to it` : '',
    isTrue(sweeper) ? 'pays very many sellers a few times each' : '',
  ].filter(Boolean)
  return told.join('; ') || 'a customer'
}

const minute = (at: string): string => at.slice(0, 16).replace('T', ' ')

/** A payment by its transaction, at the explorer of its chain. */
function paymentLink({ network, tx, amount }: ChainPayment, explored: readonly NetworkName[]): string {
  const name = explored.find(each => networks[each].receipt === network)
  const text = escaped(`${cut(tx, 10)} (${amount})`)
  if (!name) return `<span title="${escaped(cut(tx, 100))}">${text}</span>`
  const address = networks[name].explorer.replace('{tx}', encodeURIComponent(tx))
  return `<a href="${escaped(address)}" rel="noreferrer">${text}</a>`
}

const paymentColumns = ['when, UTC', 'payer', { title: 'USDC', isNumber: true }, 'network', 'transaction']
const mostNewest = 10

/** The newest payments at its wallets, whatever its labels. */
export function paymentsOf({ facts, explored }: JudgedSeller): string {
  const rows = facts.payments
    .slice(0, mostNewest)
    .map(payment => [
      escaped(minute(payment.at)),
      `<code>${escaped(cut(payment.payer, 80))}</code>`,
      escaped(payment.amount),
      `${escaped(payment.network)}${payment.provisional ? ' <small>not final yet</small>' : ''}`,
      paymentLink(payment, explored),
    ])
  return rows.length
    ? `<h2 id="payments">The newest payments seen on chain</h2>${table({ columns: paymentColumns, rows, caption: 'Payments' })}<p class="quiet">${rows.length} of the ${whole(facts.payments.length)} that were read here.</p>`
    : ''
}

const mostPayees = 20

/** Whom its customers pay, and who else names the same wallet. */
export function payeesOf({ seller, facts }: JudgedSeller): string {
  const listed = [...new Set(seller.endpoints.flatMap(({ pay_to = [] }) => pay_to))]
  const rows = facts.wallets.length
    ? facts.wallets.map(({ pay_to, network, hosts, named_since: since }) => [
        `<code>${escaped(cut(pay_to, 80))}</code>`,
        escaped(network),
        Number(hosts) > 1 ? `${whole(Number(hosts) - 1)} other sellers` : 'it alone',
        escaped(minute(since)),
      ])
    : listed.map(each => [`<code>${escaped(cut(each, 80))}</code>`, '', '', ''])
  return rows.length
    ? `<h2 id="payees">Who is paid</h2>${table({ columns: ['wallet', 'network', 'named by', 'named since, UTC'], rows: rows.slice(0, mostPayees), caption: 'Wallets' })}<p class="quiet">${Math.min(mostPayees, rows.length)} of ${whole(rows.length)}${rows.length === 100 ? ' or more' : ''}.</p>`
    : ''
}
