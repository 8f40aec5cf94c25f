import { describe, expect, it } from 'vitest'
import { UpstreamFailed } from '../../../../pipelines/rails/failures.ts'
import { askEdgar } from '../../../../pipelines/sources/sec/edgar.ts'
import { secData, secWww } from '../../../../pipelines/sources/sec/upstream.ts'
import { startEdgar } from './sec-upstream.ts'

describe('EDGAR', () => {
  const path = '/submissions/CIK0009990001.json'

  it.each([
    ['a 403 of the gate', { status: 403, body: 'Undeclared Automated Tool' }, 600_000],
    ['a 429', { status: 429, body: '' }, 600_000],
    ['a 429 that says how long', { status: 429, headers: { 'retry-after': '30' }, body: '' }, 30_000],
    [
      'a 429 that says until when',
      { status: 429, headers: { 'retry-after': new Date(1_700_000_060_000).toUTCString() }, body: '' },
      60_000,
    ],
  ])('is left alone after %s', async (_, said, waitMs) => {
    let now = 1_700_000_000_000
    const edgar = await startEdgar({ now: () => now })
    edgar.says[path] = said
    const ask = (path: string) => askEdgar(edgar.outside(), secWww, path)
    await expect(ask(path)).rejects.toThrow(String(said.status))
    now += waitMs - 1
    await expect(askEdgar(edgar.outside(), secData, path)).rejects.toThrow('the SEC is left alone')
    await expect(ask('/files/company_tickers_exchange.json')).rejects.toThrow('left alone')
    expect(edgar.asked).toHaveLength(1)
    now += 1
    expect((await ask('/files/company_tickers_exchange.json'))?.status).toBe(200)
  })

  it('reports a missing document, by a 404 or by the 403 of its file store', async () => {
    const edgar = await startEdgar()
    const ask = (path: string) => askEdgar(edgar.outside(), secWww, path)
    edgar.says['/gone'] = { status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }
    expect([await ask('/gone'), await ask('/submissions/CIK0000000404.json')]).toEqual([undefined, undefined])
    expect((await ask(path))?.status).toBe(200)
  })

  it('fails without a pause if it is merely broken', async () => {
    const edgar = await startEdgar()
    edgar.says[path] = { status: 500 }
    const ask = () => askEdgar(edgar.outside(), secWww, path)
    await expect(ask()).rejects.toThrow(UpstreamFailed)
    await expect(ask()).rejects.toThrow('answered 500')
  })
})
