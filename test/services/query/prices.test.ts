/** A file of prices is changed under a service that sells: every place that tells a price follows. */
import { writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { metrics } from '../../../pipelines/rails/metrics.ts'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { Signer } from '../../../services/query/signing/signer.ts'
import { PriceReader } from '../../../services/roles/price-reader.ts'
import { originOf } from '../an-origin.ts'
import { scratchFile } from '../sell/scratch-file.ts'
import { echo, offer, shout, signed } from '../till/paying.ts'
import { openSelling } from './selling.ts'

const told = {
  contact: 'ops@farebox.example',
  paidOn: 'Base',
  requestsAMinute: 240,
  mcpUrl: 'https://farebox.example/mcp',
}
const key = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const priced = (price: string) => `operations:\n  /echo: { price: "${price}" }\n`

async function opened() {
  const file = scratchFile('prices.yaml', '{}')
  const clock = { time: 1e6 }
  const lines: string[] = []
  const reader = new PriceReader({
    ...{ file, networks: ['base'], origins: [originOf([echo, shout])], isForbidden: () => false },
    uptime: () => clock.time,
    tell: line => lines.push(line),
    onError: error => lines.push((error as Error).message),
  })
  const selling = await openSelling({
    prices: reader.prices,
    pages: catalogPages(told),
    freeCallsADay: 0,
    signer: new Signer([key], Date.now),
  })
  const write = (text: string) => {
    clock.time += 10_000
    writeFileSync(file, text)
    reader.look()
    reader.look()
  }
  const shown = async () => {
    const text = async (path: string, accept = '*/*') =>
      (await fetch(selling.url + path, { headers: { accept } })).text()
    const call = async (method: string, params: object) => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      return (await fetch(`${selling.url}/mcp`, { method: 'POST', headers, body })).text()
    }
    return {
      quote: await (await selling.ask({ body: '{}' })).text(),
      list: await text('/'),
      page: await text('/', 'text/html'),
      docs: await text('/docs/echo', 'text/html'),
      openapi: await text('/openapi.json'),
      llms: await text('/llms.txt'),
      full: await text('/llms-full.txt'),
      one: await text('/llms/testing.txt'),
      tools: await call('tools/list', {}),
      tool: await call('tools/call', { name: 'echo', arguments: {} }),
      info: await call('tools/call', { name: 'get_service_info', arguments: {} }),
      about: await call('tools/call', { name: 'get_service_info', arguments: { tool: 'echo' } }),
    }
  }
  return { file, reader, lines, selling, write, shown, clock }
}

const value = async (name: 'pricesRefused') => (await metrics[name].get()).values[0]?.value

it('every place that tells a price follows, and a quote that was given is honoured', async () => {
  const { selling, write, shown, lines } = await opened()
  for (const text of Object.values(await shown())) expect(text).toMatch(/0\.002|"2000"/)
  write(priced('0.0074'))
  const after = await shown()
  for (const [place, text] of Object.entries(after))
    expect([place, text]).toEqual([place, expect.stringMatching(/0\.0074|7400/)])
  // The signed offers are those of the quote.
  const { accepts, extensions } = JSON.parse(String(after.quote))
  expect(accepts[0].amount).toBe('7400')
  expect(extensions['offer-receipt'].info.offers[0].payload.amount).toBe('7400')
  expect(lines).toEqual([expect.stringContaining('was read again')])

  const paid = async (answer: Response) => {
    const { receipt } = (await answer.json()) as { receipt?: { price_usdc: number } }
    return [answer.status, receipt?.price_usdc]
  }
  expect(await paid(await selling.pay(await signed()))).toEqual([200, 0.002])
  const dearer = { ...(await signed({ value: '7400' })), accepted: { ...offer, amount: '7400' } }
  expect(await paid(await selling.pay(dearer))).toEqual([200, 0.0074])
  const wrong = { ...(await signed({ value: '1' })), accepted: { ...offer, amount: '1' } }
  expect((await selling.pay(wrong)).status).toBe(402)
})

it('a wrong file changes nothing, is told once, and a right one is taken', async () => {
  const { file, reader, write, shown, lines } = await opened()
  write(priced('0.003'))
  write(`${priced('0.004')}  /ecko: { price: 1 }\n`)
  reader.look()
  expect(lines.slice(1)).toEqual([
    `the prices stay as they were: ${file}:3:3 operations./ecko: no operation is sold at this path`,
  ])
  expect(await value('pricesRefused')).toBe(1)
  expect((await shown()).openapi).toContain('"amount":"0.003"')
  write(priced('0.005'))
  expect(await value('pricesRefused')).toBe(0)
  expect((await shown()).openapi).toContain('"amount":"0.005"')
})

it('a file that is being written is not read in its middle, and changes follow each other no closer than ten seconds', async () => {
  const { file, reader, clock } = await opened()
  const price = () => reader.prices.priceOf('testing', echo, 'base')
  writeFileSync(file, '{ }')
  reader.look()
  writeFileSync(file, priced('0.003'))
  reader.look()
  expect(price()).toBe('0.002')
  reader.look()
  expect(price()).toBe('0.003')
  writeFileSync(file, priced('0.004'))
  for (const _ of [1, 2, 3]) reader.look()
  expect(price()).toBe('0.003')
  clock.time += 10_000
  reader.look()
  expect(price()).toBe('0.004')
})

it('a service does not start with a wrong file', () => {
  const start = (file: string) =>
    new PriceReader({
      ...{ file, networks: ['base'], origins: [originOf([echo])], isForbidden: () => false },
      ...{ tell: () => {}, onError: () => {} },
    })
  expect(() => start(scratchFile('wrong.yaml', 'operations: { /none: { price: 1 } }'))).toThrow(':1:15 ')
  expect(() => start('/nowhere/prices.yaml')).toThrow('PRICES names /nowhere/prices.yaml')
})

it('where networks differ, each is told', async () => {
  const { reader, shown } = await opened()
  const several = new PriceReader({
    ...{ file: scratchFile('two.yaml', 'operations: { /echo: { prices: { solana: 0.009 } } }') },
    ...{ networks: ['base', 'solana'], origins: [originOf([echo])], isForbidden: () => false },
    ...{ tell: () => {}, onError: () => {} },
  })
  const [origin] = several.prices.shown([originOf([echo])])
  expect(origin?.operations[0]).toMatchObject({ price: '0.009', prices: { base: '0.002', solana: '0.009' } })
  reader.prices.shown = several.prices.shown.bind(several.prices)
  reader.prices.take({})
  const { llms, openapi, list, tools } = await shown()
  expect(llms).toContain('0.002 USDC on Base, 0.009 USDC on Solana')
  expect(openapi).toContain('{"mode":"dynamic","currency":"USD","min":"0.002","max":"0.009"}')
  expect(list).toContain('"price_usdc_by_network":{"base":"0.002","solana":"0.009"}')
  expect(tools).toContain('"by_network":{"base":"0.002","solana":"0.009"}')
})
