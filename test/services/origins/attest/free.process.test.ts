/** The free routes and the pages of the log, over HTTP and over MCP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attestation } from '../../../../pipelines/domains/attestation/attestation.ts'
import {
  isConsistent,
  leafHash,
  rootOfInclusion,
} from '../../../../pipelines/domains/attestation/tlog/merkle.ts'
import { noteSigner, openCheckpoint } from '../../../../pipelines/domains/attestation/tlog/note.ts'
import { addressOfKey } from '../../../../pipelines/rails/signing/eip712.ts'
import { attestLogConsistency } from '../../../../services/origins/attest/log/consistency.ts'
import { attestLogPages } from '../../../../services/origins/attest/log/pages.ts'
import { attestLogProof } from '../../../../services/origins/attest/log/proof.ts'
import { attestSigner } from '../../../../services/origins/attest/page/signer.ts'
import { attestVerify } from '../../../../services/origins/attest/page/verify.ts'
import {
  attestKey,
  logKey,
  logName,
  openAttester,
} from '../../../pipelines/domains/attestation/an-attestation.ts'
import { originOf } from '../../an-origin.ts'
import { openSelling, type Selling } from '../../query/selling.ts'
import { echo } from '../../till/paying.ts'

const ends: (() => Promise<void> | void)[] = []
const atEnd = (end: () => Promise<void> | void) => void ends.unshift(end)
const free = [attestVerify, attestSigner, attestLogProof, attestLogConsistency]
const attestations: Attestation[] = []
let shop: Selling
let bare: Selling

beforeAll(async () => {
  const { attest, attesting } = await openAttester({}, Date.now, atEnd)
  for (const title of ['one', 'two', 'three']) attestations.push(await attest({ title }))
  const origin = originOf([echo], { free, pages: attestLogPages })
  shop = await openSelling({ origins: [origin], attesting, freeCallsADay: 3 }, atEnd)
  bare = await openSelling({ origins: [origin] }, atEnd)
})
afterAll(async () => {
  for (const end of ends) await end()
})

const get = (path: string, at = shop) => fetch(at.url + path)
type Told = Record<string, unknown> & { status: number }
const json = async (path: string, at = shop): Promise<Told> => {
  const answer = await get(path, at)
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) }
}
const post = async (body: unknown, at = shop): Promise<Told> => {
  const answer = await at.ask({ path: '/attest/verify', body: JSON.stringify(body) })
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) }
}
const log = noteSigner(logName, logKey)
const hashes = (hex: readonly string[]) => hex.map(each => Buffer.from(each, 'hex'))

describe('verify', () => {
  it('takes an attestation as it is, or under its name', async () => {
    const [attestation] = attestations
    expect(await post(attestation)).toMatchObject({ status: 200, valid: true })
    expect(await post({ attestation })).toMatchObject({ status: 200, valid: true })
    expect(await post({ ...attestation, left_out: ['html'], receipt: {} })).toMatchObject({ valid: true })
  })

  it('says that a false attestation is false, and names its false parts', async () => {
    const [attestation] = attestations
    const answer = await post({ ...attestation, statement: { ...attestation?.statement, title: 'four' } })
    expect(answer).toMatchObject({ status: 200, valid: false })
    expect(answer.reason).toMatch(/^statement_sha256: /)
  })

  it('takes 2 MB, and no more', async () => {
    const [attestation] = attestations
    const evidence = { ...attestation?.evidence, text: '\\"'.repeat(450_000) }
    const answer = await post({ ...attestation, evidence })
    expect(answer).toMatchObject({ status: 200, valid: false, reason: expect.stringMatching(/^text: /) })
    const large = { ...attestation, evidence: { text: 'x'.repeat(2 << 20) } }
    expect(await post(large)).toMatchObject({ status: 413, error: 'body_too_large' })
  })

  it('does not read it in this process: the judging process reports what cannot be read', async () => {
    const ask = async (body: string) => {
      const answer = await shop.ask({ path: '/attest/verify', body })
      return { status: answer.status, ...((await answer.json()) as object) }
    }
    const invalid = { status: 400, error: 'invalid_request' }
    for (const body of ['', '[]', 'null', '{"a":', '{"a":1,"a":2}', '{"a":"\\ud800"}', '['.repeat(1 << 20)])
      expect(await ask(body)).toMatchObject(invalid)
    expect(await ask(`{"statement":{},"signature":{},"log":[${'[],'.repeat(600_000)}0]}`)).toMatchObject({
      valid: false,
      reason: expect.stringMatching(/^form: /),
    })
    // An identifier of 1 MB once took minutes.
    const [attestation] = attestations
    const [stamp] = attestation?.timestamps ?? []
    const length = Buffer.from([0x30, 0x83, 0x0f, 0xff, 0xff, 0x06, 0x83, 0x0f, 0xff, 0xfa])
    const token_base64 = Buffer.concat([length, Buffer.alloc(0x0f_ff_fa, 0xff)]).toString('base64')
    expect(await post({ ...attestation, timestamps: [{ ...stamp, token_base64 }] })).toMatchObject({
      valid: false,
    })
  })

  it.each([
    ['nothing', {}],
    ['no statement', { attestation: { signature: {} } }],
    ['no signature', { statement: {} }],
    ['a statement that is text', { statement: 'x', signature: {} }],
  ])('not_an_attestation: %s', async (_what, body) => {
    expect(await post(body)).toMatchObject({ status: 400, error: 'not_an_attestation' })
  })

  it('is a tool of MCP, and free', async () => {
    const call = async (args: object) => {
      const params = { name: 'verify_attestation', arguments: args }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
      const answer = (await (await shop.ask({ path: '/mcp', body })).json()) as {
        result: { isError?: boolean }
      }
      return answer.result
    }
    expect(await call({ attestation: attestations[0] })).toMatchObject({ structuredContent: { valid: true } })
    expect(await call({})).toMatchObject({
      isError: true,
      structuredContent: { error: 'not_an_attestation' },
    })
    expect(await call({ unknown: 1 })).toMatchObject({
      isError: true,
      structuredContent: { error: 'invalid_request' },
    })
  })

  it('is counted by MCP at its own rate', async () => {
    const params = { name: 'verify_attestation', arguments: {} }
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const asked = Array.from({ length: 300 }, async () => {
      const answer = await shop.ask({ path: '/mcp', body: message })
      const { result } = (await answer.json()) as { result: { structuredContent: { error: string } } }
      return result.structuredContent.error
    })
    const codes = new Set(await Promise.all(asked))
    expect([...codes].sort()).toEqual(['not_an_attestation', 'too_many_requests'])
  })
})

it('the signer shows everything that verification needs', async () => {
  const address = addressOfKey(attestKey)
  expect(await json('/attest/signer')).toMatchObject({
    address,
    key_id: address.slice(2, 10),
    scheme: 'eip712',
    keys: [{ address, valid_from: null, valid_until: null, revoked_at: null }],
    log: { origin: logName, verifier_key: log.verifierKey, former_verifier_keys: [], tiles: '/attest/log' },
    timestamp_authorities: [expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
  })
})

it.each(['/attest/signer', `/attest/log/proof?sha256=${'00'.repeat(32)}`, '/attest/log/consistency?from=1'])(
  'signer_unconfigured: %s without keys',
  async path => {
    expect(await json(path, bare)).toMatchObject({ status: 503, error: 'signer_unconfigured' })
    expect(await post(attestations[0], bare)).toMatchObject({ status: 503, error: 'signer_unconfigured' })
  },
)

interface Grown {
  from: number
  to: number
  from_root: string
  to_root: string
  proof: string[]
}

describe('the log', () => {
  it('has a checkpoint as text that no cache keeps', async () => {
    const answer = await get('/attest/log/checkpoint')
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-cache')
    expect(openCheckpoint(await answer.text(), log)?.size).toBe(3)
    expect((await get('/attest/log/checkpoint', bare)).status).toBe(404)
  })

  it('has tiles that caches may keep for ever, and no others', async () => {
    const answer = await get('/attest/log/tile/entries/000.p/3')
    expect(answer.headers.get('content-type')).toBe('application/octet-stream')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    const bytes = Buffer.from(await answer.arrayBuffer())
    const first = bytes.subarray(2, 2 + bytes.readUInt16BE(0))
    expect(JSON.parse(String(first))).toMatchObject({ statement_sha256: attestations[0]?.statement_sha256 })
    const tile = Buffer.from(await (await get('/attest/log/tile/0/000.p/3')).arrayBuffer())
    expect(tile.subarray(0, 32)).toEqual(leafHash(first))
    expect(tile).toHaveLength(96)
    for (const path of ['0/000', '0/000.p/4', '1/000.p/1', '0/001.p/1', 'x', '0/%2e%2e/000', '%ff'])
      expect((await get(`/attest/log/tile/${path}`)).status).toBe(404)
    expect((await get('/attest/log/tile/0/000.p/3', bare)).status).toBe(404)
  })

  it('proves where an attestation stands', async () => {
    const [, second] = attestations
    const proof = await json(`/attest/log/proof?sha256=${second?.statement_sha256}`)
    const { index, inclusion, checkpoint } = proof as never as Attestation['log']
    const opened = openCheckpoint(checkpoint, log)
    expect([index, opened?.size]).toEqual([1, 3])
    const record = Buffer.from(await (await get('/attest/log/tile/0/000.p/2')).arrayBuffer())
    const claim = { index, size: 3, leaf: record.subarray(32), proof: hashes(inclusion) }
    expect(rootOfInclusion(claim)).toEqual(opened?.root)
  })

  it('not_in_the_log: no checkpoint has it', async () => {
    expect(await json(`/attest/log/proof?sha256=${'00'.repeat(32)}`)).toMatchObject({
      status: 422,
      error: 'not_in_the_log',
    })
    expect(await json('/attest/log/proof?sha256=x')).toMatchObject({ status: 400, error: 'invalid_request' })
  })

  it('proves that it has only grown', async () => {
    const answer = await json('/attest/log/consistency?from=1')
    const { from, to, from_root, to_root, proof } = answer as never as Grown
    const [fromRoot, toRoot] = hashes([from_root, to_root]) as [Buffer, Buffer]
    expect(isConsistent({ from, to, fromRoot, toRoot, proof: hashes(proof) })).toBe(true)
    expect([from, to]).toEqual([1, 3])
  })

  it.each([
    ['from=4', 'The log has 3 entries'],
    ['from=1&to=4', 'The log has 3 entries'],
    ['from=3&to=2', '`from` is above `to`'],
  ])('no_such_size: %s', async (query, why) => {
    expect(await json(`/attest/log/consistency?${query}`)).toMatchObject({
      status: 422,
      error: 'no_such_size',
      message: expect.stringContaining(why),
    })
  })

  it.each(['', 'from=0', 'from=1.5', 'from=x', 'from=1&from=2'])('refuses the question: %s', async query => {
    expect(await json(`/attest/log/consistency?${query}`)).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
  })
})
