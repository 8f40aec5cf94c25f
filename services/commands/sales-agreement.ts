/** Whether topic, table, view and statement have the same sales: what `books -- check` says beside the days. */
import { type Span, ToldByTopic, toldByStore } from '../../pipelines/domains/books/agreement.ts'
import type { AskStore, OwnWallet } from '../../pipelines/domains/books/facts.ts'
import { eventsIn } from '../../pipelines/rails/log/events.ts'
import type { Received } from '../../pipelines/rails/log/log.ts'
import { readAlong } from '../../pipelines/rails/log/open-log.ts'
import { settlements } from '../../schemas/settlements.ts'
import { loadLog } from './command-line.ts'

export async function topicNow(): Promise<ToldByTopic> {
  const told = new ToldByTopic()
  const hear = (batch: readonly Received[]) => {
    for (const { event } of eventsIn(settlements, batch)) told.hear(event)
  }
  const reading = await readAlong(await loadLog(), settlements.topic, hear, { from: 'beginning' })
  await Promise.race([reading.caughtUp, reading.ended])
  await reading.close()
  return told
}

interface Agreeing {
  wallet: OwnWallet
  span: Span
  byTopic: ToldByTopic | undefined
  json: boolean
}

/** 1 if the ways to the sales of a wallet say different things. */
export async function agreed(ask: AskStore, { wallet, span, byTopic, json }: Agreeing): Promise<number> {
  const told = await toldByStore(ask, wallet, span)
  const all = { ...(byTopic && { topic: byTopic.of(wallet, span) }), ...told }
  const ways = Object.entries(all)
  const differ = new Set(ways.map(([, { count, usdc }]) => `${count} ${usdc}`)).size > 1
  const { network, payTo } = wallet
  if (json) console.log(JSON.stringify({ network, pay_to: payTo, told: all }))
  else if (differ)
    console.log(
      `${network} ${payTo}: ${ways.map(([name, { count, usdc }]) => `the ${name} has ${usdc} in ${count}`).join(', ')}`,
    )
  return differ ? 1 : 0
}
