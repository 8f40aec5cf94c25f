/** What a transaction has cost, as its chain tells. */
import { coinDecimals, isEvm, type NetworkName } from '../../../schemas/tables/networks.ts'
import { fromAtoms } from '../../../schemas/tables/stablecoins.ts'
import { EvmSender } from './evm/sender.ts'
import { rpcOf } from './svm/rpc.ts'

interface TransactionCost {
  /** Null on Solana. */
  gas: number | null
  coins: string
  /** The part of it that went to the layer below, for its data. */
  below: string
}

/** Undefined if no node shows the transaction, or what it took. */
export type CostOf = (tx: string) => Promise<TransactionCost | undefined>

type Hex = `0x${string}`

export interface GasReceipt {
  gasUsed: Hex
  /** Some nodes leave it out. */
  effectiveGasPrice?: Hex
  /** Where a layer below keeps the data. */
  l1Fee?: Hex
}

/** In the smallest units of the coin. Undefined if the node does not say the price. */
export function gasIn({ gasUsed, effectiveGasPrice, l1Fee = '0x0' }: GasReceipt) {
  if (effectiveGasPrice === undefined) return undefined
  const [gas, below] = [BigInt(gasUsed), BigInt(l1Fee)]
  return { gas, own: gas * BigInt(effectiveGasPrice), below }
}

export const inCoins = ({ gas, own, below }: NonNullable<ReturnType<typeof gasIn>>): TransactionCost => ({
  gas: Number(gas),
  coins: fromAtoms(own + below, coinDecimals.evm),
  below: fromAtoms(below, coinDecimals.evm),
})

export function costIn(receipt: GasReceipt): TransactionCost | undefined {
  const taken = gasIn(receipt)
  return taken && inCoins(taken)
}

export const costInLamports = (fee: bigint): TransactionCost => ({
  ...{ gas: null, coins: fromAtoms(fee, coinDecimals.svm), below: '0' },
})

export function costsOf(network: NetworkName, rpcUrls: readonly string[]): CostOf {
  if (isEvm(network)) {
    const sender = new EvmSender({ network, rpcUrls })
    return async tx => {
      const receipt = await sender.receiptOf([tx as Hex])
      return receipt && costIn(receipt)
    }
  }
  const rpc = rpcOf(rpcUrls)
  const options = { encoding: 'jsonParsed', commitment: 'finalized', maxSupportedTransactionVersion: 1 }
  return async tx => {
    const found = await rpc<{ meta: { fee: number } | null } | null>('getTransaction', tx, options)
    return found?.meta ? costInLamports(BigInt(found.meta.fee)) : undefined
  }
}
