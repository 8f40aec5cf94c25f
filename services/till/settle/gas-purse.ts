/** What a key holds for gas, what a transaction of it may take, and what it took. */

import { type GasReceipt, gasIn, inCoins } from '../../../pipelines/domains/payments/cost.ts'
import { firstFeeOf } from '../../../pipelines/domains/payments/evm/fees.ts'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { coinDecimals, networks } from '../../../schemas/tables/networks.ts'
import { instant } from '../../../schemas/values/values.ts'
import type { LaneParts } from './lane-parts.ts'
import { mostTogether } from './queue.ts'
import type { Rider } from './rider.ts'

const lookMs = 30_000
/** A signature of a contract may be dear, but not so dear that a sale pays for it never. */
const mostGasAlone = 400_000n
/** For each transfer where a node cannot tell, and for the transaction around them. */
const gasOfOne = 120_000n
const gasAround = 60_000n
/** Room for what other transactions of the block change. */
const roomGas = 10_000n
const coin = 10 ** coinDecimals.evm
const gweiOf = (wei: bigint): number => Number(wei) / 1e9

type PurseParts = Pick<LaneParts, 'network' | 'account' | 'sender' | 'mostFee' | 'now' | 'spent' | 'onError'>

export class Purse {
  readonly #parts: PurseParts
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #most = 0
  #isDear = false

  constructor(parts: PurseParts) {
    this.#parts = parts
    this.#timer = setInterval(() => void this.look(), lookMs).unref()
  }

  /** So many payments the key can pay for in one transaction. None while gas costs more than we give. */
  get most(): number {
    return this.#most
  }

  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  /** The gas limit of their transaction. */
  async gasOf(riders: readonly Rider[]): Promise<bigint | 'fails' | 'too much'> {
    const { sender, account } = this.#parts
    const needed = await sender.gasOf(
      riders.map(({ transfer }) => transfer),
      account.address,
    )
    if (riders.length > 1) return withRoom(needed ?? BigInt(riders.length) * gasOfOne + gasAround)
    if (needed === undefined) return 'fails'
    return needed > mostGasAlone ? 'too much' : withRoom(needed)
  }

  /** Counts what a transaction cost: on this chain, and, where a layer below keeps its data, there. */
  paid(receipt: GasReceipt & { transactionHash: string }, transfers: number): void {
    const { network, account, now, spent } = this.#parts
    const taken = gasIn(receipt)
    // The books ask for it later.
    if (!taken) return
    const { gas, own, below } = taken
    const cost = inCoins(taken)
    metrics.settleGas.inc({ network }, Number(gas))
    metrics.settleFees.inc({ network, layer: 'own' }, Number(own) / coin)
    metrics.settleFees.inc({ network, layer: 'below' }, Number(below) / coin)
    spent({
      ...{ network: networks[network].receipt, tx: receipt.transactionHash, at: instant(now()) },
      ...{ key: account.address.toLowerCase(), transfers, gas: cost.gas },
      ...{ coins: cost.coins, coins_below: cost.below },
    })
  }

  async #look(): Promise<void> {
    const { sender, account, network, mostFee, onError } = this.#parts
    const labels = { network, key: account.address }
    try {
      const [balance, { base, tip }] = await Promise.all([sender.balanceOf(account.address), sender.price()])
      const price = base + tip
      metrics.settleKeyCoins.set(labels, Number(balance) / coin)
      metrics.settleKeySales.set(labels, Number(balance / (gasOfOne * (price || 1n))))
      const isDear = price > mostFee
      if (isDear && !this.#isDear)
        onError(
          new Error(
            `gas costs ${gweiOf(price)} gwei on ${network}, more than SETTLE_MOST_GWEI allows (${gweiOf(mostFee)}): nothing is settled there until it costs less`,
          ),
        )
      this.#isDear = isDear
      this.#most = isDear ? 0 : payable(balance, firstFeeOf({ base, tip }, mostFee).most)
    } catch (error) {
      // The world fails. The key settles nothing while no node answers.
      this.#most = 0
      onError(error)
    }
  }
}

const withRoom = (gas: bigint): bigint => (gas * 6n) / 5n + roomGas

/** Nodes ask for the whole gas at the highest fee. Half of the coins are left for a layer below, and for a fee that rises. */
function payable(balance: bigint, fee: bigint): number {
  const gas = ((balance / (2n * (fee || 1n)) - roomGas) * 5n) / 6n - gasAround
  return Math.max(0, Math.min(mostTogether, Number(gas / gasOfOne)))
}
