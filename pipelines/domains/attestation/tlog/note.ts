/** Signed notes and checkpoints (C2SP signed-note and tlog-checkpoint), with Ed25519. Others can verify them. */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import type { Hash } from './merkle.ts'

export interface NoteSigner extends NoteVerifier {
  key: KeyObject
}

export interface NoteVerifier {
  /** The name of the key, and the first line of a checkpoint. */
  name: string
  /** The first bytes of the hash of name and key. */
  keyHash: Buffer
  publicKey: KeyObject
  /** In the form of Go's note package: name, hash and key in one line. */
  verifierKey: string
}

export interface Checkpoint {
  size: number
  root: Hash
}

const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')
const ed25519 = Buffer.of(1)

/** `seed` is 32 bytes in hex, with a leading 0x. */
export function noteSigner(name: string, seed: string): NoteSigner {
  const der = Buffer.concat([privatePrefix, Buffer.from(seed.slice(2), 'hex')])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(key)
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const typed = Buffer.concat([ed25519, bytes])
  const keyHash = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').subarray(0, 4)
  const verifierKey = `${name}+${keyHash.toString('hex')}+${typed.toString('base64')}`
  return { name, keyHash, publicKey, verifierKey, key }
}

/** Reads a verifier's line. Undefined if the text has another form. */
export function noteVerifier(verifierKey: string): NoteVerifier | undefined {
  const [, name, hex, base64 = ''] = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/.exec(verifierKey) ?? []
  const bytes = Buffer.from(base64, 'base64')
  if (name === undefined || hex === undefined || bytes[0] !== ed25519[0]) return undefined
  const der = Buffer.concat([publicPrefix, bytes.subarray(1)])
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return { name, keyHash: Buffer.from(hex, 'hex'), publicKey, verifierKey }
}

export function signCheckpoint({ size, root }: Checkpoint, { name, keyHash, key }: NoteSigner): string {
  const text = `${name}\n${size}\n${root.toString('base64')}\n`
  const signature = Buffer.concat([keyHash, sign(null, Buffer.from(text), key)])
  return `${text}\n— ${name} ${signature.toString('base64')}\n`
}

/** Each signature of a note covers its whole text, so many signatures over a long text cost the square of its length. */
export const mostNoteChars = 16 * 1024

/** Undefined if it is not a checkpoint of this log with this key's signature. It may also carry signatures of others. */
export function openCheckpoint(note: string, verifier: NoteVerifier): Checkpoint | undefined {
  const end = note.length > mostNoteChars ? -1 : note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, end + 1)
  const lines = note.slice(end + 2, -1).split('\n')
  if (!lines.every(line => signatureLine.test(line)) || !lines.some(line => isSigned(text, line, verifier)))
    return undefined
  const [name, size = '', root = '', ...rest] = text.split('\n')
  const bytes = exactBase64(root)
  if (name !== verifier.name || !/^(0|[1-9]\d{0,14})$/.test(size) || bytes?.length !== 32) return undefined
  // Lines of other kinds may follow, but none of them is empty.
  return rest.pop() === '' && !rest.includes('') ? { size: Number(size), root: bytes } : undefined
}

export function openedBy(verifiers: readonly NoteVerifier[], note: string): Checkpoint | undefined {
  for (const verifier of verifiers) {
    const opened = openCheckpoint(note, verifier)
    if (opened) return opened
  }
  return undefined
}

const signatureLine = /^— [^\s+]+ [A-Za-z0-9+/]+={0,2}$/

function isSigned(text: string, line: string, { name, keyHash, publicKey }: NoteVerifier): boolean {
  const [, by, base64 = ''] = line.split(' ')
  const bytes = exactBase64(base64)
  if (by !== name || !bytes?.subarray(0, 4).equals(keyHash)) return false
  return bytes.length === 68 && verify(null, Buffer.from(text), publicKey, bytes.subarray(4))
}

/**
 * Undefined if the text is not the exact base64 of its bytes. Node also reads `-` and `_`, and skips characters
 * outside of base64: then the length or the end differs. Encoding a picture again for a comparison would take three
 * times as long.
 */
export function exactBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const end = bytes.subarray(bytes.length - (bytes.length % 3 || 3)).toString('base64')
  const isExact = text.length === 4 * Math.ceil(bytes.length / 3) && text.endsWith(end)
  return isExact && !text.includes('-') && !text.includes('_') ? bytes : undefined
}
