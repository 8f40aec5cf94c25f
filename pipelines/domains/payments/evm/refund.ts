/**
 * Pays back on an EVM chain, by an authorization of our own. Its nonce is derived from the transfer of the sale, and the token takes
 * a nonce of an account once. So however many processes try, and whatever they forget, one key pays a sale back once.
 */
import { type Hex, hexToBigInt, isAddressEqual, keccak256, type RpcTransactionReceipt, toHex } from 'viem'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import type { EvmTrace } from '../../../../schemas/till-promises.ts'
import { costsOf } from '../cost.ts'
import type { PaidSale, RefundChain, RefundObstacle, SalePayment } from '../refund.ts'
import { transferIn } from './authorization.ts'
import { authorized } from './authorized.ts'
import { firstFeeOf, lower, raised, weiIn } from './fees.ts'
import { type EvmFinder, openEvmFinder } from './finder.ts'
import { EvmSender, evmAccountOf, type Fee } from './sender.ts'

const lifeSeconds = 600
const mostRaises = 8
const roomGas = 10_000n
/** The nonce is used, and this node does not show yet for what. */
const unreadReasons: ReadonlySet<string> = new Set(['still_reading', 'use_not_shown'])

interface Options {
  network: EvmNetworkName
  rpcUrls: readonly string[]
  key: string
  /** Addresses that paid refunds before this key. */
  former?: readonly string[]
  /** The most that a unit of gas may cost. If undefined, what the network is worth. */
  mostGwei?: number | undefined
  now: () => number
}

export function openEvmRefunds({ network, rpcUrls, key, former = [], mostGwei, now }: Options): RefundChain {
  const { asset, caip2 } = networks[network]
  const account = evmAccountOf(key)
  const sender = new EvmSender({ network, rpcUrls })
  const finder = openEvmFinder({ network, rpcUrls, now })
  const costOf = costsOf(network, rpcUrls)
  const mostFee = weiIn(mostGwei ?? networks[network].mostGwei)

  async function feeNow(): Promise<Fee | undefined> {
    const price = await sender.price()
    return price.base + price.tip > mostFee ? undefined : firstFeeOf(price, mostFee)
  }

  return {
    address: account.address.toLowerCase(),

    async payment(sale) {
      const receipt = await sender.receiptOf([sale.tx as Hex])
      if (!receipt || hexToBigInt(receipt.blockNumber) > (await sender.finalBlock())) return 'pending'
      return paymentIn(receipt, sale, asset)
    },

    async prepare({ payer, amount, tx, position }) {
      const trace: EvmTrace = {
        network: caip2,
        from: account.address.toLowerCase(),
        to: payer,
        value: String(amount),
        nonce: keccak256(toHex(`farebox refund ${caip2} ${tx.toLowerCase()} ${position}`)),
        valid_before: Math.floor(now() / 1000) + lifeSeconds,
      }
      const transfer = await authorized(account, network, trace)
      const [inTheWay] = await sender.simulate([transfer], account.address)
      const payers = [...(inTheWay === 'used' ? [trace.from] : []), ...former]
      const before = await paidBefore({ sender, finder, payers }, trace, tx)
      if (before) return before
      if (inTheWay) return { obstacle: inTheWay === 'balance' ? 'balance' : 'other' }
      const fee = await feeNow()
      const hasGas = fee && (await sender.balanceOf(account.address)) >= fee.most * leastGas
      return hasGas ? trace : { obstacle: 'gas' }
    },

    async send(trace) {
      const transfer = await authorized(account, network, trace as EvmTrace)
      const gas = await sender.gasOf([transfer], account.address)
      let fee = await feeNow()
      if (gas === undefined || !fee) return
      const call = sender.callOf(transfer)
      for (let raises = 0; raises < mostRaises; raises++) {
        const nonce = await sender.countOf(account.address)
        const { raw } = await sender.sign(account, { ...call, nonce, gas: (gas * 6n) / 5n + roomGas, fee })
        const said = await sender.send(raw)
        if (said.outcome !== 'refused' || said.why !== 'underpriced') return
        fee = { most: lower(raised(fee.most), mostFee), tip: raised(fee.tip) }
        if (fee.tip > fee.most) return
      }
    },

    async endOf(trace, { firstMs }) {
      // All tries have one nonce, so the use of an earlier one is the end of each.
      const found = await finder.find(trace as EvmTrace, firstMs)
      if (found.found) return { tx: found.tx }
      // Any other end of an authorization that only our key signs is for a person to look at.
      return found.final && found.reason === 'expired' ? 'dead' : 'open'
    },

    isFinal: tx => isFinal(sender, tx as Hex),
    feeOf: async tx => (await costOf(tx))?.coins,
  }
}

async function isFinal(sender: EvmSender, tx: Hex): Promise<boolean> {
  const receipt = await sender.receiptOf([tx])
  return receipt !== undefined && hexToBigInt(receipt.blockNumber) <= (await sender.finalBlock())
}

/** The use of this nonce by one of these payers, which the log has forgotten. No refund is older than its sale. */
async function paidBefore(
  { sender, finder, payers }: { sender: EvmSender; finder: EvmFinder; payers: readonly string[] },
  trace: EvmTrace,
  tx: string,
): Promise<{ landed: string } | { obstacle: RefundObstacle } | undefined> {
  const sinceMs = payers.length ? await sender.timeOf(tx as Hex) : 0
  for (const from of payers) {
    const found = await finder.find({ ...trace, from }, sinceMs)
    if (found.found) return { landed: found.tx }
    if (unreadReasons.has(found.reason)) return { obstacle: 'unread' }
  }
  return undefined
}

/** A transfer by authorization takes less. */
const leastGas = 120_000n

export function paymentIn(receipt: RpcTransactionReceipt, sale: PaidSale, asset: Hex): SalePayment {
  if (receipt.status !== '0x1') return 'unpaid'
  const positions = receipt.logs
    .filter(log => isAddressEqual(log.address, asset))
    .filter(log => transferIn(log, { from: sale.payer, to: sale.payTo, value: String(sale.amount) }))
    .map(log => Number(log.logIndex))
  if (sale.position !== null)
    return positions.includes(sale.position) ? { position: sale.position } : 'unpaid'
  const [only, another] = positions
  if (only === undefined) return 'unpaid'
  return another === undefined ? { position: only } : 'several'
}
