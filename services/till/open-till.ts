/** Opens the till: puts its parts together on a log and its facilitators. */
import type { Blobs } from '../../pipelines/rails/blobs/blobs.ts'
import type { Log } from '../../pipelines/rails/log/log.ts'
import { networks } from '../../schemas/tables/networks.ts'
import type { PaidWallet, Tariff } from '../offer/tariff.ts'
import type { FacilitatorAddress } from './facilitator/addresses.ts'
import type { FacilitatorOptions } from './facilitator/facilitator.ts'
import { openFacilitators } from './facilitator/open-facilitators.ts'
import { decode } from './header.ts'
import { Ledger } from './ledger.ts'
import { checkPayment } from './payment.ts'
import { Quotes } from './quotes.ts'
import { openRecentBlocks } from './recent-blocks.ts'
import { Allowance } from './sale/allowance.ts'
import { Background, sweep } from './sale/background.ts'
import { NewPayers } from './sale/new-payers.ts'
import { Places, usualSalesBytes } from './sale/places.ts'
import { PromisedPayments } from './sale/promised-payments.ts'
import { proofs } from './sale/proof.ts'
import { Recall } from './sale/recall.ts'
import { Recovery } from './sale/recovery.ts'
import { replays } from './sale/replay.ts'
import { Resettlement } from './sale/resettlement.ts'
import { Retries } from './sale/retries.ts'
import { Stopping } from './sale/stop.ts'
import { Turns } from './sale/turns.ts'
import { unpaidOf } from './sale/unpaid.ts'
import { type Step, seller } from './sale.ts'
import { openSchemes, type RpcUrls } from './schemes/open-schemes.ts'
import { Spends } from './spends.ts'
import type { ProductOrigin, Till } from './till.ts'

export interface TillConfig {
  /** In order. */
  facilitators: readonly FacilitatorAddress[]
  payTo: readonly PaidWallet[]
  /** The nodes of each network, including networks that the till no longer sells on. */
  rpcUrls: RpcUrls
}

export interface TillOptions {
  origins: readonly ProductOrigin[]
  log: Log
  /** Keeps answers that are too large for a log record. */
  blobs: Blobs
  config: TillConfig
  /** What a file says in place of the code. */
  prices?: Tariff | undefined
  now: () => number
  /** Milliseconds by a clock that nobody can set, whatever happens to the date. */
  uptime?: () => number
  /** Gets every error that the till survives. */
  onError?: (error: unknown) => void
  limits?: Partial<typeof usual>
  timeoutsMs?: FacilitatorOptions['timeoutsMs']
  /** For tests: called at each step of a sale. */
  step?: (step: Step) => void
}

const usual = {
  /** What all sales under way may hold. */
  salesBytes: usualSalesBytes(),
  /** To each facilitator, for each network. */
  connections: 4096,
  answerMs: 30_000,
  lineMs: 45_000,
  unknownMs: 110_000,
  waitMs: 15_000,
  sweepMs: 3000,
  auditMs: 5000,
  stopMs: 8000,
}

const steadily = () => performance.now()
const cutOff = 'The log does not answer'

/** Opens even while no facilitator answers. From then on it concludes the purchases that earlier runs left open. */
export async function openTill(options: TillOptions): Promise<Till> {
  const { origins, log, blobs, config, now, uptime = steadily, onError = () => {}, step = () => {} } = options
  const limits = { ...usual, ...options.limits }
  const schemes = openSchemes(config.rpcUrls, now)
  const sold = config.payTo.map(({ name }) => name)
  const blocks = openRecentBlocks({ networks: sold.map(name => networks[name].caip2), schemes, uptime })
  const quotes = new Quotes({ origins, payTo: config.payTo, prices: options.prices, blocks, now })
  const facilitators = openFacilitators({
    addresses: config.facilitators,
    ...{ sold, now, connections: limits.connections, timeoutsMs: options.timeoutsMs, onError },
    onSupported: supported => quotes.refresh(supported),
  })
  const lied = facilitators.lied.bind(facilitators)
  const [spends, payments] = [new Spends(schemes), new PromisedPayments(quotes, schemes, now)]
  const ledger = await Ledger.open({ log, blobs, now, uptime, onError, lied, promised: payments.keep })
  const stopping = new Stopping(limits.stopMs)
  const [turns, retries, allowance] = [new Turns(), new Retries(), new Allowance(now)]
  const recovery = new Recovery({ ledger, turns, schemes, retries, lied, ...limits, now, onError })
  const recall = new Recall({ ledger, spends, recovery, payees: () => quotes.payees, now })
  const resettlement = await Resettlement.open({ facilitators, log, payments, ledger, onError })

  const background = new Background(onError)
  const aside = (work: Promise<unknown>) => background.add(work)
  const reserving = { turns, ledger, waitMs: limits.waitMs, aside }
  const replaying = replays({ ...reserving, allowance })
  const { sell, again, knows } = seller({
    ...reserving,
    ...{ quotes, schemes, spends },
    proofs: proofs({ ledger, rpcUrls: config.rpcUrls, onError }),
    facilitators,
    ...{ recovery, retries },
    places: new Places(limits.salesBytes),
    ...{ allowance, unpaid: unpaidOf({ schemes, now }) },
    trials: new NewPayers(allowance),
    replays: replaying,
    stopping,
    now,
    limits,
    step,
    onError,
  })

  ledger.ended.catch(onError)
  const sweeper = sweep(recovery, limits.sweepMs)
  await facilitators.ask()

  return {
    quote: product => quotes.of(product),
    decode,
    check: (presented, product) => checkPayment(presented, product, { quotes, schemes }),
    owes: presented => recall.owes(presented),
    replay: replaying.replay,
    sell,
    knows,
    again,
    word: presented => recall.word(presented),
    recalled: (presented, caller) => recall.recalled(presented, caller),
    closed: () => facilitators.choice.down ?? (ledger.isCutOff || ledger.isBehind ? cutOff : undefined),
    facilitators: () => facilitators.states,
    stop: () => stopping.begin(),
    ended: ledger.ended,
    async close() {
      stopping.end()
      blocks.stop()
      await sweeper.stop()
      await Promise.all([background.ended(), resettlement.close()])
      await Promise.all([ledger.close(), facilitators.close()])
    },
  }
}
