/** The hashes of a Merkle tree, and the proofs that verifiers check (RFC 6962 and RFC 9162). */
import { hash } from 'node:crypto'

export type Hash = Buffer

const sha256 = (...parts: Uint8Array[]): Hash => hash('sha256', Buffer.concat(parts), 'buffer')
const leaf = Buffer.of(0)
const node = Buffer.of(1)

export const emptyRoot: Hash = sha256()
export const leafHash = (record: Uint8Array): Hash => sha256(leaf, record)
export const nodeHash = (left: Hash, right: Hash): Hash => sha256(node, left, right)

interface Inclusion {
  index: number
  size: number
  leaf: Hash
  proof: readonly Hash[]
}

/** The root that the proof leads to. Undefined if the proof does not have the length for this leaf and tree size. */
export function rootOfInclusion({ index, size, leaf, proof }: Inclusion): Hash | undefined {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size)
    return undefined
  let [at, last, root] = [index, size - 1, leaf]
  for (const beside of proof) {
    if (last === 0) return undefined
    if (at % 2 === 1 || at === last) {
      root = nodeHash(beside, root)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else root = nodeHash(root, beside)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 ? root : undefined
}

interface Consistency {
  from: number
  to: number
  fromRoot: Hash
  toRoot: Hash
  proof: readonly Hash[]
}

/** Whether the tree of size `to` begins with all of the tree of size `from`. */
export function isConsistent({ from, to, fromRoot, toRoot, proof }: Consistency): boolean {
  if (![from, to].every(Number.isSafeInteger) || from < 1 || from > to) return false
  if (from === to) return proof.length === 0 && fromRoot.equals(toRoot)
  let [at, last] = [from - 1, to - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  // A tree whose size is a power of two is itself the first part of the proof.
  const [first, ...others] = at === 0 ? [fromRoot, ...proof] : proof
  if (!first) return false
  let [earlier, later] = [first, first]
  for (const beside of others) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      earlier = nodeHash(beside, earlier)
      later = nodeHash(beside, later)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else later = nodeHash(later, beside)
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && earlier.equals(fromRoot) && later.equals(toRoot)
}

const half = (n: number): number => Math.floor(n / 2)
