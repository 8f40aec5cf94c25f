/** The faults of one purchase, drawn from a seed, so that a failed run can be repeated. */
import type { Step } from '../../services/till/sale.ts'
import type { Door, Path } from './paths.ts'

export const verifyFaults = ['slow', 'hang', '5xx', 'html', 'redirect', 'wrong payer'] as const
export const settleFaults = [
  'slow',
  'too slow',
  'hang before',
  'hang after',
  '5xx before',
  '5xx after',
  'html after',
  'redirect',
  'reset before',
  'reset after',
  'wrong network',
  'wrong payer',
  'pending',
  'failed with a transaction',
  'dropped transaction',
  'drained',
  'cancelled',
] as const
export const logFaults = [
  'promise not taken',
  'promise taken, not told',
  'outcome not taken',
  'outcome taken, not told',
] as const
/** The steps of the till, and two after it: the answer on its way, and the answer delivered. */
export const crashes: readonly CrashPoint[] = [
  'reserved',
  'verified',
  'answered',
  'promised',
  'settled',
  'responding',
  'delivered',
]

export type VerifyFault = (typeof verifyFaults)[number]
export type SettleFault = (typeof settleFaults)[number]
export type LogFault = (typeof logFaults)[number]
export type CrashPoint = Step | 'responding' | 'delivered'

export interface Plan {
  id: number
  network: 'base' | 'solana'
  door: Door
  /** What is bought: an operation of the code, or one of a file. */
  sold: '/draw' | '/drawn'
  /** The row of the table. */
  kind: string
  verify: VerifyFault | undefined
  settle: SettleFault | undefined
  /** The number of failed calls of this payment before the facilitator works again. */
  times: number
  log: LogFault | undefined
  storeDown: boolean
  crash: CrashPoint | undefined
  client: 'stays' | 'leaves' | 'leaves for good' | 'sends copies'
  key: string | undefined
  /** Its payer is paid back once he has an answer. */
  isRefunded: boolean
}

export const kinds: Pick<Plan, 'kind' | 'verify' | 'settle' | 'log' | 'storeDown'>[] = [
  { kind: 'nothing', verify: undefined, settle: undefined, log: undefined, storeDown: false },
  ...verifyFaults.map(verify => ({
    ...{ kind: `verify: ${verify}`, verify, settle: undefined, log: undefined, storeDown: false },
  })),
  ...settleFaults.map(settle => ({
    ...{ kind: `settle: ${settle}`, verify: undefined, settle, log: undefined, storeDown: false },
  })),
  ...logFaults.map(log => ({
    ...{ kind: `log: ${log}`, verify: undefined, settle: undefined, log, storeDown: false },
  })),
  { kind: 'store down', verify: undefined, settle: undefined, log: undefined, storeDown: true },
]

/** Every kind takes its turn. The other faults of a purchase are drawn at random. */
export function plansOf(seed: number, count: number, { doors, isRefunded }: Path): Plan[] {
  const draw = random(seed)
  const one = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)] as T
  return Array.from({ length: count }, (_, i) => {
    const kind = kinds[(seed * count + i) % kinds.length] as (typeof kinds)[number]
    const client = draw() < 0.6 ? 'stays' : one(['leaves', 'leaves for good', 'sends copies'] as const)
    const network = kind.settle === 'cancelled' ? 'base' : one(['base', 'solana'] as const)
    const drawn = {
      times: 1 + Math.floor(draw() * 2),
      crash: draw() < 0.2 ? one(crashes) : undefined,
      client: client as Plan['client'],
      key: draw() < 0.5 ? `key-of-run-${seed}-${i}` : undefined,
      door: one(doors),
    }
    return {
      id: i,
      // Each fault meets both, in turn.
      sold: (i + Math.floor(i / kinds.length)) % 2 ? '/drawn' : '/draw',
      ...kind,
      ...drawn,
      // Only signed authorizations pay over MPP.
      network: drawn.door === 'mpp' ? 'base' : network,
      isRefunded: isRefunded && draw() < 0.5,
    }
  })
}

/** mulberry32 */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
