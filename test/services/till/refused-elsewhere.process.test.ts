/** One of two instances is cut off from the log for so long that the other takes its purchase over. Then it hears a refusal. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openTill } from '../../../services/till/open-till.ts'
import { until } from '../../until.ts'
import { header, signed } from './paying.ts'
import { type Log, options, shared } from './till-options.ts'
import { openBench } from './tills.ts'

it('gives no answer for a payment that has moved no money', async () => {
  let gate: Promise<void> | undefined
  const [open, heard] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const cutOff = (log: Log): Log => ({
    ...shared(log),
    async append(...args) {
      await gate
      return log.append(...args)
    },
  })
  const bench = await openBench({}, shared)
  const { facilitator, log } = bench
  facilitator.chain = 'truthful'
  let settles = 0
  const proxy = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    if (request.url !== '/settle') {
      const got = await fetch(`${facilitator.url}${request.url}`, {
        method: request.method ?? 'GET',
        ...(body && { body }),
      })
      response.writeHead(got.status, { 'content-type': 'application/json' }).end(await got.text())
    } else if (++settles === 1) {
      await heard.promise
      const refusal = {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'eip155:8453',
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(refusal))
    } else response.writeHead(500).end('{}')
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const limits = { sweepMs: 100, unknownMs: 4000, waitMs: 15_000 }
  const first = await openTill(options(cutOff(log), url, { limits }))
  const second = await openTill(options(shared(log), url, { limits }))
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()])
    proxy.closeAllConnections()
    proxy.close()
  })
  const payment = await signed()
  const ending = (buying: Promise<{ body: string }>) =>
    buying.then(
      ({ body }) => body,
      ({ code, charged }) => `${code} ${charged}`,
    )
  bench.till = first
  const atFirst = ending(bench.buy(payment))
  await until(() => settles === 1, 'the first settlement')
  gate = open.promise
  bench.till = second
  let atSecond: Promise<string> = Promise.resolve('')
  // The first one is dead to the second after twelve seconds of silence.
  await until(async () => {
    if (settles === 1) atSecond = ending(bench.buy(payment))
    await Promise.race([atSecond, until(() => settles === 2, 'the second settlement', 5000).catch(() => {})])
    return settles >= 2
  }, 'the other instance to take it over')
  const asked = facilitator.chainCalls
  heard.resolve()
  await until(() => facilitator.chainCalls > asked, 'the first one to ask the chain')
  gate = undefined
  open.resolve()
  expect(await atFirst).toBe('insufficient_funds false')
  expect(await atSecond).toBe('payment_unknown null')
  expect(facilitator.moved.size).toBe(0)
  expect(second.knows(second.decode(header(payment)))).toBe(true)
}, 100_000)
