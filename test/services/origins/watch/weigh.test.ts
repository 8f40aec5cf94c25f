import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import { Webhook } from 'standardwebhooks'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { type Desk, openDesk } from '../../../../pipelines/domains/watch/desk.ts'
import { type Action, actions, messageMs } from '../../../../pipelines/domains/watch/message.ts'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { rowOf } from '../../../../pipelines/domains/watch/url.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { type EndpointState, endpointChanges, endpointStates } from '../../../../schemas/endpoint-states.ts'
import { networks } from '../../../../schemas/tables/networks.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { watchOrders, watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'
import { webhookDeliveries, webhookEvents, webhookStandings } from '../../../../schemas/webhooks.ts'
import type { Endpoint } from '../../../../services/offer/operation.ts'
import { weighCancel } from '../../../../services/origins/watch/weigh/cancel.ts'
import { weighDeliveries } from '../../../../services/origins/watch/weigh/deliveries.ts'
import { weighKeys } from '../../../../services/origins/watch/weigh/keys.ts'
import { weighPrepare } from '../../../../services/origins/watch/weigh/prepare.ts'
import { weighReplay } from '../../../../services/origins/watch/weigh/replay.ts'
import { weighStatus } from '../../../../services/origins/watch/weigh/status.ts'
import { weighSubscribe } from '../../../../services/origins/watch/weigh/subscribe.ts'
import { weighTest } from '../../../../services/origins/watch/weigh/test-hook.ts'
import { Shelf } from '../../../../services/query/shelf.ts'
import { openTopics, rowsOf } from '../../../pipelines/rails/outbox/topics.ts'
import { ask, stock } from '../ask.ts'
import { Loaded } from '../loaded.ts'
import { refusal } from '../refusal.ts'
import { accept, answeringWith, openStreet, quotesOf, quoting } from './sellers.ts'

const start = Date.parse('2026-11-16T09:00:00Z')
let now = start
const { web, asking: street } = await openStreet(() => now)
web.names.set('hooks.sample', [['93.184.216.34']])

const wallet = privateKeyToAccount(`0x${'11'.repeat(32)}`)
const payee = wallet.address
const solana = generateKeyPairSync('ed25519')
const solanaPayee = new PublicKey(
  solana.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
).toBase58()
const onSolana = {
  network: networks.solana.caip2,
  asset: networks.solana.asset,
}
const url = 'http://shop.sample/fx?key=7'
const hook = 'http://hooks.sample/x402'
const prepare = { url, webhookUrl: hook }
const watch = { seal: new Seal([`0x${'42'.repeat(32)}`]), origin: 'https://farebox.example' }

let log: Log
let desk: Desk
let shelf: Shelf
let looked: Loaded
let hookAnswer = answeringWith(204)
let quote = quoting([accept({ payTo: payee })])
let told: { headers: Record<string, string>; body: string }[] = []

beforeEach(async () => {
  now = start
  street.find = await quotesOf(web, () => now)
  log = await openTopics()
  desk = openDesk({ log, visits: web.fetch(), watch, nodes: new Map(), now: () => now })
  shelf = new Shelf(() => now)
  looked = new Loaded()
  told = []
  hookAnswer = answeringWith(204)
  quote = quoting([accept({ payTo: payee })])
  web.answer = (request, response) => {
    if (request.headers.host !== 'hooks.sample') return quote(request, response)
    let body = ''
    request.on('data', part => (body += part))
    request.on('end', () => {
      told.push({ headers: request.headers as Record<string, string>, body })
      hookAnswer(request, response)
    })
  }
})

const asking = () => ({ ...street, shelf, looked, watching: desk })
const asked = <Q extends z.ZodType, A extends z.ZodType, C extends string>(
  endpoint: Endpoint<Q, A, C>,
  question: object,
) => ask(endpoint, question, asking())
const refused = <Q extends z.ZodType, A extends z.ZodType, C extends string>(
  endpoint: Endpoint<Q, A, C>,
  question: object,
) => refusal(endpoint, question, asking())
/** Lets 30 s pass without a request to this endpoint. */
const passed = () => {
  now += 31_000
}

async function signed(question: object = prepare) {
  const { message } = await asked(weighPrepare, question)
  return { message, signature: await wallet.signMessage({ message }) }
}

/** Subscribes, and begins the subscription as its settlement would. */
async function subscribed() {
  const answer = await asked(weighSubscribe, await signed())
  const [order] = await rowsOf(log, watchOrders)
  if (order?.subscription) stock(shelf, watchSubscriptions, [order.subscription])
  return answer
}

describe('/weigh/prepare', () => {
  test('writes a message for the payee that the endpoint quotes now', async () => {
    const prepared = await asked(weighPrepare, prepare)
    expect(prepared).toMatchObject({
      payee: { network: networks.base.caip2, address: payee },
      price_usd: 5,
      expires_at: instant(start + messageMs),
      quote: [{ price_usd: 0.01 }],
    })
    expect(prepared.message).toMatch(
      /^farebox\.example wants you to sign in with your Ethereum account:\n0x\w{40}\n\nWatch http:\/\/shop\.sample\/fx\?key=7 for 30 days, report to hooks\.sample, price 5\.00 USDC\.\n\nURI: https:\/\/farebox\.example\/weigh\/subscribe\nVersion: 1\nChain ID: 8453\nNonce: \w{32}\nIssued At: \S+\nExpiration Time: \S+\nRequest ID: subscribe\nResources:\n- http:\/\/shop\.sample\/fx\?key=7\n- http:\/\/hooks\.sample\/x402\n- urn:farebox:mac:[0-9a-f]{64}$/,
    )
    expect(await rowsOf(log, watchOrders)).toEqual([])
  })

  test('is written for Solana as for Ethereum, and for the payee that the caller names', async () => {
    quote = quoting([accept({ payTo: payee }), accept({ ...onSolana, payTo: solanaPayee })])
    const { message } = await asked(weighPrepare, { ...prepare, payee: solanaPayee })
    expect(message).toContain(`sign in with your Solana account:\n${solanaPayee}\n`)
    expect(message).toContain('Chain ID: 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp')
  })

  test('is a message that viem reads as EIP-4361', async () => {
    const { parseSiweMessage } = await import('viem/siwe')
    const { message } = await asked(weighPrepare, prepare)
    expect(parseSiweMessage(message)).toMatchObject({
      domain: 'farebox.example',
      address: payee,
      chainId: 8453,
      version: '1',
      requestId: 'subscribe',
      expirationTime: new Date(start + messageMs),
      resources: [url, hook, expect.stringMatching(/^urn:farebox:mac:/)],
    })
  })

  test('refuses what it cannot do', async () => {
    const fails = async (code: string, question: object) => {
      passed()
      expect(await refused(weighPrepare, { ...prepare, ...question })).toMatchObject({ error: code })
    }
    await fails('invalid_url', { url: 'http://10.0.0.1/' })
    for (const webhookUrl of [
      'http://plain.example.com/',
      'https://10.0.0.1/',
      'ftp://hooks.sample/',
      'hook',
    ])
      await fails('invalid_webhook', { webhookUrl })
    await fails('unreachable', { url: 'http://gone.sample/' })
    await fails('unknown_payee', { payee: `0x${'99'.repeat(20)}` })
    quote = answeringWith(200)
    await fails('not_x402', {})
    quote = quoting([accept({ amount: '0.1' })])
    await fails('not_x402', {})
    const [program] = PublicKey.findProgramAddressSync([Buffer.from('vault')], new PublicKey(solanaPayee))
    quote = quoting([accept({ ...onSolana, payTo: program.toBase58() })])
    await fails('payee_cannot_sign', {})
    quote = quoting([accept({ network: 'near:mainnet' })])
    await fails('payee_cannot_sign', {})
    expect(web.strays).toBe(0)
  })

  test('needs a webhook to subscribe, and none for the other actions', async () => {
    expect(await refused(weighPrepare, { url })).toMatchObject({ error: 'invalid_webhook' })
    for (const action of actions.filter(each => each !== 'subscribe')) {
      const { message, price_usd } = await asked(weighPrepare, { url, action })
      expect(message).toContain(`URI: https://farebox.example/weigh/${action}`)
      expect(price_usd).toBe(0)
    }
  })
})

describe('/weigh/subscribe', () => {
  test('tries the webhook, shows a secret once, and orders a subscription that waits for its payment', async () => {
    const answer = await asked(weighSubscribe, await signed())
    expect(answer).toMatchObject({
      url,
      payee: { network: networks.base.caip2, address: payee },
      webhook_url: hook,
      started_at: instant(start),
      expires_at: instant(start + 30 * 86_400_000),
      public_key: desk.seal.publicKeys[0],
      baseline: { price_usd: 0.01, status: 402, payees: [{ address: payee.toLowerCase() }] },
    })
    expect(told).toHaveLength(1)
    const event = new Webhook(answer.secret)
    now = Date.now()
    const { headers, body } = told[0] as (typeof told)[number]
    const fresh = { ...headers, 'webhook-timestamp': String(Math.floor(now / 1000)) }
    expect(() =>
      event.verify(body, {
        ...fresh,
        'webhook-signature': event.sign(headers['webhook-id'] ?? '', new Date(now), body),
      }),
    ).not.toThrow()
    expect(event.sign(headers['webhook-id'] ?? '', new Date(start), body)).toBe(
      headers['webhook-signature']?.split(' ')[0],
    )
    expect(JSON.parse(body)).toMatchObject({
      type: 'endpoint.test',
      data: { subscription_id: answer.subscription_id, url },
    })
    const [order] = await rowsOf(log, watchOrders)
    expect(order).toMatchObject({
      order: 'begin',
      baseline: { ...rowOf(url), verdict: 'good' },
      subscription: { subject: url, webhook_url: hook, method: 'GET', reminded: 'nothing' },
    })
    const written = JSON.stringify(order)
    expect(written).not.toContain(answer.secret.slice('whsec_'.length))
  })

  test('takes a secret of the caller', async () => {
    const webhookSecret = `whsec_${Buffer.alloc(24, 3).toString('base64')}`
    expect((await asked(weighSubscribe, { ...(await signed()), webhookSecret })).secret).toBe(webhookSecret)
  })

  test.each(['base58', 'base64', 'hex'])('takes a signature of a Solana key, in %s', async form => {
    quote = quoting([accept({ ...onSolana, payTo: solanaPayee })])
    passed()
    const { message } = await asked(weighPrepare, prepare)
    const bytes = signBytes(null, Buffer.from(message), solana.privateKey)
    const signature = form === 'base58' ? base58(bytes) : bytes.toString(form as 'hex')
    expect(await asked(weighSubscribe, { message, signature })).toMatchObject({
      payee: { address: solanaPayee },
    })
  })

  test('takes a signature over the envelope of off-chain messages', async () => {
    quote = quoting([accept({ ...onSolana, payTo: solanaPayee })])
    passed()
    const { message } = await asked(weighPrepare, prepare)
    const size = Buffer.alloc(2)
    size.writeUInt16LE(Buffer.byteLength(message))
    const envelope = Buffer.concat([
      Buffer.from('\xffsolana offchain\0\0', 'latin1'),
      size,
      Buffer.from(message),
    ])
    const signature = signBytes(null, envelope, solana.privateKey).toString('base64')
    expect(await asked(weighSubscribe, { message, signature })).toMatchObject({
      payee: { address: solanaPayee },
    })
  })

  test('prolongs an existing subscription', async () => {
    const first = await subscribed()
    now += 10 * 86_400_000
    const second = await asked(weighSubscribe, await signed())
    expect(second.subscription_id).toBe(first.subscription_id)
    expect(second.started_at).toBe(first.started_at)
    expect(second.expires_at).toBe(instant(start + 60 * 86_400_000))
  })

  test('refuses a message that is unsigned, not written by us, or too late', async () => {
    const { message, signature } = await signed()
    const other = privateKeyToAccount(`0x${'22'.repeat(32)}`)
    const fails = async (code: string, question: object) =>
      expect(await refused(weighSubscribe, { message, signature, ...question })).toMatchObject({
        error: code,
        charged: false,
      })
    await fails('bad_signature', { signature: await other.signMessage({ message }) })
    for (const bad of ['', '0x', '0x12', 'zz', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`])
      await fails('bad_signature', { signature: bad })
    for (const changed of [
      message.replace('5.00', '0.01'),
      message.replace(hook, 'http://hooks.sample/other'),
      message.replace(/Expiration Time: \S+/, 'Expiration Time: 2099-01-01T00:00:00.000Z'),
      `${message}0`,
      'hello',
    ])
      await fails('invalid_message', {
        message: changed,
        signature: await wallet.signMessage({ message: changed }),
      })
    const foreign = new Seal([`0x${'43'.repeat(32)}`]).mac('x')
    await fails('invalid_message', { message: message.replace(/mac:\w+/, `mac:${foreign}`) })
    const cancel = await signed({ url, action: 'cancel' })
    await fails('invalid_message', cancel)
    now += messageMs
    await fails('message_expired', {})
    expect([told, await rowsOf(log, watchOrders)]).toEqual([[], []])
  })

  test('refuses a message that was used, on whichever instance', async () => {
    const used = await signed()
    await asked(weighSubscribe, used)
    expect(await refused(weighSubscribe, used)).toMatchObject({ error: 'message_used' })
    // A used message sends no test event.
    expect(told).toHaveLength(1)
    const two = await signed()
    const both = await Promise.allSettled([asked(weighSubscribe, two), asked(weighSubscribe, two)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(told).toHaveLength(2)
  })

  test('takes a message again that has started nothing, because the webhook did not answer', async () => {
    const ready = await signed()
    hookAnswer = answeringWith(500)
    expect(await refused(weighSubscribe, ready)).toMatchObject({ error: 'webhook_unreachable' })
    hookAnswer = answeringWith(204)
    expect(await asked(weighSubscribe, ready)).toMatchObject({ url })
  })

  test('refuses an endpoint that has changed, before the charge', async () => {
    const fails = async (code: string, more: object = {}) =>
      expect(await refused(weighSubscribe, { ...(await signed()), ...more })).toMatchObject({ error: code })
    await fails('invalid_webhook', { webhookSecret: 'whsec_short' })
    hookAnswer = answeringWith(500)
    await fails('webhook_unreachable')
    hookAnswer = answeringWith(302, '', { location: hook })
    await fails('webhook_unreachable')
    hookAnswer = answeringWith(204)
    const ready = await signed()
    quote = quoting([accept({ payTo: `0x${'77'.repeat(20)}` })])
    expect(await refused(weighSubscribe, ready)).toMatchObject({ error: 'payee_changed' })
    quote = answeringWith(200)
    expect(await refused(weighSubscribe, ready)).toMatchObject({ error: 'not_x402' })
    quote = request => request.socket.destroy()
    expect(await refused(weighSubscribe, ready)).toMatchObject({ error: 'unreachable', status: 502 })
  })

  test('is not offered without a key', async () => {
    await expect(ask(weighPrepare, prepare, { ...street, shelf })).rejects.toMatchObject({
      code: 'not_configured',
    })
  })
})

describe('/weigh/status', () => {
  const state: EndpointState = {
    ...rowOf(url),
    state: 'down',
    since: instant(start),
    told: 'down',
    checked_at: instant(start),
    problem: 'timeout',
    failing_since: instant(start),
    price_usd: '0.01',
    offers: [{ scheme: 'exact', network: 'eip155:8453', asset: '0xa', amount: '1', pay_to: payee }],
    unsure: [],
    unsure_at: null,
    changed_at: [],
    summed_at: null,
    payees: [],
    paid: [],
    payees_vary: false,
    days: [
      { day: '2026-11-15', checks: 96, good: 95 },
      { day: '2026-11-16', checks: 4, good: 0 },
    ],
    latencies: [30, 10, 20],
  }

  test('shows the record, and nobody who subscribed', async () => {
    await subscribed()
    stock(shelf, endpointStates, [state])
    looked.put(endpointChanges, [
      {
        ...rowOf(url),
        at: instant(start),
        type: 'endpoint.down',
        before: '{}',
        after: '{"state":"down"}',
        evidence: '[]',
      },
    ])
    const status = await asked(weighStatus, { url: `${url}#top` })
    expect(status).toMatchObject({
      url,
      watched_until: instant(start + 30 * 86_400_000),
      state: 'down',
      problem: 'timeout',
      uptime_30d_pct: 95,
      checks_30d: 100,
      latency_ms_p50: 20,
      price_usd: 0.01,
      payees: [{ address: payee }],
      dynamic: false,
      history: [{ type: 'endpoint.down', after: { state: 'down' } }],
    })
    expect(Date.parse(status.next_check_at ?? '')).toBeGreaterThan(start)
    expect(JSON.stringify(status)).not.toContain('hooks.sample')
    now += 31 * 86_400_000
    expect(await asked(weighStatus, { url })).toMatchObject({ watched_until: null, next_check_at: null })
  })

  test('refuses an endpoint that nobody watches', async () => {
    expect(await refused(weighStatus, { url })).toMatchObject({ error: 'not_watched', status: 422 })
    expect(await refused(weighStatus, { url: 'nothing' })).toMatchObject({
      error: 'invalid_url',
      status: 400,
    })
  })
})

describe('a subscriber', () => {
  const routes = [
    ['deliveries', weighDeliveries, {}],
    ['replay', weighReplay, { from: instant(start) }],
    ['cancel', weighCancel, {}],
    ['test', weighTest, {}],
  ] as const

  test.each(routes as unknown as [Action, Endpoint, object][])(
    'of /weigh/%s is the payee, or has the secret',
    async (action, route, more) => {
      const { subscription_id, secret } = await subscribed()
      looked.put(webhookEvents, [
        {
          event_id: 'msg_1',
          subscription_id,
          type: 'endpoint.down',
          at: instant(start),
          body: '{}',
          replay: 0,
        },
      ])
      const known = await asked(route, { subscription_id, secret, ...more })
      expect(known).toMatchObject({ subscription_id })
      expect(await asked(route, { ...(await signed({ url, action })), ...more })).toMatchObject({
        subscription_id,
      })
      const fails = async (code: string, question: object) =>
        expect(await refused(route, { ...question, ...more })).toMatchObject({ error: code })
      await fails('not_subscribed', { subscription_id, secret: `${secret}x` })
      await fails('not_subscribed', { subscription_id })
      await fails('not_subscribed', {})
      await fails('not_subscribed', await signed({ url: 'http://shop.sample/other', action }))
      await fails('invalid_message', await signed())
      const late = await signed({ url, action })
      await fails('bad_signature', { ...late, signature: '0x12' })
      now += messageMs
      await fails('message_expired', late)
    },
  )

  test('sees the attempts of 30 days, and whether the webhook is open', async () => {
    const { subscription_id, secret } = await subscribed()
    const row = {
      subscription_id,
      type: 'endpoint.down',
      attempt: 1,
      outcome: 'delivered' as const,
      status: 204,
      took_ms: 5,
      problem: null,
      next_at: null,
    }
    looked.put(webhookDeliveries, [
      { ...row, event_id: 'msg_old', at: instant(start - 31 * 86_400_000) },
      { ...row, event_id: 'msg_new', at: instant(start) },
    ])
    stock(shelf, webhookStandings, [
      { subscription_id, state: 'paused', dead_in_a_row: 5, at: instant(start) },
    ])
    const { attempts, webhook } = await asked(weighDeliveries, { subscription_id, secret })
    expect(attempts.map(({ event_id }) => event_id)).toEqual(['msg_new'])
    expect(webhook).toBe('paused')
  })

  test('has events sent again, each with its id', async () => {
    const { subscription_id, secret } = await subscribed()
    const event = { subscription_id, type: 'endpoint.down', body: '{}', replay: 0 }
    looked.put(webhookEvents, [
      { ...event, event_id: 'msg_1', at: instant(start - 5000) },
      { ...event, event_id: 'msg_2', at: instant(start) },
      { ...event, event_id: 'msg_2', at: instant(start), replay: 7 },
    ])
    const asks = { subscription_id, secret, from: instant(start - 1000) }
    expect(await asked(weighReplay, asks)).toEqual({ subscription_id, events: 1 })
    expect(await rowsOf(log, webhookEvents)).toMatchObject([{ event_id: 'msg_2', replay: start }])
    expect(await refused(weighReplay, { ...asks, from: instant(start + 1) })).toMatchObject({
      error: 'nothing_to_replay',
    })
  })

  test('opens a paused webhook by a test that succeeds', async () => {
    const { subscription_id, secret } = await subscribed()
    stock(shelf, webhookStandings, [
      { subscription_id, state: 'paused', dead_in_a_row: 5, at: instant(start) },
    ])
    hookAnswer = answeringWith(503)
    expect(await asked(weighTest, { subscription_id, secret })).toMatchObject({
      delivered: false,
      status: 503,
    })
    expect(await rowsOf(log, webhookStandings)).toEqual([])
    hookAnswer = answeringWith(200)
    expect(await asked(weighTest, { subscription_id, secret })).toMatchObject({ delivered: true })
    expect(await rowsOf(log, webhookStandings)).toMatchObject([{ state: 'open', dead_in_a_row: 0 }])
  })

  test('ends the subscription', async () => {
    const { subscription_id, secret } = await subscribed()
    expect(await asked(weighCancel, { subscription_id, secret })).toEqual({
      subscription_id,
      ended_at: instant(start),
    })
    expect((await rowsOf(log, watchOrders)).at(-1)).toMatchObject({ order: 'cancel', subscription_id })
  })
})

test('/weigh/keys shows the key that signs, and former ones', async () => {
  const seal = new Seal([`0x${'44'.repeat(32)}`, `0x${'42'.repeat(32)}`])
  const { keys } = await ask(weighKeys, {}, { ...asking(), watching: { ...desk, seal } })
  expect(keys.map(({ signs_now }) => signs_now)).toEqual([true, false])
  expect(keys[1]?.public_key).toBe(desk.seal.publicKeys[0])
  const hidden = desk.seal.hide('secret', 'sub')
  expect(seal.open(hidden, 'sub', 'it').toString()).toBe('secret')
  expect(() => seal.open(hidden, 'other', 'it')).toThrow(
    'The key that sealed it is not in WEIGH_KEY any more',
  )
})

function base58(bytes: Buffer): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
  let value = BigInt(`0x${bytes.toString('hex')}`)
  let text = ''
  for (; value; value /= 58n) text = alphabet[Number(value % 58n)] + text
  return text
}
