/** What the finder remembers of an address. A stranger may ask about it before it is a contract. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { openEvmFinder } from '../../../../../pipelines/domains/payments/evm/finder.ts'

it('a wallet that is deployed later is a contract then, and stays one', async () => {
  const chain = { code: '0x', asked: 0 }
  const node = http.createServer(async (request, response) => {
    const { id } = JSON.parse((await request.toArray()).join(''))
    chain.asked++
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: chain.code })
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>(resolve => node.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void node.close())
  let now = Date.now()
  const { port } = node.address() as AddressInfo
  const finder = openEvmFinder({ network: 'base', rpcUrls: [`http://127.0.0.1:${port}`], now: () => now })
  const wallet = `0x${'5a'.repeat(20)}`
  expect([await finder.isContract(wallet), await finder.isContract(wallet)]).toEqual([false, false])
  expect(chain.asked).toBe(1)
  chain.code = '0x6080'
  now += 60_000
  expect(await finder.isContract(wallet)).toBe(true)
  now += 24 * 60 * 60_000
  expect([await finder.isContract(wallet), chain.asked]).toEqual([true, 2])
})
