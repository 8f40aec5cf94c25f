/**
 * `npm run call -- correct`: a fact is bought, its bank corrects it, the buyer brings receipt and question, hears what it was and what
 * it is, and the rule of the sandbox gives him his money back.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn } from '../../pipelines/rails/log/events.ts'
import { readAlong } from '../../pipelines/rails/log/open-log.ts'
import { type RefundStep, refunds } from '../../schemas/refunds.ts'
import { createFarebox } from '../client/farebox.ts'
import { purseInMemory } from '../client/purse.ts'
import { evmPayerKey } from './keys.ts'
import type { Note } from './note.ts'

type Tell = (what: string, value: string) => void

const question = { from: 'USD', to: 'JPY' } as const
/** A receipt may be brought ten times in an hour. */
const looks = 8
/** The rates that are held hear of a correction a moment after the log. */
const heardMs = 1000
/** The store may hear of the sale a moment after the sale, and is asked again with each look. */
const refundedMs = 10_000

/** The rule of the sandbox, unless its user has rules of his own. */
export function leaveRule(folder: string): string {
  const file = join(folder, 'refund-rules.json')
  const rule = { because: 'corrected', since: '2026-01-01', usdc_a_day: '1', a_payer_a_day: 20 }
  writeFileSync(file, `${JSON.stringify({ rules: [rule] })}\n`)
  return file
}

interface Again {
  corrected?: boolean
  differs?: { at: string; sold: unknown; now: unknown }[]
  why?: { at: string; what: string }[]
  message?: string
}

export async function correct({ url, bank, logUrl }: Note, tell: Tell): Promise<void> {
  const farebox = createFarebox({
    url,
    wallet: { evmKey: evmPayerKey },
    network: 'base',
    purse: purseInMemory(),
  })
  const sale = await farebox.fx(question)
  if (!sale.ok) throw new Error(`${sale.error.code}: ${sale.error.message}`)
  const requestId = sale.receipt?.request_id ?? ''
  tell('bought', `1 USD is ${sale.answer.rate} JPY (${requestId})`)

  const said = await fetch(`${bank}/correct`, { method: 'POST' })
  if (!said.ok) throw new Error(((await said.json()) as { error: string }).error)
  tell('bank', 'publishes the rates of its newest day again, with another one')

  const refunded = await follow(logUrl, requestId)
  try {
    let isTold = false
    for (let look = 1; look <= looks; look++) {
      const again = await bring(url, sale.settlement)
      if (again.message) throw new Error(again.message)
      if (!isTold) tellAgain(again, tell)
      isTold ||= again.corrected === true
      const step = await Promise.race([refunded.done, after(again.corrected ? refundedMs : heardMs)])
      if (step) return tell('refund', told(step))
    }
    throw new Error('no refund has come: the log of the sandbox says what it waits for')
  } finally {
    await refunded.close()
  }
}

const after = (ms: number) => sleep(ms, undefined, { ref: false })

async function bring(url: string, settlement: unknown): Promise<Again> {
  const answer = await fetch(`${url}/receipts/again`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ settlement, question }),
  })
  return (await answer.json()) as Again
}

function tellAgain({ differs = [], why = [] }: Again, tell: Tell): void {
  for (const { at, sold, now } of differs) tell('again', `${at}: sold as ${sold}, now ${now}`)
  for (const { what } of why) tell('why', what)
}

const told = ({ step, reason, amount_usdc, payer, refund_tx }: RefundStep): string =>
  step === 'refused' ? `refused: ${reason}` : `${amount_usdc} USDC on base back to ${payer}: ${refund_tx}`

async function follow(logUrl: string, requestId: string) {
  const { promise: done, resolve } = Promise.withResolvers<RefundStep>()
  const reading = await readAlong(logUrl, refunds.topic, batch => {
    for (const { event } of eventsIn(refunds, batch))
      if (event.request_id === requestId && ['paid', 'refused'].includes(event.step)) resolve(event)
  })
  return { done, close: () => reading.close() }
}
