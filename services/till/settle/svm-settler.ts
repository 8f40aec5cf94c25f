/** Settles on Solana as the payer of fees. One message has one signature of ours, so sending it again can pay nobody twice. */
import { costInLamports } from '../../../pipelines/domains/payments/cost.ts'
import { openSvmFinder } from '../../../pipelines/domains/payments/svm/finder.ts'
import { type Rpc, rpcOf } from '../../../pipelines/domains/payments/svm/rpc.ts'
import {
  type FeePayer,
  feeOf,
  feePayerOf,
  objectionTo,
  type Sponsored,
  sponsored,
} from '../../../pipelines/domains/payments/svm/sponsored.ts'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { coinDecimals, networks, type SvmNetworkName } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import { unfit } from '../payment-failures.ts'
import { svmScheme } from '../schemes/svm.ts'
import type { PaymentOffer, Spend } from '../till.ts'
import { distrustMs, reasons, type Settled, type Settler, type SettlingOptions } from './settler.ts'
import { Statuses } from './statuses.ts'

/** The till waits 45 s for a facilitator. */
const patienceMs = 40_000
/** Leaders forget what they cannot place at once. */
const sendAgainMs = 2000
const purseMs = 30_000
const mostUnderWay = 1024
/** Two signatures, and the dearest compute that we take. */
const lamportsOfOne = 15_000
const lamports = 10 ** coinDecimals.svm
/** An account must keep this much to stay. */
const leastLamports = 1_000_000
const mostText = 2 * 1232

interface Held {
  payer: FeePayer
  isReady: boolean
  timer: NodeJS.Timeout
}

export class SvmSettler implements Settler {
  readonly network: string
  readonly #scheme: ReturnType<typeof svmScheme>
  readonly #rpc: Rpc
  /** Each node gets what is sent. */
  readonly #nodes: readonly Rpc[]
  readonly #held = new Map<string, Held>()
  readonly #statuses: Statuses
  /** What this process has sent. */
  readonly #sent = new Bounded<true>({ most: 10_000 })
  readonly #underWay = new Map<string, Promise<Settled>>()
  /** Payers whose transaction has failed. It cost us its fee, and them nothing. */
  readonly #burners = new Bounded<number>({ most: 10_000 })
  readonly #now: () => number
  readonly #name: SvmNetworkName
  readonly #spent: SettlingOptions['spent']
  readonly #onError: SettlingOptions['onError']
  #release: (() => Promise<void>)[] = []
  #isClosed = false

  private constructor(name: SvmNetworkName, { rpcUrls, now, spent, onError }: SettlingOptions) {
    this.#name = name
    this.#spent = spent
    this.#now = now
    this.network = networks[name].caip2
    this.#rpc = rpcOf(rpcUrls)
    this.#statuses = new Statuses(this.#rpc)
    this.#nodes = rpcUrls.map(url => rpcOf([url]))
    this.#scheme = svmScheme({ network: name, finder: openSvmFinder({ rpcUrls, now }), now })
    this.#onError = onError
  }

  static async open(name: SvmNetworkName, options: SettlingOptions): Promise<SvmSettler> {
    const settler = new SvmSettler(name, options)
    for (const payer of options.keys.map(payerOf)) {
      const running = await options.alone(`settle ${settler.network} ${payer.address}`, () =>
        settler.#hold(payer),
      )
      settler.#release.push(() => running.close())
    }
    return settler
  }

  /** Those that this process may use. Another one holds the others. */
  get signers(): readonly string[] {
    return [...this.#held.keys()]
  }

  terms() {
    for (const { payer, isReady } of this.#held.values()) if (isReady) return { feePayer: payer.address }
    return undefined
  }

  async check(payload: Record<string, unknown>, offer: PaymentOffer): Promise<Spend> {
    const { feePayer = '' } = offer.extra
    if (!this.#held.has(feePayer)) throw unfit('the fee payer is none of ours')
    if (typeof payload.transaction !== 'string' || payload.transaction.length > mostText)
      throw unfit('transaction is too long')
    const spend = await this.#scheme.check(payload, offer)
    const objection = objectionTo(bytesOf(spend), feePayer)
    if (objection) throw unfit(`we do not pay the fee of this transaction: ${objection}`)
    return spend
  }

  /** A node gets it without our signature. With it, whoever has it could send it, whatever we say meanwhile. */
  async obstacle(spend: Spend): Promise<string | undefined> {
    const since = this.#burners.peek(spend.payer)
    if (since !== undefined && Math.abs(this.#now() - since) < distrustMs) return reasons.notSent
    const wire = bytesOf(spend).toString('base64')
    const { value } = await this.#rpc<{ value: { err: unknown } }>('simulateTransaction', wire, {
      encoding: 'base64',
      sigVerify: false,
      commitment: 'confirmed',
    })
    return value.err === null ? undefined : obstacleIn(value.err)
  }

  settle(spend: Spend): Promise<Settled> {
    const known = this.#underWay.get(spend.spendId)
    if (known) return known
    const signed = this.#underWay.size < mostUnderWay ? this.#signed(spend) : undefined
    if (!signed) return Promise.resolve({ success: false, transaction: '', errorReason: reasons.notSent })
    const settling = this.#settle(spend, signed).finally(() => this.#underWay.delete(spend.spendId))
    this.#underWay.set(spend.spendId, settling)
    return settling
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#release.map(release => release()), ...this.#underWay.values()])
    this.#release = []
  }

  async #settle(spend: Spend, signed: Sponsored): Promise<Settled> {
    const { signature } = signed
    if (!this.#sent.ask(signature)) {
      const obstacle = await this.obstacle(spend).catch(() => reasons.notSent)
      // Somebody may have sent it before this process began.
      const before = obstacle ? await this.#statuses.of(signature) : undefined
      if (obstacle && !before) return { success: false, transaction: '', errorReason: obstacle }
      this.#sent.set(signature, true)
    }
    return this.#bring(signed, spend)
  }

  /** From here on the transaction may land, so every failure names it. */
  async #bring({ signature, wire }: Sponsored, spend: Spend): Promise<Settled> {
    const until = performance.now() + patienceMs
    const failed = (errorReason: string): Settled => ({ success: false, transaction: signature, errorReason })
    let sentAt = Number.NEGATIVE_INFINITY
    while (performance.now() < until && !this.#isClosed) {
      if (performance.now() - sentAt > sendAgainMs) {
        sentAt = performance.now()
        await this.#send(wire)
      }
      const status = await this.#statuses.of(signature)
      if (status && status.err !== null) {
        this.#burners.set(spend.payer, this.#now())
        this.#paid(spend, signature, 0)
        metrics.settledTransfers.inc({ network: this.#name, outcome: 'missed' })
        return failed('invalid_exact_svm_transaction_failed')
      }
      if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') {
        this.#paid(spend, signature, 1)
        metrics.settledTransfers.inc({ network: this.#name, outcome: 'moved' })
        return { success: true, transaction: signature }
      }
    }
    return failed(reasons.pending)
  }

  #paid(spend: Spend, tx: string, transfers: number): void {
    const bytes = bytesOf(spend)
    const fee = feeOf(bytes)
    const cost = costInLamports(fee)
    const held = [...this.#held.keys()].find(address => objectionTo(bytes, address) === undefined)
    metrics.settleFees.inc({ network: this.#name, layer: 'own' }, Number(fee) / lamports)
    this.#spent({
      ...{ network: networks[this.#name].receipt, tx, at: instant(this.#now()), key: held ?? '', transfers },
      ...{ gas: cost.gas, coins: cost.coins, coins_below: cost.below },
    })
  }

  /** What a node says now decides nothing: the status does. */
  async #send(wire: string): Promise<void> {
    const options = { encoding: 'base64', skipPreflight: true, maxRetries: 0 }
    const sent = await Promise.allSettled(this.#nodes.map(rpc => rpc('sendTransaction', wire, options)))
    for (const one of sent) if (one.status === 'rejected') this.#onError(one.reason)
  }

  #signed(spend: Spend): Sponsored | undefined {
    const bytes = bytesOf(spend)
    const held = [...this.#held.values()].find(({ payer }) => objectionTo(bytes, payer.address) === undefined)
    return held?.isReady ? sponsored(bytes, held.payer) : undefined
  }

  async #hold(payer: FeePayer) {
    const timer = setInterval(() => void this.#look(held), purseMs).unref()
    const held: Held = { payer, isReady: false, timer }
    await this.#look(held)
    this.#held.set(payer.address, held)
    return {
      ended: new Promise<void>(() => {}),
      close: async () => {
        clearInterval(timer)
        this.#held.delete(payer.address)
      },
    }
  }

  async #look(held: Held): Promise<void> {
    const labels = { network: this.#name, key: held.payer.address }
    try {
      const { value } = await this.#rpc<{ value: number }>('getBalance', held.payer.address)
      metrics.settleKeyCoins.set(labels, value / lamports)
      metrics.settleKeySales.set(labels, Math.floor(value / lamportsOfOne))
      held.isReady = value > leastLamports
    } catch (error) {
      // The world fails. The key settles nothing while no node answers.
      held.isReady = false
      this.#onError(error)
    }
  }
}

/** The variables have been checked. */
const payerOf = (key: string): FeePayer => feePayerOf(key) as FeePayer

const bytesOf = ({ payload }: Spend): Buffer =>
  Buffer.from((payload as { transaction: string }).transaction, 'base64')

/** Words that the till knows for certain noes, as long as nothing was sent. */
function obstacleIn(err: unknown): string {
  const said = JSON.stringify(err)
  if (said === '{"InstructionError":[2,{"Custom":1}]}') return 'insufficient_funds'
  if (said === '"BlockhashNotFound"') return 'invalid_exact_svm_blockhash_expired'
  return 'invalid_exact_svm_transaction_simulation_failed'
}
