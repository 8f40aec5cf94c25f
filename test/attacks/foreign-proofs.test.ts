/** Genuine proofs in the wrong place: an attestation of parts from several attestations. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attestation } from '../../pipelines/domains/attestation/attestation.ts'
import { askForStamp } from '../../pipelines/domains/attestation/stamps/request.ts'
import { trustIn } from '../../pipelines/domains/attestation/stamps/trust.ts'
import { noteSigner, openCheckpoint, signCheckpoint } from '../../pipelines/domains/attestation/tlog/note.ts'
import { verify } from '../../pipelines/domains/attestation/verification.ts'
import { newWitness, serveTimeAuthority } from '../../services/sandbox/time-authority.ts'
import {
  type Attester,
  logKey,
  logName,
  openAttester,
} from '../pipelines/domains/attestation/an-attestation.ts'

const ends: (() => Promise<void> | void)[] = []
let ours: Attester
let theirs: Attester
let whole: Attestation
let other: Attestation
let foreign: Attestation

beforeAll(async () => {
  const atEnd = (end: () => Promise<void> | void) => void ends.unshift(end)
  ours = await openAttester({}, Date.now, atEnd)
  // Another log under the same name, with the same key, and another observer's key.
  theirs = await openAttester({ key: `0x${'9'.repeat(64)}` }, Date.now, atEnd)
  ;[other, whole, foreign] = [
    await ours.attest({ title: 'Another page' }),
    await ours.attest(),
    await theirs.attest(),
  ]
})
afterAll(async () => {
  for (const end of ends) await end()
})

const failedIn = (given: unknown) =>
  verify(given, ours.known).checks.flatMap(({ name, ok }) => (ok === false ? name : []))
const own = noteSigner(logName, logKey)

it('is valid unchanged', () => {
  expect(failedIn(whole)).toEqual([])
})

describe('an attestation is not valid', () => {
  it.each<[string, () => object, string[]]>([
    [
      'with the time-stamp of another page',
      () => ({ timestamps: other.timestamps }),
      ['timestamp_1', 'log_inclusion'],
    ],
    [
      'with the time-stamp of another page in its second place',
      () => ({ timestamps: [...whole.timestamps, ...other.timestamps] }),
      ['timestamp_2', 'log_inclusion'],
    ],
    [
      'with the signature of another page',
      () => ({ signature: other.signature }),
      ['signature', 'log_inclusion'],
    ],
    [
      'with the signature of another observer',
      () => ({ signature: foreign.signature }),
      ['signature', 'log_inclusion'],
    ],
    ['with the place of another page in the log', () => ({ log: other.log }), ['log_inclusion']],
    ['with the proof of another log', () => ({ log: foreign.log }), ['log_inclusion']],
    [
      'with a proof that is cut short',
      () => ({ log: { ...whole.log, inclusion: whole.log.inclusion.slice(1) } }),
      ['log_inclusion'],
    ],
    [
      'with a proof that is too long',
      () => ({ log: { ...whole.log, inclusion: [...whole.log.inclusion, ...whole.log.inclusion] } }),
      ['log_inclusion'],
    ],
    [
      'with a checkpoint that a stranger has signed under our name',
      () => ({
        log: {
          ...whole.log,
          checkpoint: signCheckpoint(headOf(whole), noteSigner(logName, `0x${'5'.repeat(64)}`)),
        },
      }),
      ['log_checkpoint', 'log_inclusion'],
    ],
    [
      'with a checkpoint of our key for a log of another name',
      () => ({
        log: { ...whole.log, checkpoint: signCheckpoint(headOf(whole), noteSigner('another/log', logKey)) },
      }),
      ['log_checkpoint', 'log_inclusion'],
    ],
    [
      'with a checkpoint of a log that is empty',
      () => ({ log: { ...whole.log, checkpoint: signCheckpoint({ ...headOf(whole), size: 0 }, own) } }),
      ['log_inclusion'],
    ],
    [
      'with the evidence of a chain that is cut to its leaf',
      () => ({
        evidence: {
          ...whole.evidence,
          certificates_base64: whole.evidence?.certificates_base64?.slice(0, 1),
        },
      }),
      ['certificate'],
    ],
    [
      'with the evidence of a chain that is turned around',
      () => ({
        evidence: {
          ...whole.evidence,
          certificates_base64: whole.evidence?.certificates_base64?.toReversed(),
        },
      }),
      ['certificate', 'certificate_name'],
    ],
    [
      'with the certificate of another host',
      () => ({ evidence: { ...whole.evidence, certificates_base64: foreign.evidence?.certificates_base64 } }),
      ['certificate'],
    ],
  ])('%s', (_, change, failed) => {
    const checks = failedIn({ ...whole, ...change() })
    expect(checks).toEqual(expect.arrayContaining(failed.slice(0, 1)))
    expect(verify({ ...whole, ...change() }, ours.known).valid).toBe(false)
  })

  it('of another observer, with only true content', () => {
    expect(failedIn(foreign)).toContain('key')
  })

  it('with a time-stamp of an authority that made itself', async () => {
    const self = await serveTimeAuthority(await newWitness(Date.now()), { now: Date.now })
    const { token, authority, time, policy } = await askForStamp(self.url, {
      sha256: whole.statement_sha256,
      trust: trustIn(self.pem),
    })
    await self.close()
    const stamp = {
      authority,
      policy,
      time: new Date(time).toISOString(),
      token_base64: Buffer.from(token).toString('base64'),
    }
    expect(failedIn({ ...whole, timestamps: [stamp] })).toContain('timestamp_1')
  })
})

const headOf = ({ log }: Attestation) =>
  openCheckpoint(log.checkpoint, own) as NonNullable<ReturnType<typeof openCheckpoint>>
