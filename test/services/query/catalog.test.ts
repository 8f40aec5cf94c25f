import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { isEvm, networkNames, networks } from '../../../schemas/tables/networks.ts'
import { contractOf } from '../../../services/offer/operation.ts'
import { origins as built } from '../../../services/origins/index.ts'
import { llms, llmsFull } from '../../../services/query/catalog/llms.ts'
import { openapi } from '../../../services/query/catalog/openapi.ts'
import { catalogPages } from '../../../services/query/catalog/pages.ts'
import { jsonSchema } from '../../../services/query/catalog/schemas.ts'
import { operationsTable, priceList } from '../../../services/query/catalog/texts.ts'
import { toolName } from '../../../services/query/mcp/tools.ts'
import { Quotes } from '../../../services/till/quotes.ts'
import { receipt } from '../../../services/till/receipt.ts'
import { payTo, payToSolana } from '../till/paying.ts'

type JsonObject = Record<string, unknown>

const told = {
  contact: 'ops@farebox.example',
  paidOn: 'Base, Polygon or Solana',
  requestsAMinute: 240,
  mcpUrl: 'https://farebox.example/mcp',
}
const origins = built.map(origin => ({ ...origin, url: 'https://farebox.example' }))
const operations = origins.flatMap(origin => origin.operations)
const free = origins.flatMap(origin => origin.free)
const document = openapi(origins, told)
/** A quote is longest when the service sells on every network. */
const paidOn = networkNames.filter(name => !networks[name].testnet)
const quotes = new Quotes({
  origins,
  payTo: paidOn.map(name => ({ name, address: isEvm(name) ? payTo : payToSolana })),
  now: Date.now,
})
quotes.refresh({
  kinds: paidOn.map(name => ({
    network: networks[name].caip2,
    feePayer: isEvm(name) ? undefined : payToSolana,
  })),
  signers: [],
})
const each = operations.map(operation => [operation.path, operation] as const)
const eachEndpoint = [...operations, ...free].map(endpoint => [endpoint.path, endpoint] as const)
const described = (path: string) => document.paths[path]?.post ?? document.paths[path]?.get

/** The names of all fields, also of those within. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {} } = schema as { properties?: object }
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)]
}

describe('the catalog', () => {
  it.each(each)('of %s shows one price everywhere, and it is the one quoted', (path, operation) => {
    const quote = JSON.parse(Buffer.from(quotes.of(operation).header, 'base64').toString())
    expect(Number(quote.accepts[0].amount) / 1e6).toBe(Number(operation.price))
    expect(document.paths[path]?.post?.['x-payment-info']?.price).toMatchObject({ amount: operation.price })
    expect(priceList(origins, told).operations.find(({ url }) => url.endsWith(path))?.price_usdc).toBe(
      operation.price,
    )
    for (const text of [llms(origins, told), llmsFull(origins, told)])
      expect(text).toContain(`POST ${path} (${operation.price} USDC)`)
    expect(operationsTable(origins)).toContain(
      `| \`POST ${path}\` | ${operation.title} | ${operation.price} |`,
    )
  })

  it.each(eachEndpoint)('of %s has an example that its own schemas accept', (_, operation) => {
    expect(operation.request.safeParse(operation.example.request).error).toBeUndefined()
    expect(operation.response.safeParse(operation.example.response).error).toBeUndefined()
  })

  it.each(each)('of %s keeps within what catalogues and proxies take', (_, operation) => {
    expect(contractOf(operation).length).toBeLessThanOrEqual(450)
    expect(operation.tags.length).toBeLessThanOrEqual(5)
    const { header } = quotes.of(operation)
    expect(header.length).toBeLessThanOrEqual(6 * 1024)
    expect(JSON.parse(Buffer.from(header, 'base64').toString()).accepts).toHaveLength(paidOn.length)
    expect(Number(operation.price)).toBeGreaterThanOrEqual(0.001)
  })

  it.each(each)('of %s says how much of its answer must be there to be sold', (path, { sold, response }) => {
    expect(sold).toBeDefined()
    const sentence = sold === 'whole' ? 'Sold whole, or not at all.' : String(sold)
    expect(document.paths[path]?.post?.description).toContain(` ${sentence}`)
    // A field of such a name tells of something that may be missing.
    const ofMissing = /^(error|failed|refused|coverage|gaps|left_out|unread|web_note|probe_note)$/
    expect(
      sold === 'whole' ? namesIn(jsonSchema(response)).filter(name => ofMissing.test(name)) : [],
    ).toEqual([])
  })

  it.each(eachEndpoint)('of %s documents each refusal under its status', (path, operation) => {
    const responses: Record<string, object> = described(path)?.responses ?? {}
    const shared: Record<string, object> = document.components.responses
    for (const [code, { status, about }] of Object.entries(operation.refusals)) {
      const { $ref = '' } = responses[status] as { $ref?: string }
      const response = $ref ? shared[$ref.replace('#/components/responses/', '')] : responses[status]
      expect(response).toMatchObject({ description: expect.stringContaining(`\`${code}\`: ${about}`) })
    }
  })

  it.each(each)('of %s has schemas that JSON Schema readers can read back', (path, operation) => {
    const post = document.paths[path]?.post
    const request = z.fromJSONSchema(post?.requestBody?.content['application/json'].schema as never)
    expect(request.safeParse(operation.example.request).error).toBeUndefined()
    expect(request.safeParse({ ...(operation.example.request as object), surely_unknown: 1 }).success).toBe(
      false,
    )
  })

  it.each(eachEndpoint)(
    'of %s takes no field in an answer that its response does not declare',
    (_, { response }) => {
      const loose: string[] = []
      const read = (schema: unknown, at: string): void => {
        if (typeof schema !== 'object' || schema === null) return
        if ('properties' in schema && (schema as JsonObject).additionalProperties !== false) loose.push(at)
        for (const [key, inner] of Object.entries(schema)) read(inner, `${at}/${key}`)
      }
      read(jsonSchema(response, 'input'), '')
      expect(loose).toEqual([])
    },
  )

  it('is short in llms.txt, and whole in llms-full.txt', () => {
    const [short, full] = [llms(origins, told), llmsFull(origins, told)]
    expect(short.length).toBeLessThan(40_000)
    for (const { about, example } of [...operations, ...free]) {
      expect(full).toContain(about)
      expect(full).toContain(JSON.stringify(example.response))
    }
    for (const { name, url } of origins) expect(short).toContain(`(${url}/llms/${name}.txt)`)
  })

  it('says by which names an operation goes, in its page, in a receipt and over MCP', () => {
    const full = llmsFull(origins, told)
    expect(full).toContain('Names: `exchangeRate` in OpenAPI and receipts, `fx` over MCP')
    expect(full).toContain('Names: `attestVerify` in OpenAPI, `verify_attestation` over MCP')
    for (const { id, path, tool } of operations)
      expect(full).toContain(
        `Names: \`${id}\` in OpenAPI and receipts, \`${toolName({ path, tool })}\` over MCP`,
      )
    const { tool } = receipt.shape
    expect(jsonSchema(tool)).toMatchObject({
      description: expect.stringContaining('`operationId` in OpenAPI'),
    })
  })

  it('names the networks that it is paid on', () => {
    expect(llms(origins, told)).toContain('USDC (Base, Polygon or Solana)')
    expect(document.info['x-guidance']).toContain('USDC on Base, Polygon or Solana')
  })

  it('tells callers in every form how often they may ask', () => {
    const limit = /may make 240 requests a minute.*may cost 30 requests to upstreams a minute/
    expect(llms(origins, told)).toMatch(limit)
    expect(document.info['x-guidance']).toMatch(limit)
    expect(priceList(origins, told).limits).toMatch(limit)
  })

  it('has each path and each name once, over all origins', () => {
    const endpoints = [...operations, ...free]
    expect(new Set(endpoints.map(({ path }) => path)).size).toBe(endpoints.length)
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(endpoints.length)
  })

  it('names the operations as the interface does', () => {
    const ids: Record<string, string> = {
      '/fx': 'exchangeRate',
      '/airport/status': 'airportDelays',
      '/ip': 'ipLookup',
    }
    for (const [path, id] of Object.entries(ids)) expect(described(path)?.operationId).toBe(id)
  })

  it('is a page for browsers and a list for all other clients', async () => {
    const root = catalogPages(told).find(({ path }) => path === '/')
    const html = await root?.answer({
      accept: 'text/html,application/xhtml+xml',
      path: '/',
      query: {},
      origins,
    })
    expect(html?.type).toContain('text/html')
    expect(html?.body).toContain('<a href="https://db-ip.com">IP Geolocation by DB-IP</a>')
    const list = await root?.answer({ accept: '*/*', path: '/', query: {}, origins })
    expect(JSON.parse(String(list?.body)).operations).toHaveLength(operations.length)
  })

  it('mentions the ECB’s free rates before anyone pays for them', () => {
    const fx = operations.find(({ path }) => path === '/fx')
    const quote = JSON.parse(Buffer.from(fx ? quotes.of(fx).header : '', 'base64').toString())
    expect(quote.resource.description).toMatch(/available free of charge at https:\/\/www\.ecb\.europa\.eu/)
  })
})
