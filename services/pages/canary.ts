/** The last purchases of the canary, for the page of the status. */
import { type CanaryPurchase, canaryNow } from '../../schemas/canary-purchases.ts'
import { type NetworkName, networks } from '../../schemas/tables/networks.ts'
import { table } from '../query/face/table.ts'
import { escaped } from '../query/face/text.ts'
import type { Shelf } from '../query/shelf.ts'

const most = 12

/** From memory: a seller in a cluster has no store. */
export const lastPurchases = (shelf: Pick<Shelf, 'peek'>): CanaryPurchase[] =>
  [...shelf.peek(canaryNow)].toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, most)

const said: Record<CanaryPurchase['state'], string> = {
  intended: 'under way, or not finished',
  good: '<span class="good">good</span>',
  failed: '<span class="bad">failed</span>',
  skipped: 'skipped',
}

/** `explored`: the networks whose block explorers know what is sold here. Chains of play money have none. */
export function canarySection(rows: readonly CanaryPurchase[], explored: readonly NetworkName[]): string {
  if (rows.length === 0) return ''
  const shown = rows.map(row => {
    const why = row.failed_step ? ` at ${row.failed_step}: ${row.reason}` : (row.reason ?? '')
    return [
      escaped(row.at.slice(0, 19).replace('T', ' ')),
      escaped(row.network),
      escaped(row.operation),
      `${said[row.state]} <small>${escaped(why)}</small>`,
      escaped(row.price_usdc),
      transaction(row, explored),
    ]
  })
  return `<h2 id="canary">The canary</h2>
<p class="quiet">A customer of our own buys here from outside, and holds answer, receipt, signature and chain against each other.</p>
${table({ columns, rows: shown, caption: 'The last purchases of the canary' })}`
}

const columns = ['when, UTC', 'network', 'what', 'outcome', { title: 'USDC', isNumber: true }, 'transaction']

/** A fact names a test network as its main one, so only the seller's own list tells which it is. */
function transaction({ network, payment_tx }: CanaryPurchase, explored: readonly NetworkName[]): string {
  if (!payment_tx) return ''
  const name = explored.find(each => networks[each].receipt === network)
  const short = escaped(`${payment_tx.slice(0, 10)}…`)
  if (!name) return short
  const address = networks[name].explorer.replace('{tx}', encodeURIComponent(payment_tx))
  return `<a href="${escaped(address)}" rel="noreferrer">${short}</a>`
}
