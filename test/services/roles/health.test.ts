import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { settlements } from '../../../schemas/settlements.ts'
import { Shelf } from '../../../services/query/shelf.ts'
import { healthPages } from '../../../services/roles/health.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const hangs = () => new Promise<never>(() => {})
const asked = { store: 0, log: 0 }

/** The pages of a process with a silent store and a silent log. */
function open(roles: string[]) {
  const shelf = new Shelf(Date.now)
  Object.defineProperty(shelf, 'ready', { value: true })
  const parts = {
    roles,
    now: Date.now,
    shelf: roles.includes('query') ? shelf : undefined,
    store: {
      ping: () => {
        asked.store++
        return hangs()
      },
    },
    log: {
      lags: () => {
        asked.log++
        return hangs()
      },
      end: hangs,
    },
    samples: new Set(),
    groups: [{ topic: settlements.topic, group: 'sink' }],
    isLeaving: false,
  }
  const pages = healthPages(parts as never)
  const ask = async (path: string) => {
    const page = pages.find(page => page.path === path)
    const { status = 200, body } = await (page as (typeof pages)[number]).answer({ origins: [] } as never)
    return { status, body: String(body) }
  }
  /** Asks, and lets the wait for a silent part run out. */
  const askPatiently = async (path: string) => {
    const answer = ask(path)
    await vi.advanceTimersByTimeAsync(2000)
    return answer
  }
  return { parts, ask, askPatiently }
}

it('is ready to sell without waiting for a store that hangs', async () => {
  const { parts, ask } = open(['query'])
  expect(await ask('/health/ready')).toEqual({ status: 200, body: '{"ready":true}' })
  parts.isLeaving = true
  expect(await ask('/health/ready')).toEqual({ status: 503, body: '{"ready":false}' })
})

it('is not ready to write into a store that hangs', async () => {
  const { askPatiently } = open(['sink'])
  expect(await askPatiently('/health/ready')).toMatchObject({ status: 503 })
})

it('says that it lives, and that the store is down, while the store hangs', async () => {
  const { askPatiently } = open(['query'])
  const { status, body } = await askPatiently('/health')
  expect(status).toBe(200)
  expect(JSON.parse(body)).toMatchObject({ ready: true, store: 'down' })
})

it('shows its metrics while store and log hang, without the unknown lag', async () => {
  const { askPatiently } = open(['query'])
  const answer = askPatiently('/metrics')
  await vi.advanceTimersByTimeAsync(2000)
  const { body } = await answer
  expect(body).toMatch(/^farebox_store_up 0$/m)
  expect(body).not.toMatch(/^farebox_log_lag.*settlements/m)
})

it('asks store and log once for all who ask for health and metrics', async () => {
  const { ask } = open(['query'])
  Object.assign(asked, { store: 0, log: 0 })
  const answers = Promise.all(Array.from({ length: 300 }, (_, i) => ask(i % 2 ? '/metrics' : '/health')))
  await vi.advanceTimersByTimeAsync(4000)
  for (const { status } of await answers) expect(status).toBe(200)
  expect(asked).toEqual({ store: 1, log: 1 })
  await vi.advanceTimersByTimeAsync(300)
  const later = ask('/metrics')
  await vi.advanceTimersByTimeAsync(4000)
  await later
  expect(asked).toEqual({ store: 2, log: 2 })
})
