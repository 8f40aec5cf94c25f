import { expect, onTestFinished, test } from 'vitest'
import { quoteLookup, quoteTimes } from '../../../pipelines/lookups/quote.ts'
import { UpstreamFailed } from '../../../pipelines/rails/failures.ts'
import { openWeb, publicAddress } from '../rails/outside/fetching/web.ts'

const web = await openWeb()
const usual = { ...quoteTimes }
const now = () => Date.parse('2026-11-16T09:00:00Z')
const open = () => {
  const { find } = quoteLookup.open({ visits: web.fetch() })
  const outside = { now, signal: new AbortController().signal } as never
  return (path: string, host = 'shop.sample') => find({ url: `http://${host}/${path}` }, outside)
}

test('a host gets one request in a period, for whichever of its paths', async () => {
  onTestFinished(() => {
    Object.assign(quoteTimes, usual)
  })
  Object.assign(quoteTimes, { hostPauseMs: 60_000 })
  web.names.set('other.sample', [[publicAddress]])
  let asked = 0
  web.answer = (_, response) => {
    asked++
    response.writeHead(402).end()
  }
  const ask = open()
  await ask('a')
  await expect(ask('b')).rejects.toThrow(UpstreamFailed)
  await ask('a', 'other.sample')
  expect(asked).toBe(2)
})

test('an endpoint that does not answer GET gets a POST, and a failure is not kept', async () => {
  Object.assign(quoteTimes, { hostPauseMs: 0 })
  onTestFinished(() => {
    Object.assign(quoteTimes, usual)
  })
  const ask = open()
  web.answer = (request, response) => response.writeHead(request.method === 'GET' ? 404 : 500).end()
  expect(await ask('x')).toMatchObject({ cached: false, seen: { status: 404, method: 'GET', offers: [] } })
  expect(await ask('x')).toMatchObject({ cached: true })
  expect(await ask('x', 'gone.sample')).toMatchObject({
    seen: { status: undefined, failure: { reason: 'dns' } },
  })
})
