/** Two processes share a log, and the one that checks dies. A test clock moves both. */
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { nextSlot, usualRhythm } from '../../../../pipelines/domains/watch/rounds.ts'
import { Seal } from '../../../../pipelines/domains/watch/seal.ts'
import { openDuties } from '../../../../pipelines/rails/duties/duties.ts'
import type { Log } from '../../../../pipelines/rails/log/log.ts'
import { metrics } from '../../../../pipelines/rails/metrics.ts'
import type { PublicFetch } from '../../../../pipelines/rails/outside/fetching/visit.ts'
import { createOutside } from '../../../../pipelines/rails/outside/upstreams/open-outside.ts'
import { delivering, watching } from '../../../../pipelines/workers/watch/workers.ts'
import { duties } from '../../../../schemas/duties.ts'
import { endpointChecks } from '../../../../schemas/endpoint-checks.ts'
import { datasets } from '../../../../schemas/index.ts'
import { instant } from '../../../../schemas/values/values.ts'
import { watchSubscriptions } from '../../../../schemas/watch-subscriptions.ts'
import { webhookDeliveries } from '../../../../schemas/webhooks.ts'
import { processOf } from '../../../a-process.ts'
import { answeringWith, payee, quoting } from '../../../services/origins/watch/sellers.ts'
import { until } from '../../../until.ts'
import { appendingTo, rowsOf, write } from '../../rails/outbox/topics.ts'
import { publicAddress, type Web } from '../../rails/outside/fetching/web.ts'

export const takeoverTopics = datasets
  .filter(({ name }) => /^(watch|webhook|endpoint)_|^settlements$/.test(name) || name === duties.name)
  .map(({ topic }) => topic)

const endpoints = 6
const times = { beatMs: 300, deadMs: 4_000, marginMs: 1_000, lookMs: 100 }
const key = `0x${'42'.repeat(32)}`
const watch = { seal: new Seal([key]), origin: 'https://farebox.example' }

export async function takeover(open: () => Promise<Log>, web: Web): Promise<void> {
  let now = Date.parse('2026-11-16T09:00:00Z')
  const world = { seller: quoting(), hookStatus: 500 }
  const heard: { id: string; type: string; answered: number }[] = []
  web.names.set('hooks.sample', [[publicAddress]])
  web.answer = (request, response) => {
    if (request.headers.host !== 'hooks.sample') return world.seller(request, response)
    text(request).then(body => {
      const answered = world.hookStatus
      heard.push({ id: request.headers['webhook-id'] as string, type: JSON.parse(body).type, answered })
      response.writeHead(answered).end()
    })
  }

  const log = await open()
  const subscriptions = Array.from({ length: endpoints }, (_, n) => `sub_${n}`)
  await write(
    log,
    watchSubscriptions,
    ...subscriptions.map(id => ({
      ...{
        subscription_id: id,
        what: 'endpoint',
        subject: `http://shop.sample/${id}`,
        method: 'GET' as const,
      },
      ...{
        body: '',
        network: 'eip155:8453',
        payee,
        origin: watch.origin,
        webhook_url: 'http://hooks.sample/',
      },
      secrets: [{ sealed: watch.seal.hide(Buffer.alloc(32, 1), id), until: null }],
      ...{ started_at: instant(now), expires_at: instant(now + 30 * 86_400_000) },
      ...{ reminded: 'nothing' as const, orders: [] },
    })),
  )

  /** A process with both workers. Once it is dead, neither the log nor the web accepts anything from it. */
  async function start() {
    const own = await open()
    let isDead = false
    const dead = () => Promise.reject(new Error('dead'))
    const mortal = appendingTo(own, (...asked) => (isDead ? dead() : own.append(...asked)))
    const { visit } = web.fetch()
    const visits: PublicFetch = { visit: (...asked) => (isDead ? dead() : visit(...asked)) }
    const outside = createOutside({ at: {}, contact: 'test', now: () => now })
    const parts = openDuties({ log: mortal, outside, onFailed: () => {}, times })
    const alone = parts.alone.bind(parts)
    const process = processOf({ alone, visits, now: () => now, onFailed: () => {} }, { WEIGH_KEY: key })
    const running = [await watching.open(process), await delivering.open(process)]
    return {
      die: async () => {
        isDead = true
        await own.close()
      },
      close: async () => {
        await Promise.all(running.map(each => each.close()))
        await parts.close()
      },
    }
  }

  const checks = async () => (await rowsOf(log, endpointChecks)).filter(({ again }) => !again)
  /** Lets the next round begin, and waits until all its checks are judged. */
  async function round(nth: number): Promise<void> {
    now += usualRhythm.everyMs
    await until(async () => (await checks()).length >= nth * endpoints, `round ${nth}`, 60_000)
    await until(async () => (await log.lag(endpointChecks.topic, 'judge')) === 0, 'the judge', 60_000)
  }

  const first = await start()
  const watched = async () => (await metrics.endpointsWatched.get()).values[0]?.value
  await until(async () => (await watched()) === endpoints, 'the watch', 60_000)
  await round(1)
  const second = await start()
  await round(2)
  world.seller = answeringWith(500)
  await round(3)
  now += usualRhythm.againMs
  const failed = () => heard.filter(({ answered }) => answered === 500).map(({ id }) => id)
  await until(() => new Set(failed()).size === endpoints, 'attempts that fail', 60_000)
  await until(async () => (await rowsOf(log, webhookDeliveries)).length >= endpoints, 'their record', 60_000)
  await first.die()

  world.hookStatus = 204
  const delivered = () => heard.filter(({ answered }) => answered === 204)
  await until(
    () => {
      now += 1_000
      return new Set(delivered().map(({ id }) => id)).size >= endpoints
    },
    'the events from the other process',
    60_000,
  )
  expect(new Set(delivered().map(({ id }) => id))).toEqual(new Set(failed()))
  expect(delivered().map(({ type }) => type)).toEqual(Array(endpoints).fill('endpoint.down'))
  await second.close()
  await first.close()
  const slots = (await checks()).map(
    ({ endpoint, at }) => `${endpoint} ${nextSlot(endpoint, Date.parse(at))}`,
  )
  expect(slots.length).toBeGreaterThanOrEqual(3 * endpoints)
  expect(new Set(slots).size).toBe(slots.length)
}
