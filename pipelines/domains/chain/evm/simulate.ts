/**
 * Runs transactions on a copy of the state, in blocks that follow a real one: `eth_simulateV1`. What a contract can ask about
 * its sender, its block and the price of gas is as plausible as in a real transaction, because traps look for simulations.
 */
import { randomBytes } from 'node:crypto'
import { type Address, bytesToHex, getAddress, type Hex, numberToHex } from 'viem'
import type { EvmBlock } from './look.ts'
import type { EvmNodes } from './nodes.ts'

export interface SimulatedCall {
  from: Address
  to: Address
  data: Hex
  gas: bigint
}

export interface SimulatedBlock {
  /** After the real block. */
  blocks: number
  seconds: number
  /** What its calls find in place of what is there. */
  lent?: Lent
  calls: readonly SimulatedCall[]
}

export type Lent = Readonly<Record<Address, { code?: Hex; balance?: Hex }>>

export interface SimulatedOutcome {
  ok: boolean
  /** What it returned, or the reason why it failed. */
  data: Hex
  gasUsed: bigint
  logs: readonly { address: Address; topics: readonly Hex[]; data: Hex }[]
}

interface Reply {
  calls: {
    status: Hex
    returnData?: Hex
    gasUsed?: Hex
    logs?: SimulatedOutcome['logs']
    error?: { message?: string; data?: Hex }
  }[]
}

/** An address that nobody has used, and that no contract can know. */
export const freshAddress = (): Address => getAddress(bytesToHex(randomBytes(20)))

/** The block that is followed. */
export interface Head {
  number: bigint
  seconds: bigint
  baseFee: bigint
  gasLimit: bigint
  producer: Address
}

export async function headOf(nodes: EvmNodes, { number }: EvmBlock): Promise<Head> {
  const { answer } = await nodes.ask(client => client.getBlock({ blockNumber: BigInt(number) }))
  const { timestamp, baseFeePerGas, gasLimit, miner } = answer
  return {
    number: BigInt(number),
    seconds: timestamp,
    baseFee: baseFeePerGas ?? 0n,
    gasLimit,
    producer: miner,
  }
}

/** Undefined if the node refuses to simulate. */
export async function simulated(
  nodes: EvmNodes,
  { number, seconds: now, baseFee, gasLimit, producer }: Head,
  lent: Lent,
  blocks: readonly SimulatedBlock[],
): Promise<SimulatedOutcome[][] | undefined> {
  const gasPrice = numberToHex(baseFee + baseFee / 8n + 1_000_003n)
  const blockStateCalls = blocks.map(({ blocks: after, seconds, lent: more, calls }, i) => ({
    blockOverrides: {
      number: numberToHex(number + BigInt(after)),
      time: numberToHex(now + BigInt(seconds)),
      gasLimit: numberToHex(gasLimit),
      feeRecipient: producer,
      prevRandao: bytesToHex(randomBytes(32)),
      baseFeePerGas: numberToHex(baseFee),
    },
    stateOverrides: i === 0 ? { ...lent, ...more } : (more ?? {}),
    calls: calls.map(({ gas, ...call }) => ({ ...call, gas: numberToHex(gas), gasPrice })),
  }))
  // A node that validates keeps the fee of the block, which others leave at zero.
  const answer =
    (await asked(nodes, blockStateCalls, number, true)) ??
    (await asked(nodes, blockStateCalls, number, false))
  // Blocks that lie between those of ours are in the answer, too.
  const ours = answer?.filter(({ calls }) => calls.length)
  return ours?.length === blocks.length ? ours.map(({ calls }) => calls.map(outcomeOf)) : undefined
}

async function asked(
  nodes: EvmNodes,
  blockStateCalls: unknown,
  number: bigint,
  validation: boolean,
): Promise<Reply[] | undefined> {
  const params = [{ blockStateCalls, validation, traceTransfers: false }, numberToHex(number)]
  const { answer } = await nodes.ask(async client => {
    try {
      return (await client.request({ method: 'eth_simulateV1', params } as never)) as Reply[]
    } catch (error) {
      // A node that does not answer at all is asked again.
      if (isRefusal(error)) return undefined
      throw error
    }
  })
  return answer
}

const outcomeOf = ({
  status,
  returnData = '0x',
  gasUsed = '0x0',
  logs = [],
  error,
}: Reply['calls'][number]) => ({
  ok: BigInt(status) === 1n,
  data: error?.data ?? returnData,
  gasUsed: BigInt(gasUsed),
  logs,
})

/** The node has answered, and does not want to. */
export function isRefusal(error: unknown): boolean {
  const { name = '', cause } = error as { name?: string; cause?: unknown }
  if (/HttpRequest|Timeout|Socket/.test(name)) return false
  return cause instanceof Error ? isRefusal(cause) : true
}
