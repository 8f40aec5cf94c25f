/** Go's own code for logs judges our log of attestations: every tree up to 5,000 entries, and 10,000 false claims. */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { copyFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  type Hash,
  isConsistent,
  leafHash,
  rootOfInclusion,
} from '../../pipelines/domains/attestation/tlog/merkle.ts'
import { noteSigner, openCheckpoint, signCheckpoint } from '../../pipelines/domains/attestation/tlog/note.ts'
import { Tree } from '../../pipelines/domains/attestation/tlog/tree.ts'
import { scratchFolder } from '../scratch.ts'

const mostEntries = 5000
const falseClaims = 10_000
const hasGo = spawnSync('go', ['version']).status === 0
const able = process.env.LONG_FORM !== undefined && hasGo
const why = hasGo ? ': LONG_FORM is unset' : ': Go is not installed'

interface Claim {
  note?: string
  key?: string
  size?: number
  root?: Buffer
  index?: number
  leaf?: Buffer
  from?: number
  old?: Buffer
  proof?: Buffer[]
}

const signer = noteSigner('farebox/attest.example', `0x${'5'.repeat(64)}`)

function ours({ note, size = 0, root, index = 0, leaf, from, old, proof = [] }: Claim): boolean {
  if (note !== undefined) return openCheckpoint(note, signer) !== undefined
  if (!proof.every(({ length }) => length === 32) || !root) return false
  if (from !== undefined) return isConsistent({ from, to: size, fromRoot: old as Hash, toRoot: root, proof })
  const reached = rootOfInclusion({ index, size, leaf: leafHash(leaf as Buffer), proof })
  return reached?.equals(root) === true
}

function theirs(claims: readonly Claim[]): boolean[] {
  const folder = scratchFolder()
  copyFileSync(fileURLToPath(new URL('./judge/main.go', import.meta.url)), `${folder}/main.go`)
  const go = (args: string[], input?: string) => {
    const env = { ...process.env, GOFLAGS: '' }
    const ran = spawnSync('go', args, { cwd: folder, env, input, maxBuffer: 1 << 28 })
    if (ran.status !== 0) throw new Error(`go ${args.join(' ')}: ${ran.stderr}`)
    return String(ran.stdout)
  }
  go(['mod', 'init', 'judge'])
  go(['get', 'golang.org/x/mod/sumdb/tlog'])
  const written = (_: string, value: unknown) =>
    value !== null && typeof value === 'object' && 'type' in value && value.type === 'Buffer'
      ? Buffer.from((value as unknown as { data: number[] }).data).toString('base64')
      : value
  const said = go(['run', '.'], claims.map(claim => `${JSON.stringify(claim, written)}\n`).join(''))
  return [...said].map(each => each === '1')
}

const flipped = (bytes: Buffer): Buffer => {
  const other = Buffer.from(bytes)
  const at = randomInt(bytes.length)
  other[at] = (other[at] ?? 0) ^ (1 << randomInt(8))
  return other
}

/** Changes one part of a claim. */
function spoiled(claim: Claim): Claim {
  const { note, proof = [], size = 0, index = 0, from } = claim
  if (note !== undefined) {
    const at = randomInt(note.length)
    const character = String.fromCharCode((note.charCodeAt(at) ^ (1 << randomInt(5))) & 0x7f)
    return { ...claim, note: note.slice(0, at) + character + note.slice(at + 1) }
  }
  const some = randomInt(proof.length || 1)
  const ways: (() => Claim)[] = [
    () => ({ ...claim, root: flipped(claim.root as Buffer) }),
    () => ({ ...claim, proof: [...proof, flipped(claim.root as Buffer)] }),
    ...(from === undefined
      ? [
          () => ({ ...claim, leaf: flipped(claim.leaf as Buffer) }),
          () => ({ ...claim, index: index + 1 + randomInt(size) }),
        ]
      : [() => ({ ...claim, old: flipped(claim.old as Buffer) })]),
    ...(proof.length
      ? [
          () => ({ ...claim, proof: proof.filter((_, i) => i !== some) }),
          () => ({ ...claim, proof: proof.map((each, i) => (i === some ? flipped(each) : each)) }),
        ]
      : []),
  ]
  return (ways[randomInt(ways.length)] as () => Claim)()
}

/** Go reads base64 whose last character has spare bits other than zero. We refuse it. */
const isOtherSpelling = ({ note = '' }: Claim): boolean => {
  const base64 = note.split(' ').at(-1)?.trim() ?? ''
  return note !== '' && Buffer.from(base64, 'base64').toString('base64') !== base64
}

describe.skipIf(!able)(`Go${able ? '' : why}`, () => {
  it('accepts our proofs, and refuses false ones, as we do', () => {
    const tree = new Tree()
    const records: Buffer[] = []
    const claims: Claim[] = []
    for (let size = 1; size <= mostEntries; size++) {
      records.push(Buffer.from(`{"entry":${size}}`))
      tree.append(leafHash(records.at(-1) as Buffer))
      const root = tree.root()
      const note = signCheckpoint({ size, root }, signer)
      const [index, from] = [randomInt(size), 1 + randomInt(size)]
      claims.push(
        { note, key: signer.verifierKey },
        { size, root, index, leaf: records[index] as Buffer, proof: tree.inclusion(index) },
        { size, root, from, old: tree.root(from), proof: tree.consistency(from) },
      )
    }
    const spoilt = Array.from({ length: falseClaims }, () =>
      spoiled(claims[randomInt(claims.length)] as Claim),
    )
    const verdicts = theirs([...claims, ...spoilt])
    expect(verdicts).toHaveLength(claims.length + falseClaims)
    expect(verdicts.slice(0, claims.length).indexOf(false)).toBe(-1)
    expect(claims.map(ours).indexOf(false)).toBe(-1)
    expect(spoilt.filter(ours)).toEqual([])
    const accepted = spoilt.filter((claim, i) => verdicts[claims.length + i] && !isOtherSpelling(claim))
    expect(accepted).toEqual([])
  })
})
