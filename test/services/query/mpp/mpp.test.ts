/** The scheme `Payment` of HTTP authentication (MPP) sells on the ledger of x402. */
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { Challenges } from '../../../../services/query/mpp/challenges.ts'
import { Signer } from '../../../../services/query/signing/signer.ts'
import { header, otherPayer, payTo } from '../../till/paying.ts'
import { openSelling, type Selling } from '../selling.ts'
import { answerTo, authorized, type Challenge, challengesIn, decoded, encoded } from './credentials.ts'

const key = `0x${'11'.repeat(32)}`

interface Told {
  receipt: { payment_tx: string }
  charged: unknown
  detail: string
}
const bodyOf = (answer: Response | undefined) => answer?.json() as Promise<Told>

async function opened(now = Date.now) {
  const challenges = new Challenges([key], now)
  const selling = await openSelling({ challenges, signer: new Signer([key], Date.now) })
  const challenge = async (path = '/echo') => challengesIn(await selling.ask({ path }))[0] as Challenge
  return { ...selling, challenges, challenge, ...sending(selling) }
}

const sending = ({ ask }: Selling) => ({
  present: (credential: unknown, { path = '/echo', body = '{}' } = {}) =>
    ask({ path, body, headers: authorized(credential) }),
})

it('the 402 bears a challenge that names operation, price and end, and no id comes twice', async () => {
  const { ask } = await opened()
  const answers = [await ask(), await ask(), await ask({ method: 'HEAD' })]
  const ids = new Set<string>()
  for (const answer of answers) {
    expect(answer.status).toBe(402)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [challenge] = challengesIn(answer) as [Challenge]
    ids.add(challenge.id)
    expect(challenge).toMatchObject({ realm: expect.any(String), method: 'evm', intent: 'charge' })
    expect(decoded(challenge.request)).toMatchObject({
      amount: '2000',
      recipient: payTo,
      methodDetails: { chainId: 8453, credentialTypes: ['authorization'], decimals: 6 },
    })
    expect(decoded(challenge.opaque).resource).toMatch(/\/echo$/)
    const life = Date.parse(challenge.expires) - Date.now()
    expect(life).toBeGreaterThan(119_000)
    expect(life).toBeLessThanOrEqual(180_000)
  }
  expect(ids.size).toBe(3)
})

it('a credential buys once, and its receipt names the settlement', async () => {
  const { challenge, present, facilitator } = await opened()
  const asked = await challenge()
  const { credential } = await answerTo(asked)
  const answer = await present(credential)
  const body = await bodyOf(answer)
  expect(answer.status).toBe(200)
  const receipt = decoded(answer.headers.get('payment-receipt') ?? '')
  expect(receipt).toEqual({
    method: 'evm',
    challengeId: asked.id,
    reference: body.receipt.payment_tx,
    status: 'success',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    chainId: 8453,
  })
  expect(answer.headers.get('cache-control')).toContain('private')
  expect(Math.abs(Date.parse(receipt.timestamp) - Date.now())).toBeLessThan(60_000)
  expect(answer.headers.get('payment-response')).toBeTruthy()
  expect(facilitator.calls.settle).toBe(1)
})

it('the same payment through both protocols buys once, whichever comes first', async () => {
  const { challenge, present, pay, facilitator } = await opened()
  for (const isFirst of [true, false]) {
    const { credential, x402 } = await answerTo(await challenge())
    const ways = [() => present(credential), () => pay(x402)]
    const [first, second] = isFirst ? ways : ways.toReversed()
    const before = facilitator.calls.settle
    const one = await bodyOf(await first?.())
    const other = await bodyOf(await second?.())
    expect(one.receipt.payment_tx).toBeTruthy()
    expect(other).toMatchObject({ receipt: { payment_tx: one.receipt.payment_tx, replayed: true } })
    expect(facilitator.calls.settle).toBe(before + 1)
  }
})

it('at once, too', async () => {
  const { challenge, present, pay, facilitator } = await opened()
  const { credential, x402 } = await answerTo(await challenge())
  const answers = await Promise.all([present(credential), pay(x402), present(credential), pay(x402)])
  expect(facilitator.calls.settle).toBe(1)
  for (const answer of answers) {
    const body = await bodyOf(answer)
    if (answer.status !== 200) expect(body.charged).not.toBe(false)
  }
})

it('a paid answer comes again after the challenge has expired, with the receipt of the sale', async () => {
  let ahead = 0
  const { challenge, present } = await opened(() => Date.now() + ahead)
  const { credential } = await answerTo(await challenge())
  const first = await present(credential)
  ahead = 600_000
  const again = await present(credential)
  expect(again.status).toBe(200)
  expect(again.headers.get('payment-receipt')).toBe(first.headers.get('payment-receipt'))
})

it('one wallet buys the same thing twice in a minute', async () => {
  const { challenge, present, facilitator } = await opened()
  for (const _ of 'ab')
    expect((await present((await answerTo(await challenge())).credential)).status).toBe(200)
  expect(facilitator.calls.settle).toBe(2)
})

type Change = (challenge: Challenge) => Challenge | Promise<Challenge>
const changed: [string, string, Change][] = [
  ['whose id is another', 'invalid-challenge', given => ({ ...given, id: `x${given.id.slice(1)}` })],
  [
    'without the name in its id',
    'invalid-challenge',
    given => ({ ...given, id: given.id.split('.')[1] ?? '' }),
  ],
  ['of another realm', 'invalid-challenge', given => ({ ...given, realm: 'elsewhere.example' })],
  [
    'that ends later',
    'invalid-challenge',
    given => ({ ...given, expires: new Date(Date.parse(given.expires) + 60_000).toISOString() }),
  ],
  [
    'of a lower price',
    'invalid-challenge',
    given => ({ ...given, request: encoded({ ...decoded(given.request), amount: '1' }) }),
  ],
  [
    'of another operation',
    'invalid-challenge',
    given => ({
      ...given,
      opaque: encoded({ resource: decoded(given.opaque).resource.replace('echo', 'shout') }),
    }),
  ],
  ['with a digest', 'invalid-challenge', given => ({ ...given, digest: 'sha-256=:x:' }) as Challenge],
]

it.each(changed)('a challenge %s is refused as %s', async (_, type, change) => {
  const { challenge, present, facilitator } = await opened()
  const { credential } = await answerTo(await change(await challenge()))
  const answer = await present(credential)
  expect(answer.status).toBe(402)
  expect(answer.headers.get('content-type')).toContain('application/problem+json')
  expect(answer.headers.get('payment-receipt')).toBeNull()
  expect(challengesIn(answer)).toHaveLength(1)
  expect(await answer.json()).toMatchObject({
    type: `https://paymentauth.org/problems/${type}`,
    title: expect.any(String),
    status: 402,
    detail: expect.any(String),
    error: 'invalid_payment',
    charged: false,
    accepts: expect.any(Array),
  })
  expect(facilitator.calls).toMatchObject({ verify: 0, settle: 0 })
})

it('a credential for one operation buys no other', async () => {
  const { challenge, present, facilitator } = await opened()
  const { credential } = await answerTo(await challenge('/echo'))
  const answer = await present(credential, { path: '/shout' })
  expect(await answer.json()).toMatchObject({
    type: 'https://paymentauth.org/problems/verification-failed',
    message: expect.stringContaining('resource is not what is asked for'),
  })
  expect(facilitator.calls.settle).toBe(0)
})

it('an expired challenge buys nothing, though its authorization lives', async () => {
  let ahead = 0
  const { challenge, present } = await opened(() => Date.now() + ahead)
  const given = await challenge()
  const { credential } = await answerTo(given, {
    signs: { validBefore: String(Math.floor(Date.now() / 1000) + 900) },
  })
  ahead = 180_000
  const answer = await present(credential)
  expect(answer.status).toBe(402)
  expect(await answer.json()).toMatchObject({
    type: 'https://paymentauth.org/problems/invalid-challenge',
    detail: 'The challenge has expired',
  })
})

const wrong: [string, (sent: Awaited<ReturnType<typeof answerTo>>['credential']) => unknown, RegExp][] = [
  ['a hash', sent => ({ ...sent, payload: { type: 'hash', hash: `0x${'a'.repeat(64)}` } }), /no transaction/],
  [
    'a transaction',
    sent => ({ ...sent, payload: { type: 'transaction', signature: '0x02' } }),
    /no transaction/,
  ],
  ['a Permit2', sent => ({ ...sent, payload: { ...sent.payload, type: 'permit2' } }), /payload\.type/],
  ['no type', sent => ({ ...sent, payload: { ...sent.payload, type: undefined } }), /payload\.type/],
  ['another source', sent => ({ ...sent, source: `did:pkh:eip155:8453:${payTo}` }), /source/],
]

it.each(wrong)('%s in the credential buys nothing', async (_, change, why) => {
  const { challenge, present, facilitator } = await opened()
  const { credential } = await answerTo(await challenge())
  const answer = await present(change(credential))
  expect(answer.status).toBe(402)
  expect((await bodyOf(answer)).detail).toMatch(why)
  expect(facilitator.calls.settle).toBe(0)
})

const badly: [string, Parameters<typeof answerTo>[1], RegExp][] = [
  ['another nonce', { signs: { nonce: `0x${'7'.repeat(64)}` } }, /nonce is not the hash/],
  ['a lower value', { signs: { value: '1' } }, /value/],
  ['another payee', { signs: { to: otherPayer.address } }, /payTo/],
]

it.each(badly)('an authorization with %s buys nothing', async (_, answering, why) => {
  const { challenge, present, facilitator } = await opened()
  const { credential } = await answerTo(await challenge(), answering)
  const answer = await present({ ...credential, source: undefined })
  expect(answer.status).toBe(402)
  expect((await bodyOf(answer)).detail).toMatch(why)
  expect(facilitator.calls.settle).toBe(0)
})

it('what cannot be read is no 402, because its payment may have been taken and a 402 would ask for another one', async () => {
  const { challenge, present, port, ask } = await opened()
  const { credential } = await answerTo(await challenge())
  expect((await present(credential)).status).toBe(200)
  const text = encoded(credential)
  const send = (values: string[], path = '/echo') =>
    new Promise<{ status: number; body: Record<string, unknown> }>(resolve => {
      const headers = { 'content-type': 'application/json', authorization: values as never }
      request({ host: '127.0.0.1', port, path, method: 'POST', headers }, async response => {
        const body = JSON.parse((await response.toArray()).join(''))
        resolve({ status: response.statusCode ?? 0, body })
      }).end('{}')
    })
  const mangled = [
    [`Payment ${text}=`],
    [`Payment "${text}"`],
    [`Payment ${text.slice(0, -9)}`],
    [`Payment ${text}${'A'.repeat(9000)}`],
    [`Payment ${text}`, `Payment ${text}`],
    [`Payment ${text}, Payment ${text}`],
    [`Payment ${encoded({ ...credential, challenge: { ...credential.challenge, request: 'x' } })}`],
    [`Payment ${encoded({ ...credential, challenge: 7 })}`],
    [`Payment ${encoded(credential).replace(/^/, encoded('x'))}`],
  ]
  for (const values of mangled)
    for (const path of ['/echo', '/nowhere']) {
      const { status, body } = await send(values, path)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(status).not.toBe(402)
      expect(body).toMatchObject({
        charged: null,
        message: expect.not.stringContaining('Nothing was charged'),
      })
    }
  for (const values of [
    [`payment   ${text}`],
    [`Basic eDp5, Payment ${text}`],
    ['Bearer x', `Payment ${text}`],
  ])
    expect((await send(values)).body).toMatchObject({ receipt: { replayed: true } })
  for (const value of ['Basic eDp5', 'Bearer abc'])
    expect((await ask({ headers: { authorization: value } })).status).toBe(402)
  expect((await send([`Payment ${text}`], '/nowhere')).body).toMatchObject({ charged: true })
})

it('a stranger who presents the credential of another gets the truth and no answer', async () => {
  const { challenge, present, pay } = await opened()
  const { credential, x402 } = await answerTo(await challenge())
  expect((await present(credential)).status).toBe(200)
  const other = await present(credential, { body: '{"say":"else"}' })
  expect(other.status).toBe(409)
  expect(await other.json()).toMatchObject({ error: 'payment_already_used', charged: true })
  expect((await pay(x402, { path: '/shout' })).status).toBe(409)
})

it('what the facilitator refuses is told as a problem, free, with a fresh challenge', async () => {
  const { challenge, present, facilitator } = await opened()
  facilitator.verify = 'refused'
  const given = await challenge()
  // What lives long is verified before it is settled.
  const signs = { validBefore: String(Math.floor(Date.now() / 1000) + 900) }
  const answer = await present((await answerTo(given, { signs })).credential)
  expect(answer.status).toBe(402)
  expect(challengesIn(answer)[0]?.id).not.toBe(given.id)
  expect(await answer.json()).toMatchObject({
    type: 'https://paymentauth.org/problems/payment-insufficient',
    status: 402,
    charged: false,
    error: 'insufficient_funds',
  })
})

it('a payment of x402 stays what it was beside the new headers, and comes first', async () => {
  const { challenge, ask, pay, facilitator } = await opened()
  const refused = await pay({ ...(await answerTo(await challenge())).x402, accepted: {} })
  expect(refused.headers.get('content-type')).toContain('application/json')
  const { credential, x402 } = await answerTo(await challenge())
  const both = await ask({
    body: '{}',
    headers: { 'payment-signature': header(x402), ...authorized({ ...credential, payload: {} }) },
  })
  expect(both.status).toBe(200)
  expect(both.headers.get('payment-receipt')).toBeNull()
  expect(facilitator.calls.settle).toBe(1)
})

it('a former key still answers for its challenges, and without a key there are none', async () => {
  const { challenge } = await opened()
  const given = await challenge()
  expect(new Challenges([`0x${'22'.repeat(32)}`, key], Date.now).isOurs(given)).toBe(true)
  expect(new Challenges([`0x${'22'.repeat(32)}`], Date.now).isOurs(given)).toBe(false)
  const { ask } = await openSelling()
  expect((await ask()).headers.get('www-authenticate')).toBeNull()
})

it('a credential with objects for texts is refused, and is no fault of ours', async () => {
  const { challenge, present } = await opened()
  const given = await challenge()
  const { credential } = await answerTo(given)
  const odd = { toString: 1 }
  const request = decoded(given.request)
  const ofNoChain = encoded({ ...request, methodDetails: { ...request.methodDetails, chainId: odd } })
  const wrong: [unknown, number][] = [
    [{ ...credential, payload: { ...credential.payload, nonce: odd } }, 402],
    [{ ...credential, payload: { ...credential.payload, from: odd } }, 402],
    [{ ...credential, source: odd }, 402],
    [{ ...credential, challenge: { ...given, request: ofNoChain } }, 400],
  ]
  for (const [sent, status] of wrong) expect((await present(sent))?.status).toBe(status)
  expect((await present(credential))?.status).toBe(200)
})

it('a receipt names no challenge but the one that was signed', async () => {
  const { challenge, present } = await opened()
  const given = await challenge()
  const { credential } = await answerTo(given)
  expect((await present(credential)).headers.get('payment-receipt')).toBeTruthy()
  const again = await present({ ...credential, challenge: { ...given, id: 'another.one' } })
  expect(again.status).toBe(200)
  expect(again.headers.get('payment-receipt')).toBeNull()
})
