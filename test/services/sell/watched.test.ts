/** Subscribers hear when the answer of a file's operation changes, and no upstream keeps another from being looked at. */
import type { ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../../../pipelines/domains/watch/desk.ts'
import { Seal } from '../../../pipelines/domains/watch/seal.ts'
import { bodyIn, hideQuestion } from '../../../pipelines/domains/watch/sealed.ts'
import type { Dataset } from '../../../schemas/dataset/dataset.ts'
import {
  type WatchSubscription,
  watchOrders,
  watchSubscriptions,
  watchTold,
} from '../../../schemas/watch-subscriptions.ts'
import { webhookEvents } from '../../../schemas/webhooks.ts'
import { things } from '../../../services/origins/watch/own/subjects.ts'
import { watchSubscribe } from '../../../services/origins/watch/own/watch-subscribe.ts'
import { startWatchedAnswers } from '../../../services/origins/watch/own/watched-answers.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { openTopics, rowsOf, write } from '../../pipelines/rails/outbox/topics.ts'
import { openWeb, publicAddress } from '../../pipelines/rails/outside/fetching/web.ts'
import { until } from '../../until.ts'
import { startUpstream } from '../../upstream.ts'
import { ask } from '../origins/ask.ts'
import { refusal } from '../origins/refusal.ts'
import { opened } from './asking.ts'
import { faultsOf, fileOf, read } from './reading.ts'

const web = await openWeb()
web.names.set('hooks.sample', [[publicAddress]])
web.answer = (_, response) => response.writeHead(204).end()
const webhookUrl = 'http://hooks.sample/x'
const seal = new Seal([`0x${'42'.repeat(32)}`])

/** A file with two watched operations: of `/slow`, the upstream answers the station a alone. A bad one fails. */
async function watching(watch = 'true') {
  let now = Date.parse('2026-11-16T09:00:00Z')
  const says: Record<string, string> = { a: '{"high":1,"seen":1}' }
  const hanging: ServerResponse[] = []
  const upstream = await startUpstream(({ url = '' }, response) => {
    const station = url.split('/').at(-1) ?? ''
    if (url.startsWith('/slow') && station !== 'a') {
      hanging.push(response)
      return
    }
    if (station.startsWith('bad')) response.statusCode = 503
    response.end(says[station] ?? '{"high":0}')
  })
  const one = fileOf({ http: `${upstream.url}/v2/{station}`, more: `watch: ${watch}` })
  const text = one + one.slice(one.indexOf('  /tide:')).replace('/tide', '/slow').replace('/v2/', '/slow/')
  const { tools: found, origin } = await opened(text, {}, { now: () => now })
  const watched = new Map(origin.operations.map(operation => [operation.path, operation]))
  const log = await openTopics(
    undefined,
    Object.values(things).flatMap(({ datasets }) => datasets) as Dataset[],
  )
  const shelf = await Shelf.open(log, [], () => now)
  onTestFinished(() => shelf.close())
  const watch_ = { seal, origin: 'https://farebox.example' }
  const desk = openDesk({ log, visits: web.fetch(), watch: watch_, nodes: new Map(), now: () => now })
  const asking = { shelf, now: () => now, find: found.find, watching: desk, watched }
  const failed: unknown[] = []
  const open = async () => {
    const tools = { ...found, watched }
    const opened = await startWatchedAnswers({
      ...{ log, seal, tools, now: () => now },
      onFailed: error => failed.push(error),
    })
    onTestFinished(async () => {
      await opened.close()
      expect(failed).toEqual([])
    })
    return opened
  }
  const subscribe = async (question: object) => {
    const answer = await ask(watchSubscribe, { webhookUrl, ...question }, asking)
    const [order] = (await rowsOf(log, watchOrders)).slice(-1)
    if (order?.subscription) await write(log, watchSubscriptions, order.subscription)
    return answer
  }
  const events = async () =>
    (await rowsOf(log, webhookEvents)).map(row => ({ ...row, ...JSON.parse(bodyIn(row, seal)) }))
  return {
    ...{ says, subscribe, open, events, log, asked: upstream.asked },
    refused: (question: object) => refusal(watchSubscribe, { webhookUrl, ...question }, asking),
    hanging,
    pass: (ms: number) => (now += ms),
  }
}

it('a subscriber hears of an answer that has changed, and of none that is the same', async () => {
  const { says, subscribe, open, events, log, pass } = await watching()
  const { subscription_id, event } = await subscribe({ what: '/tide', question: { station: 'a' } })
  expect(event).toBe('answer.changed')
  const { look } = await open()
  pass(900_000)
  await look()
  // Another order and another time are no change.
  says.a = '{"seen":1,"high":1}'
  await look()
  expect(await events()).toEqual([])
  says.a = '{"high":2.50,"seen":1}'
  await look()
  expect(await events()).toMatchObject([
    {
      subscription_id,
      type: 'answer.changed',
      data: {
        what: '/tide',
        question: { station: 'a' },
        before: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        answer: { answer: { high: 2.5 } },
      },
    },
  ])
  // What the answer says may say what was asked.
  for (const row of await rowsOf(log, watchTold)) expect(JSON.stringify(row)).not.toContain('high')
})

it('the file says which fields are compared', async () => {
  const { says, subscribe, open, events } = await watching('{ every: 1m, only: [high] }')
  await subscribe({ what: '/tide', question: { station: 'a' } })
  const { look } = await open()
  says.a = '{"high":1,"seen":2}'
  await look()
  expect(await events()).toEqual([])
  says.a = '{"high":2,"seen":2}'
  await look()
  expect(await events()).toHaveLength(1)
})

it('is free where nothing is watched, and where the upstream does not take the question', async () => {
  const { refused, log } = await watching()
  expect(await refused({ what: '/nothing', question: {} })).toMatchObject({
    error: 'invalid_question',
    message: expect.stringContaining('there are airport'),
  })
  expect(await refused({ what: '/tide', question: { town: 'a' } })).toMatchObject({
    error: 'invalid_question',
  })
  expect(await refused({ what: '/tide', question: { station: 'a' }, above: 1 })).toMatchObject({
    error: 'invalid_question',
  })
  expect(await refused({ what: '/tide', question: { station: 'a/b' } })).toMatchObject({
    error: 'invalid_question',
  })
  expect(await rowsOf(log, watchOrders)).toEqual([])
})

it('an upstream that hangs holds up nobody else, and gets two questions at once', async () => {
  const { says, subscribe, open, events, log, hanging } = await watching()
  await subscribe({ what: '/tide', question: { station: 'a' } })
  await subscribe({ what: '/slow', question: { station: 'a' } })
  const slow = (await rowsOf(log, watchSubscriptions)).at(-1) as WatchSubscription
  // They were sold while it answered them.
  for (const station of ['b', 'c', 'd', 'e']) {
    const subscription_id = `sub_${station}`
    const subject = hideQuestion({ question: { station } }, subscription_id, seal)
    await write(log, watchSubscriptions, { ...slow, subscription_id, subject })
  }
  says.a = '{"high":3}'
  await open()
  await until(async () => (await events()).length === 2, 'the events of both operations')
  await until(() => hanging.length === 2)
  // Those that wait begin only when one of the two has ended.
  hanging[0]?.end('{"high":0}')
  await until(() => hanging.length === 3)
  expect(hanging.filter(({ writableEnded }) => !writableEnded)).toHaveLength(2)
  for (let ended = 1; ended < 4; ended++) {
    await until(() => hanging.length > ended)
    hanging[ended]?.end('{"high":0}')
  }
})

it('the failing questions of one subscriber keep no other from being looked at', async () => {
  const { subscribe, open, events, log, pass, says } = await watching()
  await subscribe({ what: '/tide', question: { station: 'a' } })
  const [good] = (await rowsOf(log, watchSubscriptions)) as WatchSubscription[]
  const also = async (subscription_id: string, station: string) => {
    const subject = hideQuestion({ question: { station } }, subscription_id, seal)
    await write(log, watchSubscriptions, { ...(good as WatchSubscription), subscription_id, subject })
  }
  for (let nth = 0; nth < 9; nth++) await also(`sub_bad${nth}`, `bad${nth}`)
  await also('sub_last', 'z')
  const { look } = await open()
  await look()
  pass(900_000)
  await look()
  expect((await rowsOf(log, watchTold)).map(row => row.subscription_id)).toContain('sub_last')
  for (const high of [2, 3]) {
    pass(900_000)
    says.z = `{"high":${high}}`
    await look()
  }
  expect(await events()).toHaveLength(2)
})

it('a wrong word has its line', () => {
  expect(faultsOf(fileOf({ more: 'watch: { every: 1s }' }))).toEqual([
    expect.stringMatching(/^10:\d+ operations\.\/tide\.watch/),
  ])
  expect(faultsOf(fileOf({ more: 'watch: { each: 1h }' }))).toHaveLength(1)
})

it('is not for what costs more than a subscription', () => {
  const dear = (price: string) => fileOf({ more: 'watch: true' }).replace('price: 0.003', `price: ${price}`)
  expect(faultsOf(dear('0.50'))).toEqual([])
  expect(faultsOf(dear('0.51'))).toEqual([
    expect.stringMatching(/^10:\d+ operations\.\/tide\.watch.*one answer costs 0\.51, and a subscription/),
  ])
})

it('is announced beside the operation', () => {
  const { origin } = read(fileOf({ more: 'watch: true' }))
  expect(origin?.operations[0]).toMatchObject({
    about: 'The tide at a station. Its changes: /watch/subscribe.',
    watched: { everyMs: 900_000 },
  })
})

it('is no batch of it', () => {
  const { origin } = read(fileOf({ more: 'watch: true\n    batch: 3' }))
  expect(origin?.operations.map(({ path, watched }) => [path, watched !== undefined])).toEqual([
    ['/tide', true],
    ['/tide/batch', false],
  ])
})
