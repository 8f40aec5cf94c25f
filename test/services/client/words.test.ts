/** The words of the command: what is wrong is said at once and by name, and nobody waits longer than was asked for. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../../services/client/command.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { evmKey } from '../sandbox/running.ts'
import { answer, startHostileSeller } from './hostile-seller.ts'

/** Runs it, and gives its code and what it has said. */
async function farebox(
  args: string[],
  url: string,
  fetch?: () => Promise<Response>,
): Promise<[number, string]> {
  const said: string[] = []
  for (const method of ['error', 'log'] as const) {
    const spy = vi.spyOn(console, method).mockImplementation(words => void said.push(String(words)))
    onTestFinished(() => spy.mockRestore())
  }
  const env = { FAREBOX_URL: url, FAREBOX_KEY: evmKey }
  const code = await run(args, { env, purse: purseInMemory(), ...(fetch && { fetch }) })
  return [code, said.join('\n')]
}

it.each<[string[], RegExp]>([
  [['--max-usd', 'abc'], /--max-usd: "abc" is not an amount of dollars/],
  [['--max-usd-a-day', '-1'], /max-usd-a-day/],
  [['--patience', 'long'], /--patience: "long"/],
  [['--network', 'mars'], /no "mars"; there are base, .*solana/],
  [['--url', 'example.com'], /--url is not an address/],
])('%j ends with 2, and asks nobody', async (words, told) => {
  const seller = await startHostileSeller(response => response.end())
  const [code, said] = await farebox(['call', '/fx', ...words], seller.url)
  expect([code, seller.heard]).toEqual([2, []])
  expect(said).toMatch(told)
})

it('takes a path of the seller’s own, and no other', async () => {
  const operations = [{ url: 'http://seller.example/tide' }, null, { url: 7 }, { url: 'no address' }]
  const seller = await startHostileSeller((response, { path }) =>
    path === '/'
      ? answer(response, 200, { operations })
      : answer(response, 422, { error: 'low', charged: false }),
  )
  const [code, said] = await farebox(['call', '/tide', '{}'], seller.url)
  expect([code, said]).toEqual([3, expect.stringContaining('low')])
  expect(await farebox(['call', '/tides', '{}'], seller.url)).toEqual([
    2,
    expect.stringContaining('did you mean /tide?'),
  ])
})

it('asks for less of an answer', async () => {
  const seller = await startHostileSeller((response, { path }) => answer(response, 200, { asked: path }))
  const [code, said] = await farebox(['call', 'fx', '{}', '--fields', 'rate,receipt.payment_tx'], seller.url)
  expect([code, said]).toEqual([0, expect.stringContaining('/fx?fields=rate,receipt.payment_tx')])
  expect((await farebox(['call', '/fx', '{}', '--fields', 'rate&x=1'], seller.url))[0]).toBe(2)
})

it('tells its version', async () => {
  const { version } = JSON.parse(readFileSync('services/client/package.json', 'utf8')) as { version: string }
  expect(await farebox(['--version'], '')).toEqual([0, version])
})

/** A port at which nobody listens, and which nobody else is given meanwhile: a caller has it. */
async function portOfACaller(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(caller, 'connect')
  onTestFinished(() => {
    caller.destroy()
    server.close()
  })
  return caller.localPort as number
}

it.each(['call', 'quote', 'catalog'])(
  '%s names a host where nobody listens, long before a minute',
  async word => {
    const port = await portOfACaller()
    const [code, said] = await farebox(
      [word, ...(word === 'catalog' ? [] : ['/fx'])],
      `http://127.0.0.1:${port}`,
    )
    expect(code).toBeGreaterThan(0)
    expect(said).toContain(`127.0.0.1:${port}: nobody listens there`)
  },
  20_000,
)

it('says after ten seconds that nothing is heard, and waits', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const answeredAfter = (ms: number) => async () => {
    vi.advanceTimersByTime(ms)
    return Response.json({ converted: 1 })
  }
  const asked = (ms: number) => farebox(['call', '/fx', '{}'], 'http://slow.example', answeredAfter(ms))
  expect(await asked(9999)).toEqual([0, expect.not.stringContaining('said nothing')])
  const [code, said] = await asked(10_000)
  expect([code, said]).toEqual([
    0,
    expect.stringMatching(/^slow\.example has said nothing for 10 seconds\. /),
  ])
})

it('asks a host once that swallows what is sent to it', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let tries = 0
  const swallowed = async () => {
    tries++
    vi.setSystemTime(Date.now() + 10_000)
    throw new TypeError('fetch failed', { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } })
  }
  const [code, said] = await farebox(['call', '/fx', '{}'], 'http://silent.example', swallowed)
  expect([code, tries]).toEqual([3, 1])
  expect(said).toContain('silent.example: it takes no connection')
})

it('bounds one try where nothing is said: none begins a second time, and it ends by itself', async () => {
  const limits: (number | undefined)[] = []
  const asked = vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
    limits.push(ms)
    return AbortSignal.abort(new DOMException('', 'TimeoutError'))
  })
  onTestFinished(() => asked.mockRestore())
  const client = (patienceMs?: number) =>
    createFarebox({ url: 'http://127.0.0.1:9', patienceMs, purse: purseInMemory() }).call('/fx')
  expect(await client(0)).toMatchObject({
    error: { message: expect.stringContaining('nothing for 10 seconds') },
  })
  expect(limits).toEqual([10_000])
})
