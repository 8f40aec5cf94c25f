/** Reads the keys of a wallet from a text. No word of it is ever repeated: what is wrong is named by its line. */
import type { Wallet } from './wallet.ts'

/** EVM keys as people write them. */
const evm = /^(?:0x)?[0-9a-f]{64}$/i
/** 32 or 64 bytes in base58, or as a list. */
const solana = /^[1-9A-HJ-NP-Za-km-z]{43,44}$|^[1-9A-HJ-NP-Za-km-z]{86,88}$|^\[[\d\s,]+\]$/

export class NoKey extends Error {}

export function keysIn(text: string, source: string): Pick<Wallet, 'evmKey' | 'solanaKey'> {
  const keys: Pick<Wallet, 'evmKey' | 'solanaKey'> = {}
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.trim()
    if (!line || line.startsWith('#')) continue
    if (evm.test(line)) keys.evmKey ??= line
    else if (solana.test(line)) keys.solanaKey ??= line
    else throw new NoKey(`line ${index + 1} of ${source} is no key: ${reasonOf(line)}`)
  }
  return keys
}

function reasonOf(line: string): string {
  if (/^["'`].*|["'`]$/.test(line)) return 'it stands in quotes'
  if (/^\w+(\s+\w+){5,}$/.test(line)) return 'it looks like the words of a wallet, and a key is wanted'
  const hex = /^(?:0x)?([0-9a-f]+)$/i.exec(line)?.[1]
  if (hex) return `an EVM key is 0x and 64 hex digits, and it has ${hex.length}`
  return 'a key is 0x and 64 hex digits, or 32 or 64 bytes in base58 or as a JSON list'
}
