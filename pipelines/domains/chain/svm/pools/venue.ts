/** One kind of pool: the possible addresses of its pools for two mints, and how to read one from its accounts. */

import type { PoolKind } from '../../reader.ts'
import type { Bytes } from '../bytes.ts'
import type { SvmPool } from './pool.ts'

export interface Venue {
  kind: PoolKind
  program: string
  /** The first eight bytes of a pool's account. Absent if the program writes none. */
  mark?: Uint8Array
  /** Every derived address where a pool of these mints may be. */
  addresses(a: string, b: string, settings: Settings): string[]
  /** Undefined if this account is not a pool that can be traded with. */
  state(address: string, data: Bytes): PoolState | undefined
}

/** The data in a pool's own account. Other accounts have the rest. */
export interface PoolState {
  kind: PoolKind
  address: string
  mints: readonly [string, string]
  /** The accounts in which the pool holds its two tokens. */
  vaults: readonly [string, string]
  /** The begin of trading, in seconds. Absent if the pool does not report it. */
  openedAt?: bigint
  /** All other accounts that its arithmetic needs, possibly including the vaults. */
  needs: readonly string[]
  /** Undefined if the accounts do not give a pool with a price. */
  pool(accounts: Accounts, clock: Clock): SvmPool | undefined
}

/** The data read at one slot, by address. */
type Accounts = ReadonlyMap<string, Bytes>

export interface Clock {
  slot: number
  epoch: bigint
  unixSeconds: number
}

/** The options that the programs offer for new pools. They are read from the programs' own accounts. */
export interface Settings {
  /** The numbers of Whirlpool's tiers with an adaptive fee. */
  adaptiveTiers: readonly number[]
  clmmConfigs: readonly string[]
  cpmmConfigs: readonly string[]
  /** The presets that have an account, by address. */
  dlmmPresets: readonly DlmmPreset[]
}

type DlmmPreset = { key: string } | { step: number; factor: number }
