/** What a node must do for whoever sends transactions to an EVM chain: simulate, price, take them, and show what became of them. */
import {
  type Address,
  createPublicClient,
  fallback,
  type Hex,
  hexToBigInt,
  http,
  keccak256,
  type PublicClient,
  type RpcTransactionReceipt,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { type EvmNetworkName, networks } from '../../../../schemas/tables/networks.ts'
import { UpstreamFailed } from '../../../rails/failures.ts'
import { nodeFetch } from '../../../rails/outside/upstreams/capped-fetch.ts'
import { type Authorization, useBy } from './authorization.ts'
import {
  type ChainCall,
  callOf,
  manyCalls,
  type Obstacle,
  obstaclesIn,
  type SignedTransfer,
} from './transfer-calls.ts'

/** In wei for each unit of gas. */
export interface Fee {
  most: bigint
  tip: bigint
}

interface SignedTransaction {
  hash: Hex
  raw: Hex
}

/**
 * `refused`: every node said no, so the transaction is nowhere. `unsure`: a node may have it. `why` is the last node's word, in our
 * own terms.
 */
type Sending =
  | { outcome: 'sent' | 'unsure' }
  | { outcome: 'refused'; why: 'nonce' | 'underpriced' | 'funds' | 'other' }

interface EvmSending extends ChainCall {
  nonce: number
  gas: bigint
  fee: Fee
}

/** Nodes wait for a simulation of a hundred signatures. */
const node = { fetchFn: nodeFetch, timeout: 8000, retryCount: 0 }
/** The gas of a simulation, for each transfer and around them: a stranger's contract may run in it. */
const simulatedGas = 500_000n
const gasAround = 500_000n

const words: readonly (readonly [RegExp, 'nonce' | 'underpriced' | 'funds' | 'other'])[] = [
  [/nonce too low|nonce is too low|invalid nonce/i, 'nonce'],
  [/underpriced|fee too low|max fee per gas less than|fee cap/i, 'underpriced'],
  [/insufficient funds/i, 'funds'],
  [/intrinsic gas|exceeds (block )?gas limit|invalid sender|nonce too high/i, 'other'],
]

export const evmAccountOf = (key: string): PrivateKeyAccount => privateKeyToAccount(key as Hex)

export class EvmSender {
  readonly asset: Address
  readonly #chainId: number
  readonly #nodes: readonly PublicClient[]
  readonly #any: PublicClient

  constructor({ network, rpcUrls }: { network: EvmNetworkName; rpcUrls: readonly string[] }) {
    const { asset, caip2 } = networks[network]
    this.asset = asset
    this.#chainId = Number(caip2.split(':')[1])
    const transports = rpcUrls.map(url => http(url, node))
    this.#nodes = transports.map(transport => createPublicClient({ transport }))
    this.#any = createPublicClient({ transport: fallback(transports, { retryCount: 0 }) })
  }

  /** What stands in the way of each transfer if all of them went into one transaction now. */
  async simulate(transfers: readonly SignedTransfer[], from: string): Promise<(Obstacle | undefined)[]> {
    const { to, data } = manyCalls(this.asset, transfers, true)
    const gas = gasAround + BigInt(transfers.length) * simulatedGas
    const said = await asked(
      this.#any.request({
        method: 'eth_call',
        params: [{ from: from as Address, to, data, gas: hex(gas) }, 'latest'],
      }),
    )
    return obstaclesIn(said)
  }

  /** The gas that all of them need to succeed. Undefined: one of them fails. */
  async gasOf(transfers: readonly SignedTransfer[], from: string): Promise<bigint | undefined> {
    const { to, data } = callOf(this.asset, transfers, false)
    try {
      return hexToBigInt(
        await this.#any.request({ method: 'eth_estimateGas', params: [{ from: from as Address, to, data }] }),
      )
    } catch (error) {
      if (/revert|exceeds allowance|out of gas/i.test(String((error as Error).message))) return undefined
      throw failure(error)
    }
  }

  /** The base fee of the newest block and the tip that nodes advise. */
  async price(): Promise<{ base: bigint; tip: bigint }> {
    const [block, tip] = await asked(
      Promise.all([
        this.#any.getBlock(),
        this.#any.request({ method: 'eth_maxPriorityFeePerGas' }).then(hexToBigInt),
      ]),
    )
    return { base: block.baseFeePerGas ?? 0n, tip }
  }

  async sign(
    account: PrivateKeyAccount,
    { to, data, nonce, gas, fee }: EvmSending,
  ): Promise<SignedTransaction> {
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: this.#chainId,
      ...{ to, data, nonce, gas, maxFeePerGas: fee.most, maxPriorityFeePerGas: fee.tip },
    })
    return { raw, hash: keccak256(raw) }
  }

  /** Every node gets it, because one that took it may forget it. */
  async send(raw: Hex): Promise<Sending> {
    const said = await Promise.all(this.#nodes.map(one => sentTo(one, raw)))
    if (said.some(one => one.outcome === 'sent')) return { outcome: 'sent' }
    return said.find(one => one.outcome === 'unsure') ?? (said[0] as Sending)
  }

  /** The first receipt of these transactions, of which a chain takes one at most. */
  async receiptOf(hashes: readonly Hex[]): Promise<(RpcTransactionReceipt & { l1Fee?: Hex }) | undefined> {
    for (const hash of hashes.toReversed()) {
      const receipt = await asked(this.#any.request({ method: 'eth_getTransactionReceipt', params: [hash] }))
      if (receipt) return receipt
    }
    return undefined
  }

  /** When the chain took this transaction, in ms. Rejects if no node shows it. */
  async timeOf(tx: Hex): Promise<number> {
    const receipt = await this.receiptOf([tx])
    if (!receipt) throw new UpstreamFailed('no node shows a transaction that was shown before')
    const { timestamp } = await asked(this.#any.getBlock({ blockHash: receipt.blockHash }))
    return Number(timestamp) * 1000
  }

  /** Whether this receipt shows the transfer of the authorization. */
  hasMoved(receipt: RpcTransactionReceipt, authorization: Authorization): boolean {
    return useBy(receipt, this.asset, authorization)?.position !== undefined
  }

  /** How many transactions of the account the chain holds. */
  countOf(address: Address): Promise<number> {
    return asked(this.#any.getTransactionCount({ address, blockTag: 'latest' }))
  }

  /** No reorganisation takes this block or an older one back. */
  async finalBlock(): Promise<bigint> {
    return (await asked(this.#any.getBlock({ blockTag: 'finalized' }))).number
  }

  /** The call of one transfer. */
  callOf(transfer: SignedTransfer): ChainCall {
    return callOf(this.asset, [transfer], false)
  }

  balanceOf(address: Address): Promise<bigint> {
    return asked(this.#any.getBalance({ address }))
  }
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`

/** viem's long messages contain the address of the node, which may hold a key. */
const failure = (error: unknown): UpstreamFailed =>
  new UpstreamFailed(
    `no node answers: ${(error as { shortMessage?: string }).shortMessage ?? (error as Error).name}`,
  )

async function asked<T>(asking: Promise<T>): Promise<T> {
  try {
    return await asking
  } catch (error) {
    throw failure(error)
  }
}

async function sentTo(client: PublicClient, raw: Hex): Promise<Sending> {
  try {
    await client.request({ method: 'eth_sendRawTransaction', params: [raw] })
    return { outcome: 'sent' }
  } catch (error) {
    const said = String((error as Error).message)
    if (/already known|already imported|known transaction/i.test(said)) return { outcome: 'sent' }
    // A node that does not answer may have passed it on.
    const why = words.find(([form]) => form.test(said))?.[1]
    return why ? { outcome: 'refused', why } : { outcome: 'unsure' }
  }
}
