/** `npm run refund -- <request_id>`: orders that the money of a sale goes back to its payer, and waits until it has. It needs no key. */
import { parseArgs } from 'node:util'
import { entryOf } from '../../pipelines/rails/log/log.ts'
import type { LogAt } from '../../pipelines/rails/log/log-address.ts'
import { openLog, placeOf, readAlong } from '../../pipelines/rails/log/open-log.ts'
import { RefundBook } from '../../pipelines/workers/refunds/book.ts'
import { leaveOrder, type RefundOrder, requestIdForm } from '../../pipelines/workers/refunds/orders.ts'
import { orderOf } from '../../pipelines/workers/refunds/refunder.ts'
import { readEvent } from '../../schemas/dataset/dataset.ts'
import { type RefundStep, refunds } from '../../schemas/refunds.ts'
import { loadLog, Misused, runCommand, wishesOf } from './command-line.ts'

const usage = `npm run refund -- <request_id> [--reason WORDS] [--wait SECONDS]

  Orders that the whole price of a sale goes back to its payer, and waits until the chain shows it (300 s, or --wait). The request id
  stands in the receipt. A sale is paid back once, however often it is ordered. The service pays, with its REFUND_KEY_...; this
  command needs the address of the log alone: LOG_URL (or DATA_DIR), as for npm run serve. The signed receipt goes to stdout.`

const mostReason = 200

const wishes = (args: string[]) =>
  wishesOf(usage, () => {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { reason: { type: 'string' }, wait: { type: 'string', default: '300' } },
    })
    const [requestId, ...more] = positionals
    if (!requestId || more.length) throw new Misused(usage)
    // What was put here by mistake may be a secret, so it is not repeated.
    if (!requestIdForm.test(requestId)) throw new Misused('this is not the request id of a receipt')
    if (!/^\d{1,5}$/.test(values.wait)) throw new Misused('--wait should be a number of seconds')
    if ((values.reason?.length ?? 0) > mostReason)
      throw new Misused(`--reason should have ${mostReason} letters at most`)
    return { order: { requestId, reason: values.reason || null }, waitMs: Number(values.wait) * 1000 }
  })

async function leave(at: LogAt, order: RefundOrder, last: RefundStep | undefined): Promise<void> {
  const { file } = placeOf(at)
  if (file) return leaveOrder(file, order)
  const log = await openLog(at, { topics: [refunds.topic] })
  await log.append(refunds.topic, [entryOf(refunds, orderOf(order, last, Date.now()))])
  await log.close()
}

async function refund(args: string[]): Promise<void> {
  const { order, waitMs } = wishes(args)
  const { requestId } = order
  const at = await loadLog()
  const book = new RefundBook()
  let ordered: number | undefined
  const done = Promise.withResolvers<RefundStep>()
  const look = () => {
    const known = book.of(requestId)
    if (isPaid(known?.state)) done.resolve(known?.last as RefundStep)
    if (known?.state === 'refused' && ordered !== undefined && known.last.attempt >= ordered)
      done.resolve(known.last)
  }
  const reading = await readAlong(
    at,
    refunds.topic,
    batch => {
      for (const { value } of batch) {
        const { event } = readEvent(refunds, value ?? '')
        if (!event || event.request_id !== requestId) continue
        book.take(event)
        if (ordered !== undefined && event.step === 'intended')
          console.error(`sending ${event.amount_usdc} USDC on ${event.network} to ${event.payer}`)
        look()
      }
    },
    { from: 'beginning' },
  )
  await Promise.race([reading.caughtUp, reading.ended])
  const known = book.of(requestId)
  ordered = (known?.last.attempt ?? -1) + (known?.state === 'refused' || !known ? 1 : 0)
  if (isPaid(known?.state)) console.error('it was paid back before')
  else {
    await leave(at, order, known?.last)
    console.error('ordered: if it has to wait, the log of the service says what for')
  }
  const late = setTimeout(() => done.reject(new Error(stillOpen)), waitMs)
  try {
    tell(await Promise.race([done.promise, reading.ended.then(() => done.promise)]))
  } finally {
    clearTimeout(late)
    await reading.close()
  }
}

const stillOpen =
  'it is ordered and not paid yet: the log of the service says what it waits for. To order it again pays it once, too'

const isPaid = (state: string | undefined): boolean => state === 'paid' || state === 'final'

function tell({ step, reason, amount_usdc, network, payer, refund_tx, receipt }: RefundStep): void {
  if (!isPaid(step)) throw new Error(`not paid back: ${reason}`)
  console.error(`paid ${amount_usdc} USDC on ${network} back to ${payer}: ${refund_tx}`)
  if (step === 'final') console.error('no reorganisation takes it back')
  if (receipt) console.log(receipt)
}

if (import.meta.main) runCommand(usage, refund)
