/** Compares three books: the chains', the log's, and the customers'. */
import { eventsIn } from '../../pipelines/rails/log/events.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { openSqliteLog } from '../../pipelines/rails/log/sqlite-log.ts'
import { type RefundStep, refunds } from '../../schemas/refunds.ts'
import type { SettlementEvent } from '../../schemas/settlements.ts'
import { settlementsOf } from '../services/till/tills.ts'
import { type Customer, present } from './customer.ts'
import type { CrashPoint } from './plan.ts'
import { sellerTopics } from './seller-options.ts'
import type { Shop } from './shop.ts'
import type { World } from './world.ts'

export interface Row {
  customer: Customer
  /** The point of this purchase at which the seller was killed. */
  killed: CrashPoint | undefined
  /** The number of times that the price went to the seller. */
  moved: number
  outcome: Outcome
  wrong: string[]
}

export const outcomes = ['at once', 'later', 'when shown again', 'free'] as const
export type Outcome = (typeof outcomes)[number]

/** The shop has restarted, so only the log remembers. Paid calls without an answer are presented once more. */
export async function audit(
  world: World,
  shop: Shop,
  folder: string,
  customers: Customer[],
): Promise<Omit<Row, 'killed'>[]> {
  const before = new Map<Customer, { moved: number; heard: number }>()
  for (const customer of customers) {
    const moved = await customer.payer.paid(customer.amount)
    before.set(customer, { moved, heard: customer.heard.length })
    if (moved > 0 && !customer.heard.some(({ status }) => status === 200)) await present(customer, shop)
  }
  await shop.close()

  const log = await openSqliteLog(`${folder}/log.db`, { topics: sellerTopics })
  const events = Map.groupBy(await settlementsOf(log), ({ payer }) => payer?.toLowerCase())
  const facts = Map.groupBy(await refundsOf(log), ({ payer }) => payer.toLowerCase())
  await log.close()
  const rows = await Promise.all(
    customers.map(async customer => {
      const was = before.get(customer) as { moved: number; heard: number }
      const moved = await customer.payer.paid(customer.amount)
      const name = customer.payer.address.toLowerCase()
      const wrong = wrongIn(customer, moved, events.get(name) ?? [])
      wrong.push(...(await wrongRefunds(customer, facts.get(name) ?? [])))
      if (moved !== was.moved) wrong.push('money moved that nobody asked for')
      return { customer, moved, outcome: outcomeOf(customer, moved, was.heard), wrong }
    }),
  )
  const total = rows.reduce((sum, { customer, moved }) => sum + BigInt(moved) * customer.amount, 0n)
  const earned = await world.earned()
  if (earned !== total) throw new Error(`earned ${earned}, and ${total} was paid`)
  return rows
}

async function refundsOf(log: Log): Promise<RefundStep[]> {
  const steps: RefundStep[] = []
  const watching = await log.watch(refunds.topic, batch => {
    for (const { event } of eventsIn(refunds, batch)) steps.push(event)
  })
  await watching.caughtUp
  await watching.close()
  return steps
}

async function wrongRefunds({ payer, amount, ordered }: Customer, steps: RefundStep[]): Promise<string[]> {
  const returned = await payer.returned(amount)
  const told = new Set(
    steps.flatMap(({ step, refund_tx }) => (step === 'paid' || step === 'final' ? refund_tx : [])),
  )
  const wanted = ordered === undefined ? 0 : 1
  return [
    ...(returned === wanted ? [] : [`owed a refund ${wanted} times, paid back ${returned} times`]),
    ...(told.size === returned ? [] : [`paid back ${returned} times, told ${told.size} times`]),
  ]
}

function wrongIn({ heard, lies }: Customer, moved: number, events: SettlementEvent[]): string[] {
  const settled = new Set(events.flatMap(event => (event.state === 'settled' ? [event.request_id] : [])))
  const answers = new Set(heard.flatMap(({ answer }) => answer ?? []))
  const wrong = [...lies]
  if (moved > 1) wrong.push(`paid ${moved} times`)
  if (settled.size !== moved) wrong.push(`paid ${moved} times, recorded ${settled.size} times`)
  if (answers.size > 1) wrong.push('two different answers for one payment')
  if (moved > 0 && answers.size === 0) wrong.push('paid, and no answer to be had')
  if (moved === 0 && answers.size > 0) wrong.push('an answer that was not paid for')
  const last = heard.at(-1)
  if (moved > 0 && last?.status === 402) wrong.push(`told ${last.code}, and paid`)
  const ends = new Set(
    events.flatMap(({ state, request_id }) => (/settled|failed/.test(state) ? [request_id] : [])),
  )
  if (events.some(({ request_id }) => !ends.has(request_id))) wrong.push('a promise without an end')
  return wrong
}

function outcomeOf({ heard, plan }: Customer, moved: number, heardBefore: number): Outcome {
  if (moved === 0) return 'free'
  const first = heard.findIndex(({ status }) => status === 200)
  if (first >= heardBefore) return 'when shown again'
  return first === 0 && plan.client !== 'leaves' ? 'at once' : 'later'
}
