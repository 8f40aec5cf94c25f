import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { cappedFetch } from '../../../../../pipelines/rails/outside/upstreams/capped-fetch.ts'

async function served(body: string): Promise<string> {
  const server = createServer((_, response) => response.end(body))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

it('reads an answer that fits, and no more of one that does not', async () => {
  const url = await served(JSON.stringify({ a: 'x'.repeat(990) }))
  expect(await (await cappedFetch(998)(url)).json()).toEqual({ a: 'x'.repeat(990) })
  await expect((await cappedFetch(997)(url)).text()).rejects.toThrow('more than 997 bytes')
})
