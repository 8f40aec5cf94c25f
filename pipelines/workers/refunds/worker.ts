/** Pays refunds in one process of all: it reads what was ordered, and works on it until the chain shows its end. */
import { readEvent } from '../../../schemas/dataset/dataset.ts'
import { refunds } from '../../../schemas/refunds.ts'
import { salesCorrected } from '../../../schemas/sales-corrected.ts'
import { settlements } from '../../../schemas/settlements.ts'
import { isEvm, networks } from '../../../schemas/tables/networks.ts'
import { openEvmRefunds } from '../../domains/payments/evm/refund.ts'
import { openSvmRefunds } from '../../domains/payments/svm/refund.ts'
import { tick } from '../../rails/clock.ts'
import type { Log } from '../../rails/log/log.ts'
import { placeOf } from '../../rails/log/open-log.ts'
import { logVariables } from '../../rails/log/variables.ts'
import type { Process } from '../../rails/process.ts'
import type { Running } from '../../rails/running.ts'
import type { Worker } from '../worker.ts'
import { RefundBook } from './book.ts'
import { followCorrected } from './corrected.ts'
import { forgetRefunds, tellRefunds } from './gauges.ts'
import { ordersIn, removeOrder } from './orders.ts'
import { Refunder } from './refunder.ts'
import type { RefundRule } from './rules.ts'
import { refundVariables } from './variables.ts'

const group = 'refunds'
const everySecond = '* * * * * *'

type Options = Pick<Process, 'log' | 'store' | 'read' | 'now' | 'onFailed'>

export async function startRefunds({ log, store, read, now, onFailed }: Options): Promise<Running> {
  const { keys, aDay, mostGwei, former = [], rules, signerKey } = read(refundVariables)
  const { file } = placeOf(read(logVariables))
  const chains = new Map(
    keys.map(({ name, key, rpcUrls, payTo }) => {
      const ofFamily = former.filter(address => isEvm(name) === address.startsWith('0x'))
      const options = { key, rpcUrls, former: ofFamily, now }
      const chain = isEvm(name)
        ? openEvmRefunds({ network: name, mostGwei, ...options })
        : openSvmRefunds({ network: name, ...options })
      return [networks[name].receipt as string, { name, chain, payTo }]
    }),
  )
  const book = new RefundBook()
  const watching = await log.watch(refunds.topic, batch => {
    for (const { value } of batch) {
      const { event } = readEvent(refunds, value ?? '')
      if (event) book.take(event)
    }
  })
  await watching.caughtUp
  const caughtUp = async () =>
    void (await Promise.race([watching.reached(await log.end(refunds.topic)), watching.ended]))
  const refunder = new Refunder({
    ...{ log, book, store, chains, aDay, rules, signerKey, caughtUp, now, onFailed },
  })
  const following = [
    rules.length ? await followSales(log, refunder, rules) : undefined,
    await followCorrected({ log, store, refunder, rules, group, onFailed }),
  ].filter(one => one !== undefined)
  const ticking = tick(everySecond, 0, async signal => {
    try {
      for (const { requestId, reason } of file ? ordersIn(file) : []) {
        await refunder.order(requestId, 'command', reason)
        removeOrder(file as string, requestId)
      }
      await refunder.work(signal)
      return true
    } catch (failure) {
      onFailed('refunds', failure)
      return false
    } finally {
      const limitOf = (requestId: string) => refunder.limitOf(requestId)
      tellRefunds({ book, aDay: keys.length ? aDay : null, limitOf, nowMs: now() })
    }
  })
  return {
    ended: Promise.race([watching.ended, ticking.ended, ...following.map(({ ended }) => ended)]),
    close: async () => {
      for (const one of following) await one.close()
      await ticking.close()
      forgetRefunds()
      await watching.close()
    },
  }
}

/** Orders what the rules say. Each sale is looked at once: a rule that is new does not look back. */
const followSales = (log: Log, refunder: Refunder, rules: readonly RefundRule[]) =>
  log.follow(settlements.topic, group, async batch => {
    for (const { value } of batch) {
      const { event } = readEvent(settlements, value ?? '')
      const rule = event && rules.find(({ because }) => because === event.state)
      if (!event || !rule || event.at.slice(0, 10) < rule.since) continue
      if (rule.operations && !rule.operations.includes(event.operation)) continue
      await refunder.orderByRule(
        event.request_id,
        rule.because,
        'its answer was not fetched while it was kept',
      )
    }
  })

export const refunding: Worker = {
  part: 'refunds',
  role: 'ingest',
  reads: [refunds],
  groups: [
    { topic: settlements.topic, group },
    { topic: salesCorrected.topic, group },
  ],
  writes: [refunds],
  variables: [refundVariables],
  open: ({ alone, store, read, now, onFailed }) =>
    alone('refunds', ({ log }) => startRefunds({ log, store, read, now, onFailed })),
}
