/** Time-stamps of the sandbox's authority. OpenSSL judges them too: test/services/origins/attest.process.test.ts. */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  idOf,
  NotDer,
  partsOf,
  readDer,
  tags,
  timeOf,
  written,
} from '../../../../../pipelines/domains/attestation/stamps/der.ts'
import {
  askForStamp,
  requestFor,
  tokenIn,
} from '../../../../../pipelines/domains/attestation/stamps/request.ts'
import {
  BadToken,
  mostTokenBytes,
  readToken,
} from '../../../../../pipelines/domains/attestation/stamps/token.ts'
import { areCertificates, trustIn } from '../../../../../pipelines/domains/attestation/stamps/trust.ts'
import { sha256 } from '../../../../../pipelines/rails/signing/sha256.ts'
import { pemOf, timeStamping } from '../../../../../services/sandbox/certificates.ts'
import {
  authorityName,
  newWitness,
  policy,
  serveTimeAuthority,
  stamp,
  type Witness,
} from '../../../../../services/sandbox/time-authority.ts'

const hash = sha256('a statement')
const now = Date.UTC(2026, 10, 22, 9, 30)
let witness: Witness
let token: Buffer
const trustOf = ({ root }: Witness) => trustIn(pemOf('CERTIFICATE', root), [])

beforeAll(async () => {
  witness = await newWitness(now)
  token = tokenIn(await stamp(requestFor(hash).der, witness, now))
})

const why = (read: () => unknown): string => {
  try {
    read()
    return 'nothing is wrong'
  } catch (error) {
    if (!(error instanceof BadToken)) throw error
    return error.message
  }
}

it('names authority, time and policy', () => {
  const read = readToken(token, { sha256: hash, trust: trustOf(witness) })
  expect(read).toEqual({ token, authority: authorityName, time: now, policy })
})

it('covers one statement, and answers one request', async () => {
  const trust = trustOf(witness)
  expect(why(() => readToken(token, { sha256: sha256('another'), trust }))).toBe(
    'it is about another statement',
  )
  const { der, nonce } = requestFor(hash)
  const answer = tokenIn(await stamp(der, witness, now))
  expect(why(() => readToken(answer, { sha256: hash, trust, nonce }))).toBe('nothing is wrong')
  expect(why(() => readToken(token, { sha256: hash, trust, nonce }))).toBe('it answers another question')
})

it('proves nothing if the authority is unknown', async () => {
  const stranger = await newWitness(now)
  expect(why(() => readToken(token, { sha256: hash, trust: trustOf(stranger) }))).toContain('no authority')
  expect(why(() => readToken(token, { sha256: hash, trust: trustIn() }))).toContain('no authority')
})

it.each([
  ['that had ended', { to: new Date(now - 1) }, 'no authority that we trust'],
  ['that had not begun', { from: new Date(now + 1000) }, 'no authority that we trust'],
  ['for web servers', { usage: '1.3.6.1.5.5.7.3.1' }, 'not for time-stamps'],
])('proves nothing with a certificate %s', async (_what, more, reason) => {
  const bad = await newWitness(now, { usage: timeStamping, ...more })
  const stamped = tokenIn(await stamp(requestFor(hash).der, bad, now))
  expect(why(() => readToken(stamped, { sha256: hash, trust: trustOf(bad) }))).toContain(reason)
})

it('proves nothing with a flipped bit, wherever it is', () => {
  const trust = trustOf(witness)
  const unnoticed = []
  for (let at = 0; at < token.length; at++) {
    const flipped = Buffer.from(token)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    if (why(() => readToken(flipped, { sha256: hash, trust })) === 'nothing is wrong') unnoticed.push(at)
  }
  expect(unnoticed).toEqual([])
})

describe('bytes that are not a token', () => {
  it.each([
    ['none', Buffer.of()],
    ['noise', randomBytes(2000)],
    ['a sequence', Buffer.from('3003020101', 'hex')],
    ['an endless length', Buffer.from('3084ffffffff', 'hex')],
    ['a deep nest', Buffer.from(`${'30'.repeat(4000)}00`, 'hex')],
  ])('%s', (_what, bytes) => {
    expect(why(() => readToken(bytes, { sha256: hash, trust: trustOf(witness) }))).toBe(
      'it is no time-stamp token',
    )
  })

  const id = (bytes: number) => written(tags.id, Buffer.alloc(bytes - 1, 0xff), Buffer.of(1))
  const set = (parts: number) => written(tags.set, Buffer.from('0500'.repeat(parts), 'hex'))
  const time = (bytes: number) => written(tags.time, Buffer.from(`20261122093000.${'1'.repeat(bytes - 16)}Z`))

  /** An identifier of 200 KB took 13 s: it is one number, and decoding its digits takes the square of its length. */
  it.each([
    ['an identifier', id, 64, idOf],
    ['a set', set, 64, partsOf],
    ['a time', time, 40, timeOf],
  ])('%s that is too long', (_what, of, most, read) => {
    expect(() => read(readDer(of(most)))).not.toThrow()
    expect(() => read(readDer(of(most + 1)))).toThrow(NotDer)
  })

  it('a token of more than 16 KB', () => {
    const long = written(tags.sequence, Buffer.alloc(mostTokenBytes))
    expect(why(() => readToken(long, { sha256: hash, trust: trustOf(witness) }))).toContain('more than 16384')
  })

  it('more bytes after a token', () => {
    const longer = Buffer.concat([token, Buffer.of(0)])
    expect(why(() => readToken(longer, { sha256: hash, trust: trustOf(witness) }))).toBe(
      'it is no time-stamp token',
    )
  })
})

describe('an authority', () => {
  async function asking(answer: (der: Buffer) => Promise<Buffer>, timeoutMs = 5_000) {
    const authority = await serveTimeAuthority(witness, { answer })
    onTestFinished(authority.close)
    return askForStamp(authority.url, { sha256: hash, trust: trustOf(witness), timeoutMs })
  }

  it('is believed if it answers', async () => {
    const read = await asking(der => stamp(der, witness, now))
    expect(read).toMatchObject({ authority: authorityName, time: now })
  })

  it.each([
    ['refuses', async () => Buffer.from('30053003020102', 'hex'), 'it refuses with status 2'],
    ['grants and sends nothing', async () => Buffer.from('30053003020100', 'hex'), 'sends none'],
    ['sends a page', async () => Buffer.from('<html>'), 'not a reply of RFC 3161'],
    ['sends too much', async () => Buffer.alloc(70_000), 'more than 17408 bytes'],
    [
      'stamps another hash',
      async () => stamp(requestFor(sha256('x')).der, witness, now),
      'another statement',
    ],
    ['repeats an old answer', async () => stamp(requestFor(hash).der, witness, now), 'another question'],
    ['fails', () => Promise.reject(new Error('no')), 'it answers 400'],
  ])('that %s is not', async (_what, answer, reason) => {
    await expect(asking(answer)).rejects.toThrow(reason)
  })

  it('is asked on a new connection if it has closed an idle one', async () => {
    let asked = 0
    const server = createServer(socket => {
      socket.once('data', () =>
        ++asked === 1 ? socket.resetAndDestroy() : socket.end('HTTP/1.1 503 No\r\n\r\n'),
      )
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const asking = askForStamp(`http://127.0.0.1:${port}/`, { sha256: hash, trust: trustOf(witness) })
    await expect(asking).rejects.toThrow('it answers 503')
    expect(asked).toBe(2)
  })

  it('is not believed if it is silent or away', async () => {
    await expect(asking(() => new Promise(() => {}), 100)).rejects.toThrow('it does not answer')
    const away = askForStamp('http://127.0.0.1:9/', { sha256: hash, trust: trustOf(witness) })
    await expect(away).rejects.toThrow('it does not answer')
  })
})

it('reads roots in PEM, and reports text that is not PEM', () => {
  expect(areCertificates(pemOf('CERTIFICATE', witness.root))).toBe(true)
  expect(areCertificates(pemOf('CERTIFICATE', Buffer.from('no certificate')))).toBe(false)
  expect(areCertificates('')).toBe(false)
})
