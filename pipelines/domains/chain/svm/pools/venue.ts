/** One kind of pool: where its pools for two mints may be, and how one is read out of its accounts. */

import type { PoolKind } from '../../reader.ts'
import type { Bytes } from '../bytes.ts'
import type { SvmPool } from './pool.ts'

export interface Venue {
  kind: PoolKind
  program: string
  /** The first eight bytes of a pool's account. Absent: the program writes none. */
  mark?: Uint8Array
  /** Every derived address at which the pool of these mints may be. */
  addresses(a: string, b: string, settings: Settings): string[]
  /** Undefined: this account is no pool that can be traded with. */
  state(address: string, data: Bytes): PoolState | undefined
}

/** What a pool's own account says. The rest of what it takes stands in other accounts. */
export interface PoolState {
  kind: PoolKind
  address: string
  mints: readonly [string, string]
  /** The accounts in which the pool holds its two tokens. */
  vaults: readonly [string, string]
  /** When trading began, in seconds. Absent: the pool does not say. */
  openedAt?: bigint
  /** Every other account that its arithmetic needs, the vaults among them where it needs them. */
  needs: readonly string[]
  /** Undefined: the accounts that were read do not make a pool with a price. */
  pool(accounts: Accounts, clock: Clock): SvmPool | undefined
}

/** By address, what was read at one slot. */
type Accounts = ReadonlyMap<string, Bytes>

export interface Clock {
  slot: number
  epoch: bigint
  unixSeconds: number
}

/** What the programs allow pools to be made with. It is read from their own accounts. */
export interface Settings {
  /** The numbers of Whirlpool's tiers whose fee adapts to the volatility. */
  adaptiveTiers: readonly number[]
  clmmConfigs: readonly string[]
  cpmmConfigs: readonly string[]
  /** Presets with an account, by address. */
  dlmmPresets: readonly DlmmPreset[]
}

type DlmmPreset = { key: string } | { step: number; factor: number }
