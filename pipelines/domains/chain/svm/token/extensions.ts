/** Reads the extensions of a Token-2022 mint: entries with type, length and value, one after another. */
import type { Bytes } from '../bytes.ts'

export type Extension =
  | { name: 'transfer_fee'; authority: string | null; older: TransferFee; newer: TransferFee }
  | { name: 'mint_close_authority'; authority: string | null }
  | { name: 'confidential_transfer'; authority: string | null }
  | { name: 'default_account_state'; frozen: boolean }
  | { name: 'non_transferable' }
  | { name: 'interest_bearing'; authority: string | null; rateBps: number }
  | { name: 'permanent_delegate'; delegate: string | null }
  | { name: 'transfer_hook'; authority: string | null; program: string | null }
  | { name: 'metadata_pointer'; authority: string | null; at: string | null }
  | {
      name: 'token_metadata'
      updateAuthority: string | null
      mint: string
      tokenName: string
      symbol: string
      uri: string
    }
  | { name: 'scaled_ui_amount'; authority: string | null; multiplier: number }
  | { name: 'pausable'; authority: string | null; paused: boolean }
  | { name: 'group' | 'confidential_mint_burn' | `unknown_${number}` }

/** The part of each transfer that its receiver does not get, from an epoch on. */
interface TransferFee {
  epoch: bigint
  most: bigint
  bps: number
}

const decoders: Record<number, (value: Bytes) => Extension> = {
  1: value => ({
    name: 'transfer_fee',
    authority: value.keyOrNull(0),
    older: transferFee(value, 72),
    newer: transferFee(value, 90),
  }),
  3: value => ({ name: 'mint_close_authority', authority: value.keyOrNull(0) }),
  4: value => ({ name: 'confidential_transfer', authority: value.keyOrNull(0) }),
  6: value => ({ name: 'default_account_state', frozen: value.u8(0) === 2 }),
  9: () => ({ name: 'non_transferable' }),
  10: value => ({ name: 'interest_bearing', authority: value.keyOrNull(0), rateBps: value.i16(50) }),
  12: value => ({ name: 'permanent_delegate', delegate: value.keyOrNull(0) }),
  14: value => ({ name: 'transfer_hook', authority: value.keyOrNull(0), program: value.keyOrNull(32) }),
  18: value => ({ name: 'metadata_pointer', authority: value.keyOrNull(0), at: value.keyOrNull(32) }),
  19: tokenMetadata,
  20: () => ({ name: 'group' }),
  21: () => ({ name: 'group' }),
  22: () => ({ name: 'group' }),
  23: () => ({ name: 'group' }),
  24: () => ({ name: 'confidential_mint_burn' }),
  25: value => ({ name: 'scaled_ui_amount', authority: value.keyOrNull(0), multiplier: value.f64(32) }),
  26: value => ({ name: 'pausable', authority: value.keyOrNull(0), paused: value.flag(32) }),
}

/** It belongs to `confidential_transfer` and adds no information. */
const confidentialFee = 16

export function extensionsIn(data: Bytes, from: number): Extension[] {
  const found: Extension[] = []
  for (let at = from; at + 4 <= data.length; ) {
    const type = data.u16(at)
    // The rest is padding.
    if (type === 0) break
    const length = data.u16(at + 2)
    const value = data.part(at + 4, length)
    if (type !== confidentialFee) found.push(decoders[type]?.(value) ?? { name: `unknown_${type}` })
    at += 4 + length
  }
  return found
}

const transferFee = (value: Bytes, at: number): TransferFee => ({
  epoch: value.u64(at),
  most: value.u64(at + 8),
  bps: value.u16(at + 16),
})

function tokenMetadata(value: Bytes): Extension {
  const name = value.text(64)
  const symbol = value.text(name.end)
  const { text: uri } = value.text(symbol.end)
  return {
    name: 'token_metadata',
    updateAuthority: value.keyOrNull(0),
    mint: value.key(32),
    tokenName: name.text,
    symbol: symbol.text,
    uri,
  }
}

export const extension = <Name extends Extension['name']>(
  extensions: readonly Extension[],
  name: Name,
): Extract<Extension, { name: Name }> | undefined =>
  extensions.find((one): one is Extract<Extension, { name: Name }> => one.name === name)

/** The fee of a transfer now. A change takes effect after two epochs. */
export function transferFeeAt(extensions: readonly Extension[], epoch: bigint): TransferFee | undefined {
  const fee = extension(extensions, 'transfer_fee')
  return fee && (epoch >= fee.newer.epoch ? fee.newer : fee.older)
}
