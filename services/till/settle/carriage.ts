/** One numbered transaction, from its first signature until the chain shows it, however often its fee has to rise. */
import { setTimeout as sleep } from 'node:timers/promises'
import { firstFeeOf, lower, raised } from '../../../pipelines/domains/payments/evm/fees.ts'
import type { Fee } from '../../../pipelines/domains/payments/evm/sender.ts'
import { callOf } from '../../../pipelines/domains/payments/evm/transfer-calls.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import type { LaneParts } from './lane-parts.ts'
import type { Rider } from './rider.ts'

/** No node took the transaction, so none of its payments can move money by it. */
export class NotSent extends Error {
  override name = 'NotSent'
}

interface CarriageParts
  extends Pick<LaneParts, 'network' | 'account' | 'sender' | 'mostFee' | 'blockMs' | 'numbers'> {
  riders: readonly Rider[]
  gas: bigint
  stopping: AbortSignal
}

const higher = (a: bigint, b: bigint): bigint => (a > b ? a : b)
/** Blocks without it after which its fee rises. */
const patienceBlocks = 3
/** Looks at receipts after another transaction took its number: a block's time, since a node may be behind. Others wait meanwhile. */
const lastLooks = 8
const mostRefusals = 12

export class Carriage {
  readonly #parts: CarriageParts
  /** Every form in which a node may have it. The chain takes one of them. */
  readonly #hashes: `0x${string}`[] = []
  /** The payments in it, from the first form on. */
  carried: readonly Rider[] = []
  #nonce = 0
  #sentAt = 0
  #raw: `0x${string}` = '0x'

  constructor(parts: CarriageParts) {
    this.#parts = parts
  }

  /** Resolves with the receipt. Undefined: it was replaced by a transaction of somebody else with this key, or the process stops. */
  async bring() {
    const { sender, account, blockMs, stopping, numbers } = this.#parts
    this.#nonce = await this.#next()
    let fee = await this.#firstFee()
    fee = await this.#sendFirst(fee)
    for (let looks = 0; looks < lastLooks && !stopping.aborted; ) {
      await sleep(blockMs / 8)
      const receipt = await sender.receiptOf(this.#hashes).catch(() => undefined)
      if (receipt) {
        numbers.shown(this.#nonce)
        return receipt
      }
      const count = await sender.countOf(account.address).catch(() => 0)
      if (count > this.#nonce) looks++
      const isStuck = performance.now() - this.#sentAt > patienceBlocks * blockMs
      if (isStuck && count <= this.#nonce) fee = await this.#urge(fee)
    }
    return undefined
  }

  async #next(): Promise<number> {
    const number = await this.#parts.numbers.next()
    if (number === undefined) throw new NotSent('the chain no longer shows the last transaction of this key')
    return number
  }

  async #firstFee(): Promise<Fee> {
    const { sender, mostFee } = this.#parts
    const { base, tip } = await sender.price()
    if (base + tip > mostFee) throw new NotSent('gas costs more than SETTLE_MOST_GWEI allows')
    return firstFeeOf({ base, tip }, mostFee)
  }

  async #raise(fee: Fee): Promise<Fee> {
    const { sender, mostFee, network } = this.#parts
    const now = await sender.price().catch(() => ({ base: 0n, tip: 0n }))
    const tip = higher(raised(fee.tip), now.tip)
    const most = higher(raised(fee.most), 2n * now.base + tip)
    const next = { most: lower(most, mostFee), tip: lower(tip, mostFee) }
    metrics.settleRaises.inc({ network })
    await this.#send(next)
    return next
  }

  /** Sends it until a node may have it. An earlier run may have left one with its number. Throws NotSent. */
  async #sendFirst(first: Fee): Promise<Fee> {
    const { mostFee, blockMs } = this.#parts
    let fee = first
    for (let i = 0; i < mostRefusals; i++) {
      const why = await this.#send(fee)
      if (why === undefined) return fee
      if (why === 'nonce') {
        await sleep(blockMs / 8)
        this.#nonce = await this.#next()
      } else if (why === 'underpriced' && fee.most < mostFee)
        fee = { most: lower(raised(fee.most), mostFee), tip: lower(raised(fee.tip), mostFee) }
      else throw new NotSent(`nodes refuse the transaction: ${why}`)
    }
    throw new NotSent('nodes refuse the transaction again and again')
  }

  /** Undefined: a node may have it. */
  async #send(fee: Fee): Promise<string | undefined> {
    const { sender, riders } = this.#parts
    let [going, signed] = await this.#signed(riders, fee)
    // A caller who was told meanwhile that nothing was sent must be right.
    while (going.some(rider => !rider.mayBeSent())) [going, signed] = await this.#signed(riders, fee)
    // Said before it leaves: after this line nobody is told that nothing was sent.
    const takenBack = going.map(rider => rider.sentAs(signed.hash))
    const said = await sender.send(signed.raw)
    this.#sentAt = performance.now()
    if (said.outcome === 'refused') {
      for (const takeBack of takenBack) takeBack()
      return said.why
    }
    this.carried = going
    this.#raw = signed.raw
    this.#hashes.push(signed.hash)
    return undefined
  }

  async #signed(riders: readonly Rider[], fee: Fee) {
    const { sender, account, gas } = this.#parts
    const going = this.carried.length ? this.carried : riders.filter(rider => rider.mayBeSent())
    if (going.length === 0) throw new NotSent('nobody waits for it any more')
    const call = callOf(
      sender.asset,
      going.map(({ transfer }) => transfer),
      true,
    )
    return [going, await sender.sign(account, { ...call, nonce: this.#nonce, gas, fee })] as const
  }

  /** At the highest fee there is only to remind nodes of it. */
  async #urge(fee: Fee): Promise<Fee> {
    if (fee.most < this.#parts.mostFee) return this.#raise(fee)
    await this.#parts.sender.send(this.#raw)
    this.#sentAt = performance.now()
    return fee
  }
}
