/** Secrets as people mangle them, and what would give one away. */
import { environmentOf } from '../../../services/config/environment.ts'
import { origins } from '../../../services/origins/index.ts'

/** Variables that hold a secret, or an address that may. */
export const secretVariables = Object.keys(environmentOf(origins).shape).filter(name =>
  /TOKEN|SECRET|PASSWORD|HEADERS|_KEY|RPC|LOG_URL|STORE_URL|BLOBS_URL|PAGES_URL/.test(name),
)

export const hex = 'd1f0c3a97e5b48269a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5'
const base58 = '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw1uYbnGyLzLhJzP3xqZkXk6LbLk9bLTGJvQ3kQ8LrNnN7h'
const mnemonic = 'abandon ability able about above absent absorb abstract absurd abuse access accident'
const bytes = Array.from({ length: 64 }, (_, i) => (i * 37 + 11) % 256)

export const mangled: [string, string][] = [
  ['a digit too many', `0x${hex}a`],
  ['a digit too few', `0x${hex.slice(1)}`],
  ['0X', `0X${hex}`],
  ['0X and a digit too many', `0X${hex}7`],
  ['0x twice', `0x0x${hex}`],
  ['a letter that is no digit', `0x${hex.slice(1)}g`],
  ['quotes', `"0x${hex}"`],
  ['single quotes', `'${hex}'`],
  ['a quote on one side', `0x${hex}"`],
  ['spaces around', `  0x${hex}  `],
  ['a space inside', `0x${hex.slice(0, 32)} ${hex.slice(32)}`],
  ['a line feed inside', `0x${hex.slice(0, 32)}\n${hex.slice(32)}`],
  ['the name of the variable', `FAREBOX_KEY=0x${hex}`],
  ['export', `export FAREBOX_KEY=0x${hex}`],
  ['a comma behind', `0x${hex},`],
  ['base64', Buffer.from(hex, 'hex').toString('base64')],
  ['a mnemonic', mnemonic],
  ['a mnemonic in quotes', `"${mnemonic}"`],
  ['base58 with a character too many', `${base58}9`],
  ['base58 with a zero', `0${base58.slice(1)}`],
  ['base58 whose halves differ', base58],
  ['a list that is too short', JSON.stringify(bytes.slice(3))],
  ['a list without its end', JSON.stringify(bytes).slice(0, -1)],
  ['a list of texts', JSON.stringify(bytes.map(String))],
  ['a list whose halves differ', JSON.stringify(bytes)],
  ['an address with a password', `http://user:${hex}@127.0.0.1:9/`],
  ['an address of another protocol', `htp://127.0.0.1:9/v2/${hex}`],
]
/** What would give it away: any ten characters of it in a row. */
const pieces = [
  ...new Set(
    [hex, base58, mnemonic, String(bytes), Buffer.from(hex, 'hex').toString('base64')].flatMap(piecesOf),
  ),
]
function piecesOf(text: string): string[] {
  return Array.from({ length: text.length - 9 }, (_, i) => text.slice(i, i + 10))
}
const withoutSpace = (text: string) => text.toLowerCase().replaceAll(' ', '')
/** The lines that give it away. */
export const shown = (text: string) =>
  text.split('\n').filter(line => pieces.some(piece => withoutSpace(line).includes(withoutSpace(piece))))
