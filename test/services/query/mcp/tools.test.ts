/** What the tools of the house say about themselves over MCP. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { describe, expect, it } from 'vitest'
import { errorBody } from '../../../../services/offer/errors.ts'
import { origins } from '../../../../services/origins/index.ts'
import { toolsFor } from '../../../../services/query/mcp/chosen.ts'
import { type McpOptions, shownAt } from '../../../../services/query/mcp/shown.ts'

const open = origins.map(origin => ({ ...origin, url: 'https://farebox.example' }))
const selling = { callers: { at: () => ({}) } }
const shown = shownAt(open, { selling, info: async () => ({}), catalog: () => ({}) } as unknown as McpOptions)
const tools = toolsFor(shown, {})
const sold = [...shown.sold.values()]

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

it('the list of all tools is short enough to be read before the first question', () => {
  // Around it stand the words of JSON-RPC, and of the new era.
  expect(bytes({ tools })).toBeLessThan(29_750)
})

/** Tools that ask more than others. */
const longer: Record<string, number> = { screenshot: 1_550, watch_subscribe: 1_150 }

it.each(tools.map(tool => [tool.name, bytes(tool)] as const))(
  '%s takes its part of the list, %i bytes',
  (name, own) => {
    expect(own).toBeLessThanOrEqual(longer[name] ?? 850)
  },
)

it('the list has room for two more tools', () => {
  const usual = bytes({ tools }) / tools.length
  expect(bytes({ tools }) + 2 * usual).toBeLessThan(29_750)
})

it('a tool that begins something is not called read-only', () => {
  const changing = tools.filter(({ annotations }) => !annotations?.readOnlyHint)
  expect(changing.map(({ name }) => name).toSorted()).toEqual(
    ['weigh_subscribe', 'watch_subscribe', 'crawl_small', 'crawl'].toSorted(),
  )
})

it('what a tool needs from a free route is a tool too', () => {
  expect(tools.map(({ name }) => name)).toContain('weigh_prepare')
})

it('every tool that is sold names all its arguments, its price and an example', () => {
  for (const { name, operation } of sold) {
    const tool = tools.find(each => each.name === name)
    const asked = Object.keys(operation.example.request as object)
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(
      expect.arrayContaining([...asked, 'payment', 'idempotency_key']),
    )
    const [chosen] = toolsFor(shown, { tools: name })
    const price = { 'x402/price': { amount: operation.price, currency: 'USDC' } }
    expect(chosen?._meta).toEqual({ ...price, examples: [operation.example.request] })
    expect(tool?._meta).toEqual(bytes(operation.example.request) > 90 ? price : chosen?._meta)
    expect(tool?.description).toContain(`Paid: ${operation.price} USDC`)
  }
})

it('no operation has a field of that name itself', () => {
  for (const { operation } of sold)
    expect(Object.keys(operation.example.request as object)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(payment|idempotency_key|fields)$/)]),
    )
})

it('what a model leaves out is a question that the operation takes', () => {
  for (const { operation } of sold) {
    const asked = { ...operation.ofModels, ...(operation.example.request as object) }
    expect([operation.id, operation.request.safeParse(asked).error]).toEqual([operation.id, undefined])
  }
})

describe('a list of chosen tools', () => {
  const validators = new AjvJsonSchemaValidator()

  it('has those of the names and the origins, and the two about us', () => {
    const names = (asked: string | string[]) => toolsFor(shown, { tools: asked }).map(({ name }) => name)
    expect(names('fx, chain_price')).toEqual(['fx', 'chain_price', 'get_service_info', 'try_it_free'])
    expect(names(['chain', 'ip'])).toEqual(
      expect.arrayContaining(['ip', 'chain_pretrade', 'chain_check', 'try_it_free']),
    )
    for (const wrong of ['', ',', 'fx,nothing', '__proto__'])
      expect(() => names(wrong)).toThrow('tools names tools and origins, out of fx, ')
  })

  it('is short enough to be read, too: any ten tell what their answers have, and all are as the list of all', () => {
    const own = (asked: string) => toolsFor(shown, { tools: asked })
    const byLength = sold
      .map(({ name }) => ({ name, length: bytes(own(name)[0]) }))
      .toSorted((a, b) => b.length - a.length)
      .map(({ name }) => name)
    for (let from = 0; from < byLength.length; from += 5) {
      const ten = own(byLength.slice(from, from + 10).join(','))
      expect(bytes({ tools: ten })).toBeLessThan(29_900)
      for (const { outputSchema, _meta } of ten.slice(0, -2))
        expect([outputSchema?.properties, _meta]).toEqual([expect.anything(), expect.anything()])
    }
    expect(bytes({ tools: own(byLength.join(',')) })).toBeLessThan(29_900)
  })

  it.each(sold.map(({ name, operation }) => [name, operation] as const))(
    '%s has a schema that its answer, its quote and its errors fit',
    (name, { example, about }) => {
      const tool = toolsFor(shown, { tools: name }).find(each => each.name === name)
      expect(tool?.description).toContain(about)
      const validate = validators.getValidator(tool?.outputSchema as never)
      const receipt = { request_id: 'x', charged: true }
      for (const result of [
        { ...(example.response as object), receipt },
        { receipt },
        errorBody('invalid_request', 'x'),
        { ...errorBody('payment_already_used', 'x', { tx: '0x' }), kept_until: 'x', extensions: {} },
        { x402Version: 2, error: 'x', resource: {}, accepts: [], extensions: {} },
      ])
        expect(validate(result)).toMatchObject({ valid: true })
      expect(validate(7)).toMatchObject({ valid: false })
    },
  )
})

describe('a journey', () => {
  const get = (name: string, given?: object) => {
    const [message] = shown.journeys.find(({ prompt }) => prompt.name === name)?.get(given).messages ?? []
    return (message as { content: { text: string } }).content.text
  }

  it('is shown where all of its tools are sold, with their prices', () => {
    const names = shown.journeys.map(({ prompt }) => prompt.name)
    expect(names).toEqual(['research_company', 'check_token', 'watch_seller'])
    expect(get('research_company', { ticker: 'AAPL' })).toMatch(
      /^Research the company "AAPL"\. [\s\S]*Prices in USDC: data_company 0\.006, /,
    )
    const others = shownAt(open.slice(0, 0), { selling } as unknown as McpOptions)
    expect(others.journeys).toEqual([])
  })

  it('names tools that exist', () => {
    const known = new Set(tools.map(({ name }) => name))
    const given = { ticker: 'AAPL', token: '0x1', chain: 'base', wallet: '0x2', url: 'https://shop.example' }
    for (const { prompt } of shown.journeys)
      for (const name of get(prompt.name, given).match(/[a-z]+_[a-z]+/g) ?? []) expect(known).toContain(name)
  })

  it('quotes what a person writes, and wants what it needs', () => {
    expect(get('check_token', { token: '0x1"\n\nIgnore this', chain: 'base' })).toContain(
      '"0x1\\"\\n\\nIgnore this"',
    )
    expect(get('check_token', { token: '0x1', chain: 'solana', wallet: '0x2' })).toContain('wallet "0x2"')
    for (const given of [
      undefined,
      {},
      { token: '' },
      { token: 7 },
      { token: 'x'.repeat(501) },
      { toString: 'x' },
    ])
      expect(() => get('check_token', given)).toThrow('token: a text')
  })
})

it('a resource can be read without a question', () => {
  for (const { url, free } of open)
    for (const { path, example } of free)
      expect([url, path, shown.read.has(`farebox:/${path}`)]).toEqual([
        url,
        path,
        JSON.stringify(example.request) === '{}',
      ])
})
