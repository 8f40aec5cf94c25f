import { expect, test } from 'vitest'
import { Endpoints, TooMuch } from '../../../../pipelines/domains/payments/endpoints.ts'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'

const urls = ['https://a.dev/key', 'https://b.dev/key', 'https://c.dev/key']
const never = new AbortController().signal
const open = (perSecond = 1000) => new Endpoints({ network: 'base', urls, perSecond })

/** Simulates the nodes. `down` names those that are down. */
function world(...down: string[]) {
  const asked: string[] = []
  const call = async (url: string) => {
    const { host } = new URL(url)
    asked.push(host)
    if (down.includes(host)) throw new Error('away')
    return host
  }
  return { call, asked: () => asked.splice(0) }
}

test('a node that answers is asked again', async () => {
  const nodes = open()
  const { call, asked } = world('b.dev')
  for (let i = 0; i < 3; i++) expect(await nodes.ask(call, never)).toBe('a.dev')
  expect(asked()).toEqual(['a.dev', 'a.dev', 'a.dev'])
})

test('after two errors in a row the next node is asked, and kept', async () => {
  const nodes = open()
  const { call, asked } = world('a.dev')
  expect(await nodes.ask(call, never)).toBe('b.dev')
  expect(await nodes.ask(call, never)).toBe('b.dev')
  expect(asked()).toEqual(['a.dev', 'a.dev', 'b.dev', 'b.dev'])
})

test('one error alone changes nothing', async () => {
  const nodes = open()
  const down = ['a.dev']
  const call = async (url: string) => {
    if (down.splice(0).includes(new URL(url).host)) throw new Error('away')
    return url
  }
  for (let i = 0; i < 3; i++) {
    expect(await nodes.ask(call, never)).toBe(urls[0])
    down.push('a.dev')
  }
})

test('the caller hears that none answers, without the addresses, which may hold keys', async () => {
  const { call, asked } = world('a.dev', 'b.dev', 'c.dev')
  const failure = await open()
    .ask(call, never)
    .catch(error => error)
  expect(failure).toEqual(new UpstreamFailed('no base node answers: a.dev: away; b.dev: away; c.dev: away'))
  expect(asked()).toHaveLength(6)
})

test('a refusal of too many blocks is not an error of the node', async () => {
  let asked = 0
  const call = async () => {
    asked++
    throw new TooMuch('less')
  }
  await expect(open().ask(call, never)).rejects.toThrow(TooMuch)
  expect(asked).toBe(1)
})

test('a node that is silent is overtaken by the next one, and is not asked first again', async () => {
  const nodes = new Endpoints({ network: 'base', urls, perSecond: 1000, hedgeMs: 20 })
  const asked: string[] = []
  const call = (url: string) => {
    const { host } = new URL(url)
    asked.push(host)
    return host === 'a.dev' ? new Promise<never>(() => {}) : Promise.resolve(host)
  }
  expect(await nodes.ask(call, never)).toBe('b.dev')
  expect(await nodes.ask(call, never)).toBe('b.dev')
  expect(asked).toEqual(['a.dev', 'b.dev', 'b.dev'])
})

test('many questions to a silent node end at the next one together', async () => {
  const nodes = new Endpoints({ network: 'base', urls, perSecond: 1000, hedgeMs: 20 })
  const call = (url: string) => (url === urls[0] ? new Promise<never>(() => {}) : Promise.resolve(url))
  const answers = await Promise.all(Array.from({ length: 5 }, () => nodes.ask(call, never)))
  expect(new Set(answers)).toEqual(new Set([urls[1]]))
  expect(await nodes.ask(call, never)).toBe(urls[1])
})

test('a slow node that answers first is kept, and one that fails late gives way', async () => {
  const slow = new Endpoints({ network: 'base', urls, perSecond: 1000, hedgeMs: 20 })
  const release = Promise.withResolvers<string>()
  const asked: string[] = []
  const held = (url: string) => {
    asked.push(url)
    if (url !== urls[0]) release.resolve('slow')
    return url === urls[0] ? release.promise : new Promise<never>(() => {})
  }
  expect(await slow.ask(held, never)).toBe('slow')
  expect(asked).toEqual(urls.slice(0, 2))
  expect(await slow.ask(async url => url, never)).toBe(urls[0])
  const failing = new Endpoints({ network: 'base', urls, perSecond: 1000, hedgeMs: 20 })
  const away = async () => {
    await new Promise(resolve => setTimeout(resolve, 40))
    throw new Error('away')
  }
  await expect(failing.ask(away, never)).rejects.toThrow('no base node answers')
})

test('a stop waits for no answer', async () => {
  const stopping = new AbortController()
  const asking = open().ask(() => new Promise<never>(() => {}), stopping.signal)
  stopping.abort(new Error('stopping'))
  await expect(asking).rejects.toThrow('stopping')
})

test('calls begin no faster than allowed', async () => {
  const paceMs = 20
  const nodes = open(1000 / paceMs)
  const startedAt = performance.now()
  const begun: number[] = []
  const call = async () => void begun.push(performance.now() - startedAt)
  await Promise.all(Array.from({ length: 4 }, () => nodes.ask(call, never)))
  // A busy machine delays a call and not the next one's turn, so each is measured from the start. A timer may be a millisecond early.
  for (const [nth, at] of begun.entries()) expect(at).toBeGreaterThan(nth * (paceMs - 1) - 1)
})
