import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attestation } from '../../../../pipelines/domains/attestation/attestation.ts'
import { NoTimeStamp } from '../../../../pipelines/domains/attestation/attestor.ts'
import { developmentKeys } from '../../../../pipelines/domains/attestation/development.ts'
import { keyList } from '../../../../pipelines/domains/attestation/keys.ts'
import { askForStamp } from '../../../../pipelines/domains/attestation/stamps/request.ts'
import { trustIn } from '../../../../pipelines/domains/attestation/stamps/trust.ts'
import { verify } from '../../../../pipelines/domains/attestation/verification.ts'
import { addressOfKey } from '../../../../pipelines/rails/signing/eip712.ts'
import { sha256 } from '../../../../pipelines/rails/signing/sha256.ts'
import { example, exampleLog } from '../../../../services/origins/attest/page/example.ts'
import { type Attester, openAttester, picture } from './an-attestation.ts'

const ends: (() => Promise<void> | void)[] = []
let attester: Attester
let whole: Attestation

beforeAll(async () => {
  attester = await openAttester({}, Date.now, end => ends.unshift(end))
  await attester.attest({ title: 'Another page' })
  whole = await attester.attest()
})
afterAll(async () => {
  for (const end of ends) await end()
})

const judged = (given: unknown, known = attester.known) => verify(given, known)
const failedIn = (given: unknown, known = attester.known) =>
  judged(given, known).checks.flatMap(({ name, ok }) => (ok === false ? name : []))
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

it('is valid, check by check', () => {
  const { checks, ...verdict } = judged(whole)
  expect(verdict).toEqual({
    valid: true,
    signer: addressOfKey(`0x${'7'.repeat(64)}`),
    signed_at: whole.statement.observed_at,
    reason: null,
  })
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual(
    [
      'form',
      'statement_sha256',
      'signature',
      'key',
      'timestamp_1',
      'log_checkpoint',
      'log_inclusion',
      'text',
      'text_chars',
      'screenshot',
      'screenshot_size',
      'html',
      'certificate',
      'certificate_name',
    ].map(name => [name, true]),
  )
})

it('is valid with a receipt next to it, and in any order of its fields', () => {
  expect(judged({ ...whole, receipt: { price_usdc: 0.05 } }).valid).toBe(true)
  expect(judged(Object.fromEntries(Object.entries(whole).reverse())).valid).toBe(true)
})

it('reports absent evidence as skipped, never as right', () => {
  const { evidence: _, ...bare } = whole
  const { valid, checks } = judged(bare)
  expect(valid).toBe(true)
  const skipped = checks.filter(({ ok }) => ok === null)
  expect(skipped).toHaveLength(7)
  expect(skipped.every(({ detail }) => detail.startsWith('skipped'))).toBe(true)
})

describe('fails by name if one byte changes', () => {
  const { statement_sha256 } = example.response
  const flipped = (text: string) => {
    const bytes = Buffer.from(text, 'base64')
    bytes[bytes.length - 4] = (bytes[bytes.length - 4] ?? 0) ^ 1
    return base64(bytes)
  }
  const changes: [what: string, change: (of: Attestation) => object, failed: string[]][] = [
    [
      'text',
      ({ evidence }) => ({ evidence: { ...evidence, text: `${evidence?.text}.` } }),
      ['text', 'text_chars'],
    ],
    [
      'the picture',
      ({ evidence }) => ({
        evidence: { ...evidence, screenshot_base64: flipped(evidence?.screenshot_base64 ?? '') },
      }),
      ['screenshot'],
    ],
    [
      'HTML',
      ({ evidence }) => ({ evidence: { ...evidence, html_base64: flipped(evidence?.html_base64 ?? '') } }),
      ['html'],
    ],
    [
      'the certificate',
      ({ evidence }) => {
        const [leaf = '', ...others] = evidence?.certificates_base64 ?? []
        return { evidence: { ...evidence, certificates_base64: [flipped(leaf), ...others] } }
      },
      ['certificate'],
    ],
    [
      'the time',
      ({ statement }) => ({ statement: { ...statement, observed_at: '2020-01-01T00:00:00.000Z' } }),
      ['statement_sha256', 'signature', 'timestamp_1', 'certificate_name'],
    ],
    ['the hash', () => ({ statement_sha256 }), ['statement_sha256', 'timestamp_1', 'log_inclusion']],
    [
      'the name of the authority',
      ({ timestamps }) => ({ timestamps: [{ ...timestamps[0], authority: 'DigiCert' }] }),
      ['timestamp_1'],
    ],
    [
      'the time of the time-stamp',
      ({ timestamps }) => ({ timestamps: [{ ...timestamps[0], time: '2020-01-01T00:00:00.000Z' }] }),
      ['timestamp_1'],
    ],
    [
      'a time-stamp that was taken away',
      () => ({ timestamps: [], no_timestamp_because: 'no time-stamp authority is configured' }),
      ['log_inclusion'],
    ],
    ['why there is no time-stamp', () => ({ timestamps: [] }), ['form', 'log_inclusion']],
    ['the place in the log', ({ log }) => ({ log: { ...log, index: 0 } }), ['log_inclusion']],
    [
      'the checkpoint',
      ({ log }) => ({ log: { ...log, checkpoint: log.checkpoint.replace('\n2\n', '\n3\n') } }),
      ['log_checkpoint', 'log_inclusion'],
    ],
    ['a name that is no field', () => ({ more: 1 }), ['form']],
    [
      'the domain',
      ({ signature }) => ({ signature: { ...signature, domain: { ...signature.domain, chainId: 8453 } } }),
      ['form'],
    ],
    ['the name of the key', ({ signature }) => ({ signature: { ...signature, key_id: 'other' } }), ['key']],
  ]

  it.each(changes)('%s', (_what, change, failed) => {
    const changed = { ...whole, ...change(whole) }
    expect(failedIn(changed)).toEqual(failed)
    expect(judged(changed).reason).toMatch(new RegExp(`^${failed[0]}: `))
  })

  it('a picture of another size, although its hash is right', async () => {
    const other = Buffer.from(picture)
    other.writeUInt16BE(1281, 15)
    const attested = await attester.attest({ screenshot_sha256: sha256(other) })
    const evidence = { ...attested.evidence, screenshot_base64: base64(other) }
    expect(failedIn({ ...attested, evidence })).toEqual(['screenshot_size'])
  })

  it('a certificate of another host, or of another time', async () => {
    const elsewhere = await attester.attest({ final_url: 'https://other.example/' })
    expect(failedIn(elsewhere)).toEqual(['certificate_name'])
    const nowhere = await attester.attest({ final_url: 'no URL' })
    expect(failedIn(nowhere)).toEqual(['certificate_name'])
  })

  it('bytes that are not a certificate, although their hash is right', async () => {
    const noise = randomBytes(100)
    const { statement, evidence } = whole
    const tls = { ...statement.tls, certificate_sha256: sha256(noise), chain_sha256: [sha256(noise)] }
    const attested = await attester.attest({ tls: tls as typeof statement.tls })
    expect(
      failedIn({ ...attested, evidence: { ...evidence, certificates_base64: [base64(noise)] } }),
    ).toEqual(['certificate_name'])
  })
})

it.each([
  ['nothing', undefined],
  ['a text', 'attestation'],
  ['half of it', { statement: {}, signature: {} }],
])('fails in its form: %s', (_what, given) => {
  expect(failedIn(given)).toEqual(['form'])
  expect(judged(given)).toMatchObject({ valid: false, signer: null, signed_at: null })
})

it('names missing parts in a few words', () => {
  const { log: _, ...less } = whole
  expect(judged(less).reason).toBe('form: log: is missing')
  expect(judged({ statement: {}, signature: {} }).reason).toMatch(
    /^form: statement\.\S+: [^;]+; statement\.url: is missing; ([^;]+; ){3}and \d+ more$/,
  )
})

it('is not valid if the statement has half of a surrogate pair', () => {
  const statement = { ...whole.statement, title: '\ud800' }
  expect(failedIn({ ...whole, statement })).toEqual(['statement_sha256', 'signature'])
})

describe('keys', () => {
  const address = addressOfKey(`0x${'7'.repeat(64)}`)
  const current = `0x${'99'.repeat(20)}`
  const [day, later] = ['2020-01-01T00:00:00.000Z', '2090-01-01T00:00:00.000Z']
  const knownWith = (life: { valid_from: string; valid_until: string; revoked_at: string | null }) => ({
    ...attester.known,
    keys: keyList(current, [{ address, ...life }]),
  })

  it('still prove their signatures after they have retired', () => {
    expect(judged(whole, knownWith({ valid_from: day, valid_until: later, revoked_at: null })).valid).toBe(
      true,
    )
  })

  it('prove nothing outside of their validity', () => {
    const retired = knownWith({ valid_from: day, valid_until: '2021-01-01T00:00:00.000Z', revoked_at: null })
    expect(judged(whole, retired).reason).toContain('has signed until 2021-01-01')
  })

  it('prove nothing if they are not ours', () => {
    expect(judged(whole, { ...attester.known, keys: keyList(current, []) }).reason).toContain(
      'no key of ours',
    )
  })

  it('prove after a revocation what others saw before it', async () => {
    const revoked = knownWith({ valid_from: day, valid_until: later, revoked_at: '2089-01-01T00:00:00.000Z' })
    expect(judged(whole, revoked).valid).toBe(true)
    expect(judged(whole, { ...revoked, trust: trustIn() }).checks).toContainEqual(
      expect.objectContaining({ name: 'key', ok: false, detail: expect.stringContaining('was revoked') }),
    )
    const after = knownWith({ valid_from: day, valid_until: later, revoked_at: '2021-01-01T00:00:00.000Z' })
    expect(judged(whole, after).reason).toContain('was revoked at 2021-01-01')
  })
})

it('is attested without a time-stamp if none is configured, and says so', async () => {
  const alone = await openAttester({ authorities: [], required: 0 })
  const attested = await alone.attest()
  expect(attested).toMatchObject({
    timestamps: [],
    no_timestamp_because: 'no time-stamp authority is configured',
  })
  const { valid, checks } = judged(attested, alone.known)
  expect(valid).toBe(true)
  expect(checks).toContainEqual(expect.objectContaining({ name: 'timestamp', ok: null }))
})

it('is not attested if too few authorities answer, and takes the first good answers', async () => {
  const away = 'http://127.0.0.1:9/'
  const none = await openAttester({ authorities: [away] })
  await expect(none.attest()).rejects.toThrow(NoTimeStamp)
  const optional = await openAttester({ authorities: [away], required: 0 })
  expect(await optional.attest()).toMatchObject({
    timestamps: [],
    no_timestamp_because: 'no time-stamp authority has answered, and none is required',
  })
  const { url, pem } = attester.authority
  const one = await openAttester({ authorities: [away, url], roots: pem })
  expect((await one.attest()).timestamps).toHaveLength(1)
  const two = await openAttester({ authorities: [url, url], required: 2, roots: pem })
  const attested = await two.attest()
  expect(attested.timestamps).toHaveLength(2)
  expect(judged(attested, two.known).valid).toBe(true)
})

it('is not attested while the clocks of observer and authority differ too much, and is again afterwards', async () => {
  let jumpMs = 0
  const { attest, known } = await openAttester({}, () => Date.now() + jumpMs)
  const observed_at = new Date().toISOString()
  for (const away of [301_000, -301_000]) {
    jumpMs = away
    await expect(attest({ observed_at })).rejects.toThrow('too far apart')
  }
  jumpMs = 290_000
  expect(judged(await attest({ observed_at }), known).valid).toBe(true)
})

it('is not valid with a time-stamp of another time, even from a good authority', async () => {
  const alone = await openAttester({ authorities: [], required: 0 })
  const attested = await alone.attest({ observed_at: '2026-01-01T00:00:00.000Z' })
  const { url } = attester.authority
  const { token, authority, time, policy } = await askForStamp(url, {
    sha256: attested.statement_sha256,
    trust: attester.known.trust,
  })
  const stamp = { authority, policy, time: new Date(time).toISOString(), token_base64: base64(token) }
  const late = { ...attested, timestamps: [stamp], no_timestamp_because: null }
  expect(failedIn(late, { ...alone.known, trust: attester.known.trust })).toContain('timestamp_1')
})

it('verifies the example of the documents', () => {
  const { left_out: _, ...given } = example.response
  const keys = keyList(addressOfKey(developmentKeys.attest), [])
  expect(judged(given, { keys, logs: [exampleLog], trust: trustIn() })).toMatchObject({
    valid: true,
    reason: null,
  })
})
