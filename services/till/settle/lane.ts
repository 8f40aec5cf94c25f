/**
 * One key that pays gas. It has one transaction under way at most, so a stuck one is replaced by itself with a higher fee, and no
 * number is left out. What waits meanwhile goes with the next one.
 */
import type { Obstacle } from '../../../pipelines/domains/payments/evm/transfer-calls.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { Carriage, NotSent } from './carriage.ts'
import { Purse } from './gas-purse.ts'
import type { LaneParts } from './lane-parts.ts'
import type { Rider } from './rider.ts'
import { reasons } from './settler.ts'

/** Whoever asks again does so within this time. An older use may have bought something else, and only the till can tell. */
const recentMs = 3 * 60_000
const mostMisses = 2
/** Simulations at once, where a common one has failed. */
const mostSimulated = 20

/** Undefined: nothing stands in the way. `silent`: no node can tell. */
type Seen = Obstacle | 'silent' | undefined

export class Lane {
  readonly purse: Purse
  readonly #parts: LaneParts
  readonly #stopping = new AbortController()
  readonly #running: Promise<void>

  constructor(parts: LaneParts) {
    this.#parts = parts
    this.purse = new Purse(parts)
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.all([this.#running, this.purse.close()])
  }

  async #run(): Promise<void> {
    const { queue, onError } = this.#parts
    await this.purse.look()
    while (!this.#stopping.signal.aborted) {
      const riders = await queue.take(this.#stopping.signal, () => this.#most())
      if (riders.length === 0) return
      try {
        await this.#round(riders)
      } catch (error) {
        // The world fails. What was not sent is said to be so; what was, is left to the chain.
        if (!(error instanceof NotSent)) onError(error)
        for (const rider of riders) rider.fail(reasons.notSent)
        // It may have been the fee, or the coins for it.
        void this.purse.look()
      }
    }
  }

  /** A key that cannot pay leaves the payments to others. If none can, it tries one, which is then free. */
  #most(): number {
    return this.purse.most || (this.#parts.canAnyPay() ? 0 : 1)
  }

  async #round(taken: readonly Rider[]): Promise<void> {
    const riders = await this.#passing(taken)
    if (riders.length === 0) return
    const gas = await this.purse.gasOf(riders)
    if (typeof gas === 'string') {
      riders[0]?.fail(gas === 'fails' ? reasons.other : reasons.signature)
      return
    }
    const stopping = this.#stopping.signal
    const carriage = new Carriage({ ...this.#parts, gas, riders, stopping })
    const receipt = await carriage.bring()
    const left: Rider[] = []
    let moved = 0
    for (const rider of carriage.carried)
      if (receipt && this.#parts.sender.hasMoved(receipt, rider.trace)) {
        moved++
        this.#settled(rider, receipt.transactionHash)
      } else if (stopping.aborted) rider.fail(reasons.pending)
      else left.push(rider)
    if (receipt) this.purse.paid(receipt, moved)
    await Promise.all(
      left.map(rider => (receipt ? this.#missed(rider, riders.length > 1) : this.#outrun(rider))),
    )
    void this.purse.look()
  }

  /** Those that the chain would take now. The others are answered. */
  async #passing(riders: readonly Rider[]): Promise<Rider[]> {
    const alive = riders.filter(rider => rider.isAlive(this.#parts.now()))
    for (const rider of riders) if (!alive.includes(rider)) rider.fail(reasons.expired)
    const passing: Rider[] = []
    for (const [rider, obstacle] of await this.#obstacles(alive)) {
      // It was good when it went, and its payer alone can spend his money elsewhere. Our gas is gone, and his was little.
      if (obstacle === 'balance' && rider.misses > 0) this.#parts.starvers.set(rider.payer, this.#parts.now())
      if (obstacle === undefined) passing.push(rider)
      else if (obstacle === 'silent') rider.fail(reasons.notSent)
      else if (obstacle !== 'used' || !(await this.#usedBefore(rider))) rider.fail(reasons[obstacle])
    }
    return passing
  }

  /** One may take the gas of all. So what fails in company without a reason is tried by itself. */
  async #obstacles(riders: readonly Rider[]): Promise<[Rider, Seen][]> {
    if (riders.length < 2) return Promise.all(riders.map(rider => this.#tried(rider)))
    const { sender, account, starvers, now } = this.#parts
    const transfers = riders.map(({ transfer }) => transfer)
    // Where a node is silent, the next call says so.
    const seen = await sender.simulate(transfers, account.address).catch(() => [])
    const tried: [Rider, Seen][] = []
    const open: Rider[] = []
    for (const [i, rider] of riders.entries())
      if (i >= seen.length || seen[i] === 'other') open.push(rider)
      else tried.push([rider, seen[i]])
    for (let i = 0; i < open.length; i += mostSimulated)
      tried.push(...(await Promise.all(open.slice(i, i + mostSimulated).map(rider => this.#tried(rider)))))
    for (const [{ payer }, obstacle] of tried) if (obstacle === 'other') starvers.set(payer, now())
    return tried
  }

  async #tried(rider: Rider): Promise<[Rider, Seen]> {
    const { sender, account } = this.#parts
    const seen = await sender.simulate([rider.transfer], account.address).catch(() => ['silent' as const])
    return [rider, seen[0]]
  }

  #settled(rider: Rider, tx: string): void {
    metrics.settledTransfers.inc({ network: this.#parts.network, outcome: 'moved' })
    rider.settle(tx)
  }

  /** Somebody else has sent it, or we did in an earlier life. Its own event tells where. */
  async #usedBefore(rider: Rider): Promise<boolean> {
    const { finder, network, now } = this.#parts
    const finding = await finder.find(rider.trace, now() - recentMs).catch(() => undefined)
    if (finding?.found) {
      metrics.settledTransfers.inc({ network, outcome: 'found' })
      rider.settle(finding.tx)
    } else if (finding?.final || finding?.reason === 'use_not_shown') rider.fail(reasons.used)
    else return false
    return true
  }

  /** Another transaction of this key took the number, of an earlier life of ours: this one was never tried, and its payer is innocent. */
  async #outrun(rider: Rider): Promise<void> {
    if (await this.#usedBefore(rider)) return
    if (rider.isOver || !rider.isAlive(this.#parts.now())) rider.fail(reasons.pending)
    else this.#parts.queue.put(rider)
  }

  /** The chain took the transaction, and this payment's money did not move in it. */
  async #missed(rider: Rider, inCompany: boolean): Promise<void> {
    const { starvers, finder, network, now, queue } = this.#parts
    if (await this.#usedBefore(rider)) return
    metrics.settledTransfers.inc({ network, outcome: 'missed' })
    if (!inCompany) starvers.set(rider.payer, now())
    rider.misses++
    if (rider.isOver || rider.misses > mostMisses || !rider.isAlive(now())) {
      rider.fail(reasons.pending)
      return
    }
    // Somebody with code may have taken the gas of all. After the second miss each goes by itself.
    const hasCode = await finder.isContract(rider.payer, true).catch(() => true)
    rider.alone = rider.misses > 1 || hasCode
    queue.put(rider)
  }
}
