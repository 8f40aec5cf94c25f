/** A newcomer who knows nothing but /llms.txt and x402's own client: every operation is called and paid for. */
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../../until.ts'
import { evmKey, type RunningSandbox, runSandbox } from './running.ts'

let sandbox: RunningSandbox
beforeAll(async () => {
  sandbox = await runSandbox()
})
afterAll(() => sandbox?.stop())

it('calls and pays every operation that /llms.txt names', async () => {
  const text = await (await fetch(`${sandbox.url}/llms.txt`)).text()
  const payer = new x402Client().register('eip155:8453', new ExactEvmScheme(privateKeyToAccount(evmKey)))
  const pay = wrapFetchWithPayment(fetch, payer)
  const named = [...text.matchAll(/^### (\w+) (\S+) \((.+)\)$/gm)]
  const requests = [...text.matchAll(/^Request: (\w+) (\S+?)(?: `(.*)`)?$/gm)]
  expect(requests).toHaveLength(named.length)
  expect(named.length).toBeGreaterThanOrEqual(13)

  const outcomes = []
  for (const [i, [, method = '', url = '', body]] of requests.entries()) {
    // The sandbox of a test listens where it can, so its address is not the one that is printed.
    const { pathname, search } = new URL(url)
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const ask = () =>
      pay(`${sandbox.url}${pathname}${search}`, { method, headers, ...(body !== undefined && { body }) })
    let answer = await ask()
    // The first release of the market is built while the sandbox is open already.
    await until(
      async () => {
        if (answer.status === 503) answer = await ask()
        return answer.status !== 503
      },
      url,
      60_000,
    )
    const json = (await answer.json()) as { receipt?: { charged: boolean }; error?: string }
    outcomes.push({ ...json, path: named[i]?.[2], price: named[i]?.[3], status: answer.status })
  }
  for (const { path, price, status, receipt, error } of outcomes) {
    // The examples are live ones: a sample that does not hold one refuses it by name, free.
    const isRefusal = status === 422 && error !== undefined
    const isPaid = status === 200 && receipt?.charged === true
    const isFree = status === 200 && price === 'free'
    expect([path, status, isPaid || isFree || isRefusal, error]).toEqual([path, status, true, error])
  }
  expect(outcomes.filter(({ receipt }) => receipt?.charged).length).toBeGreaterThanOrEqual(8)
})
