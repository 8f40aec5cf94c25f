/** A payment with null at any of its places: a refusal that is free, over HTTP and over MCP, and no fault of ours. */
import { expect, it } from 'vitest'
import { paymentKey } from '../../../services/query/mcp/payment.ts'
import { solanaPayment, solanaTransaction } from '../../attacks/solana-payment.ts'
import { header, signed } from '../till/paying.ts'
import { message } from './mcp/message.ts'
import { openSelling } from './selling.ts'

type Path = readonly string[]

const placesOf = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? [path, ...Object.entries(value).flatMap(([name, part]) => placesOf(part, [...path, name]))]
    : [path]

function withNullAt(value: unknown, [name, ...rest]: Path): unknown {
  if (name === undefined) return null
  const whole = value as Record<string, unknown>
  return { ...whole, [name]: withNullAt(whole[name], rest) }
}

/** Nobody reads these, and a client may leave them out: with null there the payment is as good. */
const unread = [
  ...['resource.description', 'extensions', 'extensions.bazaar', 'extensions.bazaar.info'],
  ...['extensions.payment-identifier', 'extensions.payment-identifier.info'],
]

let made = 0
const echoed = () => ({
  resource: { url: 'http://127.0.0.1/echo', description: 'x' },
  extensions: { bazaar: { info: {} }, 'payment-identifier': { info: { id: `pay_${1e15 + made++}` } } },
})
const onBase = async () => ({ ...(await signed()), ...echoed() })
const onSolana = async () => ({ ...solanaPayment(solanaTransaction(`null ${made}`)), ...echoed() })
const payloads = (path: Path) => path.length === 0 || path[0] === 'payload'

const payments: [string, () => Promise<object>, (path: Path) => boolean][] = [
  ['Base', onBase, () => true],
  // Of a whole transaction on Solana nobody here can say whether it has landed: this shop has no node.
  ['Solana', onSolana, payloads],
]

it.each(payments)('on %s: each is a refusal that is free, and no fault of ours', async (_, make, isAsked) => {
  const { ask, facilitator, logged } = await openSelling({ freeCallsADay: 10 })
  const waysOf: ((payment: unknown) => Parameters<typeof ask>[0])[] = [
    payment => ({ headers: { 'payment-signature': header(payment) } }),
    payment => ({ path: '/mcp', body: JSON.stringify(message(1, 'echo', { payment })) }),
    payment => ({ path: '/mcp', body: JSON.stringify(message(1, 'echo', {}, { [paymentKey]: payment })) }),
  ]
  for (const path of placesOf(await make()).filter(isAsked))
    for (const [way, sent] of waysOf.entries()) {
      const answer = await ask(sent(withNullAt(await make(), path)))
      const text = (await answer.text()).replaceAll('\\', '')
      const isSold = unread.includes(path.join('.'))
      expect([path, way, answer.status >= 500, text.includes('our fault')]).toEqual([path, way, false, false])
      expect([path, way, text.includes('"charged":true')]).toEqual([path, way, isSold])
      expect([path, way, /Nothing was charged|"charged":false/.test(text)]).toEqual([path, way, !isSold])
    }
  expect(facilitator.moved.size).toBe(isAsked(['extensions']) ? unread.length * waysOf.length : 0)
  expect(logged.filter(line => /"level":[5-9]0/.test(line))).toEqual([])
})

it.each([{ extensions: null }, { payload: null }, { accepted: null, payload: null, extensions: null }])(
  '%j alone is refused, in the arguments and in _meta',
  async payment => {
    const { ask, facilitator } = await openSelling({ freeCallsADay: 10 })
    for (const sent of [message(1, 'echo', { payment }), message(1, 'echo', {}, { [paymentKey]: payment })]) {
      const text = await (await ask({ path: '/mcp', body: JSON.stringify(sent) })).text()
      expect(text).toContain('Not accepted, invalid_payment')
      expect(text).toContain('Nothing was charged.')
    }
    expect(facilitator.calls.verify).toBe(0)
  },
)
