/** Runs in the browser: writes the transaction that pays with USDC on Solana, in the one form that x402 takes, for a wallet to sign. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export function base58(bytes) {
  let value = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; value > 0n; value /= 58n) text = alphabet[Number(value % 58n)] + text
  const zeros = bytes.findIndex(byte => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}

/** A key or a hash: 32 bytes. */
function key(text) {
  let value = 0n
  for (const letter of String(text)) {
    const digit = alphabet.indexOf(letter)
    if (digit < 0) throw new Error(`${text} is no address of Solana`)
    value = value * 58n + BigInt(digit)
  }
  return Uint8Array.from({ length: 32 }, (_, at) => Number((value >> BigInt(8 * (31 - at))) & 255n))
}

const computeBudget = key('ComputeBudget111111111111111111111111111111')
const tokenProgram = key('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const accountProgram = key('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const memo = key('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const prime = 2n ** 255n - 19n
const modular = value => ((value % prime) + prime) % prime
function power(base, exponent) {
  let result = 1n
  for (let square = base; exponent > 0n; exponent >>= 1n) {
    if (exponent & 1n) result = (result * square) % prime
    square = (square * square) % prime
  }
  return result
}
const curve = modular(-121665n * power(121666n, prime - 2n))

/** Whether the bytes are a point of the curve, so that somebody may have its key. */
function isPoint(bytes) {
  const y = bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n) & (2n ** 255n - 1n)
  const square = modular(y * y)
  const x = modular((square - 1n) * power(modular(curve * square + 1n), prime - 2n))
  return x === 0n || power(x, (prime - 1n) / 2n) === 1n
}

const joined = parts => Uint8Array.from(parts.flatMap(part => [...part]))
const text = words => new TextEncoder().encode(words)

/** Where an owner keeps his coins of a mint: the first address from 255 down that is no point. */
async function accountOf(owner, mint) {
  for (let bump = 255; bump >= 0; bump--) {
    const seeds = [owner, tokenProgram, mint, [bump], accountProgram, text('ProgramDerivedAddress')]
    const address = new Uint8Array(await crypto.subtle.digest('SHA-256', joined(seeds)))
    if (!isPoint(address)) return address
  }
  throw new Error('no account has this owner')
}

/** Of numbers below 2^63, as many bytes as it has. */
const little = (value, length) =>
  Array.from({ length }, (_, at) => Number((BigInt(value) >> BigInt(8 * at)) & 255n))
const listed = parts => [[parts.length], ...parts]
/** No part is longer than 127 bytes, so each length is one byte. */
const instruction = (program, accounts, data) =>
  [[program], listed(accounts).flat(), [data.length], data].flat()

const units = 20_000
const decimals = 6

/** Two signatures are empty: the one of who pays the fee, which comes later, and the payer's own. */
export async function transactionOf(payer, { mint, payTo, amount, feePayer, blockhash }) {
  if (!feePayer || !blockhash) throw new Error('the quote names no block or nobody who pays the fee')
  if (feePayer === payer) throw new Error('the wallet itself would pay the fee')
  const [coin, owner, payee] = [mint, payer, payTo].map(key)
  const [from, to] = await Promise.all([accountOf(owner, coin), accountOf(payee, coin)])
  const accounts = [key(feePayer), owner, from, to, computeBudget, tokenProgram, coin, memo]
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map(byte =>
    byte.toString(16).padStart(2, '0'),
  )
  const instructions = [
    instruction(4, [], [2, ...little(units, 4)]),
    instruction(4, [], [3, ...little(1, 8)]),
    instruction(5, [2, 6, 3, 1], [12, ...little(amount, 8), decimals]),
    instruction(7, [], [...text(nonce.join(''))]),
  ]
  const header = [128, 2, 1, 4]
  const message = [header, ...listed(accounts), key(blockhash), ...listed(instructions), [0]]
  return joined([[2], new Uint8Array(128), ...message])
}
