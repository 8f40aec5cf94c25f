import { expect, it } from 'vitest'
import {
  exactBase64,
  noteSigner,
  openCheckpoint,
  signCheckpoint,
} from '../../../../../pipelines/domains/attestation/tlog/note.ts'

const signer = noteSigner('farebox/attest.example', `0x${'5'.repeat(64)}`)
const other = noteSigner('farebox/attest.example', `0x${'6'.repeat(64)}`)
const root = Buffer.alloc(32, 7)
const note = signCheckpoint({ size: 42, root }, signer)

it('signs a checkpoint that it opens again', () => {
  expect(openCheckpoint(note, signer)).toEqual({ size: 42, root })
  expect(note.split('\n').slice(0, 4)).toEqual(['farebox/attest.example', '42', root.toString('base64'), ''])
})

it('opens a checkpoint that has further signatures of others', () => {
  const line = signCheckpoint({ size: 42, root }, other).split('\n').at(-2)
  expect(openCheckpoint(`${note}${line}\n`, signer)).toEqual({ size: 42, root })
  expect(openCheckpoint(`${note}${line}\n`, other)).toEqual({ size: 42, root })
})

it('opens nothing with the signature of another key, or of the same key under another name', () => {
  expect(openCheckpoint(note, other)).toBeUndefined()
  expect(openCheckpoint(note, noteSigner('farebox/other.example', `0x${'5'.repeat(64)}`))).toBeUndefined()
})

it('opens nothing with a changed character', () => {
  for (let at = 0; at < note.length; at++)
    for (const character of ['0', 'A', '=', '\n', ' '])
      if (note[at] !== character)
        expect(openCheckpoint(note.slice(0, at) + character + note.slice(at + 1), signer)).toBeUndefined()
})

it('reads base64 only in its exact form', () => {
  expect(exactBase64('AAE=')).toEqual(Buffer.of(0, 1))
  for (const text of ['AAF=', 'AAE', 'AAE= ', 'AA-_', 'A']) expect(exactBase64(text)).toBeUndefined()
})
