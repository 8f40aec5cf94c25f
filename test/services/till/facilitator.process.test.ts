import { generateKeyPairSync, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { cdpTokens } from '../../../services/till/facilitator/cdp-key.ts'
import { Facilitator } from '../../../services/till/facilitator/facilitator.ts'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { echo, seek, signed, toil } from './paying.ts'
import { type Mood, startStubFacilitator } from './stub-facilitator.ts'
import { failure, openBench, options, settlementsOf, settlementsTold } from './tills.ts'

describe('verify', () => {
  it.each<[Mood, string]>([
    ['hang', 'facilitator_unavailable'],
    ['error before', 'facilitator_unavailable'],
    ['html', 'facilitator_unavailable'],
    ['redirect', 'facilitator_unavailable'],
    ['wrong payer', 'facilitator_unavailable'],
  ])('%s: 503, free, and the same payment may come again', async (mood, code) => {
    const bench = await openBench({ timeoutsMs: { verify: 200 } })
    const payment = await signed()
    bench.facilitator.verify = mood
    await expect(bench.buy(payment, { operation: toil })).rejects.toThrow(failure(code))
    expect(bench.runs).toBe(0)
    bench.facilitator.verify = 'well'
    await bench.buy(payment, { operation: toil })
    expect(bench.facilitator.moved.size).toBe(1)
  })

  it.each([
    ['insufficient_funds', 'insufficient_funds'],
    ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
    ['invalid_exact_evm_payload_authorization_valid_before', 'payment_expired'],
    ['invalid_exact_evm_nonce_already_used', 'payment_rejected'],
    ['Your <b>wallet</b> is under review', 'payment_rejected'],
  ])('%s is told as %s', async (reason, code) => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { verify: 'refused', reason })
    const refused = bench.buy(await signed(), { operation: toil })
    await expect(refused).rejects.toThrow(failure(code))
    await expect(refused).rejects.not.toThrow(/wallet/)
    expect(bench.runs).toBe(0)
  })

  it('is not asked if the answer costs nothing and the signature was proven here', async () => {
    const bench = await openBench()
    await bench.buy(await signed())
    expect(bench.facilitator.calls).toMatchObject({ verify: 0, settle: 1 })
  })

  it('a settlement that is refused is as free, and counts against the payer as much', async () => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds', chain: 'truthful' })
    for (let i = 0; i < 30; i++)
      await expect(bench.buy(await signed())).rejects.toThrow(failure('insufficient_funds'))
    await expect(bench.buy(await signed())).rejects.toThrow(failure('too_many_requests'))
    expect(bench.facilitator.calls).toMatchObject({ verify: 0, settle: 30 })
  })

  it('runs beside an answer that is looked up, and decides', async () => {
    const bench = await openBench()
    bench.facilitator.verify = 'refused'
    const gate = Promise.withResolvers<string>()
    const answer = () => gate.promise
    await expect(bench.buy(await signed(), { operation: seek, answer })).rejects.toThrow(
      failure('insufficient_funds'),
    )
    expect([bench.runs, bench.facilitator.calls.settle]).toEqual([1, 0])
    gate.resolve('{}')
  })
})

describe('settle', () => {
  it.each<Mood>([
    'hang',
    'error before',
    'error after',
    'html',
    'redirect',
    'wrong network',
    'wrong payer',
    'pending',
  ])('%s is unknown: the caller waits, and learns so only when nobody can say', async mood => {
    const bench = await openBench({ limits: { unknownMs: 1500 }, timeoutsMs: { settle: 200 } })
    bench.facilitator.settle = mood
    const lost = bench.buy(await signed())
    await expect(lost).rejects.toMatchObject({ code: 'payment_unknown', status: 503, charged: null })
    await until(() => bench.facilitator.calls.settle > 1)
    await until(async () => (await settlementsOf(bench.log)).some(({ state }) => state === 'unknown'))
  })

  it.each<Mood>(['hang', 'error before', 'error after', 'pending', 'html'])(
    '%s, then well: the caller waits and gets his answer; one run, one payment',
    async mood => {
      const bench = await openBench({ timeoutsMs: { settle: 200 } })
      bench.facilitator.settle = mood
      const waiting = bench.buy(await signed())
      await until(() => bench.facilitator.calls.settle >= 1)
      bench.facilitator.settle = 'well'
      expect(JSON.parse((await waiting).body).receipt.charged).toBe(true)
      expect(bench.runs).toBe(1)
      expect(bench.facilitator.moved.size).toBe(1)
      const states = (await settlementsTold(bench.log, 3)).map(event => [event.state, event.resolved])
      expect(states).toContainEqual(['settled', true])
    },
  )

  it('unknown, and presented again: the kept answer, never a second run', async () => {
    const bench = await openBench({ limits: { unknownMs: 300 }, timeoutsMs: { settle: 100 } })
    const payment = await signed()
    bench.facilitator.settle = 'error after'
    await expect(bench.buy(payment)).rejects.toThrow(failure('payment_unknown'))
    await bench.restart()
    await expect(bench.buy(payment, { question: '{"say":"x"}' })).rejects.toThrow(failure('payment_unknown'))
    bench.facilitator.settle = 'well'
    await bench.restart({ limits: {}, timeoutsMs: {} })
    expect(JSON.parse((await bench.buy(payment)).body).said).toBe('hello')
    expect(bench.runs).toBe(1)
  })

  it('refused for a reason that comes before sending: 402, free, with PAYMENT-RESPONSE', async () => {
    const bench = await openBench()
    Object.assign(bench.facilitator, { settle: 'refused', reason: 'insufficient_funds', chain: 'truthful' })
    const payment = await signed()
    const failed = await bench.buy(payment).catch(error => error)
    expect(failed).toMatchObject({ code: 'insufficient_funds', status: 402, charged: false })
    const told = JSON.parse(Buffer.from(failed.headers['PAYMENT-RESPONSE'], 'base64').toString())
    expect(told).toMatchObject({ success: false, transaction: '', errorReason: 'insufficient_funds' })
    expect((await settlementsTold(bench.log, 2)).map(event => event.state)).toEqual(['intended', 'failed'])
    bench.facilitator.settle = 'well'
    await bench.buy(payment)
    expect(bench.runs).toBe(2)
  })

  it('a refusal for a used nonce leaves the outcome unknown, because our own settlement may have used it', async () => {
    const bench = await openBench({ limits: { unknownMs: 200 } })
    Object.assign(bench.facilitator, { settle: 'refused', reason: 'invalid_exact_evm_nonce_already_used' })
    await expect(bench.buy(await signed())).rejects.toThrow(failure('payment_unknown'))
  })

  it('credits no transaction twice', async () => {
    const bench = await openBench({ limits: { unknownMs: 200 } })
    bench.facilitator.settle = 'same transaction'
    await bench.buy(await signed())
    await expect(bench.buy(await signed())).rejects.toThrow(failure('payment_unknown'))
  })
})

describe('a facilitator that is down', () => {
  it('lets the till open and quote, and is found again by itself', async () => {
    const bench = await openBench()
    const away = await startStubFacilitator()
    const port = Number(new URL(away.url).port)
    await away.close()
    const till = await openTill(options(bench.log, away.url))
    bench.till = till
    expect(till.closed()).toMatch(/facilitator/)
    expect(JSON.parse(till.quote(echo).body('payment_required', 'Pay')).accepts).toHaveLength(1)
    const payment = await signed()
    await expect(bench.buy(payment)).rejects.toThrow(failure('facilitator_unavailable'))
    const back = await startStubFacilitator(port)
    await until(() => till.closed() === undefined, 'the facilitator to be found')
    expect(JSON.parse(till.quote(echo).body('payment_required', 'Pay')).accepts).toHaveLength(2)
    await bench.buy(payment)
    expect(back.calls.settle).toBe(1)
    await back.close()
  })

  it('is an unsent settlement, free, when nobody listens', async () => {
    const facilitator = new Facilitator({ url: 'http://127.0.0.1:9/x402', now: Date.now, connections: 1 })
    const said = await facilitator.settle('{}', { network: 'eip155:8453', payer: '0x' })
    expect(said).toMatchObject({ outcome: 'failed', code: 'facilitator_unavailable' })
    await facilitator.close()
  })
})

describe('a CDP key', () => {
  const part = (text: string | undefined) => JSON.parse(Buffer.from(text ?? '', 'base64url').toString())

  it.each(['Ed25519', 'ES256'])('signs each path with %s', kind => {
    const ed = generateKeyPairSync('ed25519')
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = ed.privateKey.export({ format: 'jwk' })
    const raw = Buffer.concat([jwk.d, jwk.x].map(text => Buffer.from(text as string, 'base64url')))
    const secret =
      kind === 'Ed25519'
        ? raw.toString('base64')
        : ec.privateKey.export({ format: 'pem', type: 'sec1' }).toString()
    const token = cdpTokens({ id: 'key-id', secret }, 'api.example', () => 1_000_000)
    const [head, claims, signature] = token('POST', '/platform/v2/x402/verify').split('.')
    expect(part(claims)).toMatchObject({
      sub: 'key-id',
      iss: 'cdp',
      nbf: 1000,
      exp: 1120,
      uris: ['POST api.example/platform/v2/x402/verify'],
    })
    expect(part(head)).toMatchObject({ alg: kind === 'Ed25519' ? 'EdDSA' : 'ES256', kid: 'key-id' })
    const signed = Buffer.from(`${head}.${claims}`)
    const bytes = Buffer.from(signature as string, 'base64url')
    const holds =
      kind === 'Ed25519'
        ? verify(null, signed, ed.publicKey, bytes)
        : verify('sha256', signed, { key: ec.publicKey, dsaEncoding: 'ieee-p1363' }, bytes)
    expect(holds).toBe(true)
    expect(token('POST', '/platform/v2/x402/verify')).toBe(`${head}.${claims}.${signature}`)
  })
})
