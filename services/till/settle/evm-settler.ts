/** Settles on an EVM chain with keys of our own: many payments in one transaction, a transaction at a time for each key. */
import { type EvmFinder, openEvmFinder } from '../../../pipelines/domains/payments/evm/finder.ts'
import { EvmSender, evmAccountOf } from '../../../pipelines/domains/payments/evm/sender.ts'
import type { SignedTransfer } from '../../../pipelines/domains/payments/evm/transfer-calls.ts'
import { Bounded } from '../../../pipelines/rails/bounded.ts'
import { type EvmNetworkName, networks } from '../../../schemas/tables/networks.ts'
import type { EvmTrace } from '../../../schemas/till-promises.ts'
import { evmScheme } from '../schemes/evm.ts'
import type { Spend } from '../till.ts'
import { Lane } from './lane.ts'
import { Numbers } from './numbers.ts'
import { Queue } from './queue.ts'
import { Rider } from './rider.ts'
import { distrustMs, reasons, type Settled, type Settler, type SettlingOptions } from './settler.ts'

const keySignatureLength = 2 + 2 * 65
/** What waits for all keys of a network. Each is a call that its caller waits for. */
const mostUnderWay = 4096

export class EvmSettler implements Settler {
  readonly network: string
  readonly signers: readonly string[]
  readonly check: Settler['check']
  readonly #sender: EvmSender
  readonly #finder: EvmFinder
  readonly #queue: Queue
  readonly #lanes = new Set<Lane>()
  readonly #starvers = new Bounded<number>({ most: 10_000 })
  /** Payments under way: one that comes twice is sent once. Other terms or another signature for its nonce are another payment. */
  readonly #underWay = new Map<string, Promise<Settled>>()
  readonly #now: () => number
  #release: (() => Promise<void>)[] = []

  private constructor(name: EvmNetworkName, { rpcUrls, keys, now, windowMs }: SettlingOptions) {
    this.network = networks[name].caip2
    this.#now = now
    this.#queue = new Queue(windowMs)
    this.#sender = new EvmSender({ network: name, rpcUrls })
    this.#finder = openEvmFinder({ network: name, rpcUrls, now })
    this.signers = keys.map(key => evmAccountOf(key).address)
    const scheme = evmScheme({ network: name, finder: this.#finder, now })
    this.check = (payload, offer) => scheme.check(payload, offer)
  }

  static async open(name: EvmNetworkName, options: SettlingOptions): Promise<EvmSettler> {
    const settler = new EvmSettler(name, options)
    for (const key of options.keys) {
      const account = evmAccountOf(key)
      const running = await options.alone(`settle ${settler.network} ${account.address}`, () =>
        settler.#openLane(name, account, options),
      )
      settler.#release.push(() => running.close())
    }
    return settler
  }

  async #openLane(name: EvmNetworkName, account: ReturnType<typeof evmAccountOf>, options: SettlingOptions) {
    const lane = new Lane({
      ...{ network: name, account, sender: this.#sender, finder: this.#finder, queue: this.#queue },
      ...{ starvers: this.#starvers, mostFee: options.mostFee, blockMs: networks[name].blockMs },
      numbers: new Numbers(this.#sender, account.address),
      canAnyPay: () => this.#canPay(),
      ...{ now: options.now, spent: options.spent, onError: options.onError },
    })
    await lane.purse.look()
    this.#lanes.add(lane)
    return {
      ended: new Promise<void>(() => {}),
      close: async () => {
        this.#lanes.delete(lane)
        await lane.close()
      },
    }
  }

  terms() {
    return this.#canPay() ? {} : undefined
  }

  #canPay(): boolean {
    return [...this.#lanes].some(({ purse }) => purse.most > 0)
  }

  async obstacle(spend: Spend): Promise<string | undefined> {
    const transfer = spend.payload as SignedTransfer
    const [obstacle] = await this.#sender.simulate([transfer], this.signers[0] as string)
    return obstacle && reasons[obstacle]
  }

  settle(spend: Spend): Promise<Settled> {
    const name = nameOf(spend)
    const known = this.#underWay.get(name)
    if (known) return known
    const settling = this.#settle(spend).finally(() => this.#underWay.delete(name))
    this.#underWay.set(name, settling)
    return settling
  }

  async #settle(spend: Spend): Promise<Settled> {
    if (!this.terms() || this.#underWay.size > mostUnderWay) return notSent
    const since = this.#starvers.peek(spend.payer)
    if (since !== undefined && Math.abs(this.#now() - since) < distrustMs) return notSent
    const transfer = spend.payload as SignedTransfer
    const isPlain = transfer.signature.length === keySignatureLength
    const hasCode = await this.#finder.isContract(spend.payer).catch(() => undefined)
    if (hasCode === undefined) return notSent
    const rider = new Rider(transfer, spend.trace as EvmTrace, hasCode || !isPlain)
    this.#queue.put(rider)
    return rider.ended
  }

  async close(): Promise<void> {
    await Promise.all(this.#release.map(release => release()))
    this.#release = []
    this.#queue.close()
    await Promise.all(this.#underWay.values())
  }
}

function nameOf({ spendId, payload }: Spend): string {
  const { signature, authorization } = payload as SignedTransfer
  const { to, value, validAfter, validBefore } = authorization
  return [spendId, to, value, validAfter, validBefore, signature].join(' ').toLowerCase()
}

const notSent: Settled = { success: false, transaction: '', errorReason: reasons.notSent }
