import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { LogBook } from '../../../../../pipelines/domains/attestation/tlog/book.ts'
import {
  emptyRoot,
  type Hash,
  isConsistent,
  leafHash,
  nodeHash,
  rootOfInclusion,
} from '../../../../../pipelines/domains/attestation/tlog/merkle.ts'
import { readTile, tileBytes } from '../../../../../pipelines/domains/attestation/tlog/tile.ts'
import { Tree } from '../../../../../pipelines/domains/attestation/tlog/tree.ts'

const leafOf = (index: number): Hash => leafHash(Buffer.from(`entry ${index}`))
const leaves = Array.from({ length: 40 }, (_, index) => leafOf(index))

/** The definition of RFC 6962, without stored hashes. */
function plainRoot(of: readonly Hash[]): Hash {
  const [only] = of
  if (!only) return emptyRoot
  if (of.length === 1) return only
  let split = 1
  while (split * 2 < of.length) split *= 2
  return nodeHash(plainRoot(of.slice(0, split)), plainRoot(of.slice(split)))
}

const tree = new Tree()
for (const leaf of leaves) tree.append(leaf)
const sizes = Array.from({ length: leaves.length }, (_, i) => i + 1)

it('has the root of RFC 6962 for every size', () => {
  expect(tree.root(0).toString('hex')).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  for (const size of sizes) expect(tree.root(size)).toEqual(plainRoot(leaves.slice(0, size)))
})

it('proves each entry in each tree, and nothing else with the same proof', () => {
  for (const size of sizes)
    for (let index = 0; index < size; index++) {
      const proof = tree.inclusion(index, size)
      const leaf = leaves[index] as Hash
      expect(rootOfInclusion({ index, size, leaf, proof })).toEqual(tree.root(size))
      const wrong = rootOfInclusion({ index: (index + 1) % size, size, leaf, proof })
      if (size > 1) expect(wrong?.equals(tree.root(size)) ?? false).toBe(false)
      expect(rootOfInclusion({ index, size, leaf, proof: [...proof, leaf] })).toBeUndefined()
    }
})

it('proves that each tree begins with each smaller tree', () => {
  for (const to of sizes)
    for (let from = 1; from <= to; from++) {
      const proof = tree.consistency(from, to)
      const claim = { from, to, fromRoot: tree.root(from), toRoot: tree.root(to), proof }
      expect(isConsistent(claim)).toBe(true)
      expect(isConsistent({ ...claim, fromRoot: emptyRoot })).toBe(false)
      expect(isConsistent({ ...claim, toRoot: emptyRoot })).toBe(false)
      expect(isConsistent({ ...claim, proof: [...proof, emptyRoot] })).toBe(false)
      if (proof.length) expect(isConsistent({ ...claim, proof: proof.slice(1) })).toBe(false)
    }
})

const entry = (n: number) => ({
  statement_sha256: Buffer.alloc(32, n).toString('hex'),
  signature: `0x${Buffer.alloc(65, n).toString('hex')}`,
  timestamps_sha256: Buffer.alloc(32, 255 - n).toString('hex'),
})

describe('the book of the log', () => {
  it('accepts each statement once, and finds it', () => {
    const book = new LogBook()
    const hashes = Array.from({ length: 3000 }, () => randomBytes(32).toString('hex'))
    for (const statement_sha256 of [...hashes, ...hashes.slice(0, 100)])
      book.add({ ...entry(1), statement_sha256 })
    expect(book.size).toBe(3000)
    expect(hashes.map(hash => book.indexOf(hash))).toEqual([...hashes.keys()])
    expect(book.indexOf('00'.repeat(32))).toBeUndefined()
  })

  it('gives back the bytes of an entry', () => {
    const book = new LogBook()
    book.add(entry(1))
    book.add(entry(2))
    const { statement_sha256, signature, timestamps_sha256 } = entry(2)
    expect(String(book.record(1))).toBe(
      `{"signature":"${signature}","statement_sha256":"${statement_sha256}","timestamps_sha256":"${timestamps_sha256}"}`,
    )
    expect(book.tree.root()).toEqual(nodeHash(leafHash(book.record(0)), leafHash(book.record(1))))
  })
})

describe('tiles', () => {
  it.each([
    ['0/000', { level: 0, index: 0, width: 256 }],
    ['1/x001/x234/067.p/8', { level: 1, index: 1234067, width: 8 }],
    ['entries/x001/000', { level: 'entries', index: 1000, width: 256 }],
    ['63/999.p/255', { level: 63, index: 999, width: 255 }],
  ])('have names: %s', (path, tile) => {
    expect(readTile(path)).toEqual(tile)
  })

  it.each([
    '',
    '0',
    '0/0',
    '00/000',
    '64/000',
    '0/x000/001',
    '0/000.p/0',
    '0/000.p/256',
    '0/000/',
    '../000',
    '0/001.p/01',
  ])('have no other spelling: %j', path => {
    expect(readTile(path)).toBeUndefined()
  })

  it('hold exactly the content of the log', () => {
    const book = new LogBook()
    for (let n = 0; n < 600; n++) book.add({ ...entry(n % 256), statement_sha256: leafOf(n).toString('hex') })
    const hashes = tileBytes({ level: 0, index: 1, width: 256 }, book, 600)
    expect(hashes?.subarray(0, 32)).toEqual(leafHash(book.record(256)))
    expect(tileBytes({ level: 1, index: 0, width: 2 }, book, 600)?.subarray(0, 32)).toEqual(
      book.tree.root(256),
    )
    expect(tileBytes({ level: 0, index: 2, width: 88 }, book, 600)).toHaveLength(88 * 32)
    expect(tileBytes({ level: 0, index: 2, width: 89 }, book, 600)).toBeUndefined()
    expect(tileBytes({ level: 1, index: 0, width: 3 }, book, 600)).toBeUndefined()
    // The log may have more entries than its newest head says.
    expect(tileBytes({ level: 0, index: 2, width: 88 }, book, 599)).toBeUndefined()
    const bundle = tileBytes({ level: 'entries', index: 0, width: 2 }, book, 600) as Buffer
    const length = bundle.readUInt16BE(0)
    expect(bundle.subarray(2, 2 + length)).toEqual(book.record(0))
    expect(bundle.subarray(4 + length)).toEqual(book.record(1))
  })
})
