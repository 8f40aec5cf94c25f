/** An operation that asks an HTTP API: what is sold, what is free, and that one slow upstream holds up nobody else. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asCaller } from '../../../pipelines/rails/children/caller.ts'
import { until } from '../../until.ts'
import { startUpstream } from '../../upstream.ts'
import { failureOf, opened } from './asking.ts'
import { fileOf, read } from './reading.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const json =
  (body: string, status = 200): Answer =>
  (_, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)

const open = async (
  answer: Answer,
  file: Parameters<typeof fileOf>[0] = {},
  set: Record<string, string> = {},
  now?: () => number,
) => {
  const upstream = await startUpstream(answer)
  const tide = await opened(
    fileOf({ http: `${upstream.url}/v2/{station}`, ...file }),
    set,
    now ? { now } : {},
  )
  return { asked: upstream.asked, text: tide.asked, ask: tide.ask }
}

const station = { station: '9414290' }
const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of request) text += part
  return text
}

describe('an answer', () => {
  it('is what came back, with each number as it was written', async () => {
    const { text } = await open(json(' {"height": 1.10, "id": 12345678901234567890} '))
    expect(await text(station)).toMatch(
      /^\{"answer":\{"height": 1\.10, "id": 12345678901234567890\},"fetched_at":"[\dTZ:.-]+"\}$/,
    )
  })

  it('is no null, unless the file says what comes back', async () => {
    const { ask } = await open(json('null'))
    expect(await failureOf(ask(station))).toMatch(/^UpstreamFailed: .*, null, does not fit/)
    for (const answer of ['{}', '{ type: "null" }']) {
      const declared = await open(json('null'), { more: `answer: ${answer}` })
      expect(await declared.ask(station)).toMatchObject({ answer: null })
    }
  })

  it('is a text, or bytes in base64', async () => {
    const send: Answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html; charset=x' }).end('<b>')
    const text = await open(send, { from: 'gives: text' })
    expect(await text.ask(station)).toMatchObject({ answer: '<b>', media_type: 'text/html' })
    const bytes = await open(send, { from: 'gives: bytes' })
    expect(await bytes.ask(station)).toMatchObject({ answer: 'PGI+', media_type: 'text/html' })
  })

  it('is what comes after the early hints of its upstream', async () => {
    const { ask } = await open((request, response) => {
      response.writeEarlyHints({ link: '</style.css>; rel=preload' })
      json('"after"')(request, response)
    })
    expect(await ask(station)).toMatchObject({ answer: 'after' })
  })

  it('has the first of two media types', async () => {
    const { ask } = await open(
      (_, response) => response.setHeader('content-type', ['text/html', 'text/plain']).end('<b>'),
      { from: 'gives: text' },
    )
    expect(await ask(station)).toMatchObject({ answer: '<b>', media_type: 'text/html' })
  })

  it('carries the names, values and secrets that the file says, and nothing else', async () => {
    let heard: unknown
    const { ask } = await open(
      async (request, response) => {
        const { method, url, headers } = request
        heard = {
          method,
          url,
          key: headers['x-key'],
          type: headers['content-type'],
          body: JSON.parse(await bodyOf(request)),
        }
        json('{}')(request, response)
      },
      {
        question:
          '{ station: { type: string }, days: { type: integer }, wind: { type: array, items: { type: number } } }',
        from: "query: { 'key': '${TIDES_KEY}' }, headers: { x-key: 'of {days} ${TIDES_KEY}' }, body: { days: '{days}', of: { wind: '{wind}', text: 'in {days} days' } }",
        example: '{ question: { station: a, days: 1, wind: [] } }',
      },
      { TIDES_KEY: 'a/secret+key' },
    )
    await ask({ station: 'é b', days: 3, wind: [1.5, 2] })
    expect(heard).toEqual({
      method: 'POST',
      url: '/v2/%C3%A9%20b?key=a%2Fsecret%2Bkey',
      key: 'of 3 a/secret+key',
      type: 'application/json',
      body: { days: 3, of: { wind: [1.5, 2], text: 'in 3 days' } },
    })
  })

  it('is sold again while it is kept, by the same question only', async () => {
    let now = Date.now()
    const { ask, asked } = await open(json('1'), { more: 'keep: 10s' }, {}, () => now)
    const first = await ask(station)
    now += 9_000
    expect(await ask(station)).toEqual(first)
    await ask({ station: 'other' })
    expect(asked).toHaveLength(2)
    now += 2_000
    expect((await ask(station)).fetched_at).not.toBe(first.fetched_at)
    expect(asked).toHaveLength(3)
  })
})

describe('it is free', () => {
  it('where the upstream refuses as the file declares, by that code', async () => {
    const { ask } = await open(json('{}', 404), { more: 'refuse: { 404: unknown_station }' })
    expect(await failureOf(ask(station))).toBe('unknown_station: Unknown station')
  })

  it.each<[string, Answer, Parameters<typeof fileOf>[0]?]>([
    ['refuses in another way', json('{}', 403), { more: 'refuse: { 404: unknown_station }' }],
    ['fails', json('{}', 500)],
    ['redirects', (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['sends a part of it', json('[1,2]', 206)],
    ['sends no JSON', json('<html>')],
    ['sends JSON that readers read in two ways', json('{"a":1,"a":2}')],
    ['sends nothing', json('', 204)],
    ['sends nothing, sold as text', json('', 204), { from: 'gives: text' }],
    ['sends nothing, sold as bytes', json(''), { from: 'gives: bytes' }],
    ['sends bytes that are no UTF-8', (_, response) => response.end(Buffer.from([0x22, 0xff, 0x22]))],
    ['sends too much', json(`"${'x'.repeat(2_000)}"`), { from: 'most: 1KB' }],
    [
      'sends too much, packed',
      (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(`"${'x'.repeat(100_000)}"`)),
      { from: 'most: 1KB' },
    ],
    [
      'says twice that it is packed',
      (_, response) => response.setHeader('content-encoding', ['gzip', 'gzip']).end(gzipSync('1')),
    ],
    [
      'sends it byte by byte',
      (_, response) => {
        response.flushHeaders()
        response.socket?.write(`1\r\n"\r\n${'1\r\nx\r\n'.repeat(200_000)}1\r\n"\r\n0\r\n\r\n`)
      },
    ],
    [
      'gives hints and hints before it',
      (request, response) => {
        response.socket?.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(200))
        json('1')(request, response)
      },
    ],
    ['hangs up', request => request.socket.destroy()],
    ['says nothing', () => {}, { from: 'within: 100ms' }],
    ['never ends', (_, response) => void response.write('"'), { from: 'within: 100ms' }],
    ['sends something else than the file says', json('[1]'), { more: 'answer: { type: object }' }],
  ])('where the upstream %s', async (_, answer, file = {}) => {
    const { ask } = await open(answer, file)
    expect(await failureOf(ask(station))).toMatch(/^UpstreamFailed: tidesTide/)
  })
})

it.each<[string, Answer, Parameters<typeof fileOf>[0]?]>([
  ['refuses in another way', json('{}', 403)],
  ['breaks at it', json('{}', 500)],
  ['sends no JSON', json('<html>')],
  ['sends too much', json(`"${'x'.repeat(2_000)}"`), { from: 'most: 1KB' }],
])(
  'where the upstream %s, it counts as a refusal: a payer chooses the question',
  async (_, answer, file = {}) => {
    const { ask } = await open(answer, file)
    await expect(ask(station)).rejects.toMatchObject({ asks: 1 })
  },
)

describe('a redirect', () => {
  it('is followed where the file names its host, without the secrets', async () => {
    const heard: unknown[] = []
    const target = await startUpstream((request, response) => {
      heard.push(request.headers['x-key'])
      json('"there"')(request, response)
    })
    const { ask } = await open(
      (_, response) => response.writeHead(302, { location: `${target.url}/there` }).end(),
      { from: `headers: { x-key: '\${TIDES_KEY}' }, follow: ['${target.url}']` },
      { TIDES_KEY: 'a-secret-key' },
    )
    expect(await ask(station)).toMatchObject({ answer: 'there' })
    expect(heard).toEqual([undefined])
  })
})

describe('an upstream that is slow', () => {
  it('with what nobody wants keeps no connection', async () => {
    let isOver = false
    const { ask } = await open((_, response) => {
      response.writeHead(404).write(' ')
      const dripping = setInterval(() => response.write(' '), 100)
      response.on('close', () => {
        clearInterval(dripping)
        isOver = true
      })
    })
    expect(await failureOf(ask(station))).toMatch('answered 404')
    await until(() => isOver, 'the end of its connection')
  })

  it('has eight places and a short queue: one stays free for another caller, and what comes beyond fails at once', async () => {
    const held: ServerResponse[] = []
    const slow = await open((_, response) => void held.push(response), { from: 'within: 20s' })
    const fast = await open(json('1'))
    const of = (name: string, question: object) => asCaller(name, () => slow.ask(question))
    const waiting = Array.from({ length: 39 }, (_, i) => of('a crowd', { station: `s${i}` }))
    await until(() => held.length === 7, 'seven requests')
    expect(await failureOf(of('a crowd', station))).toMatch('too many requests wait')
    const other = of('another', station)
    await until(() => held.length === 8, 'that of another')
    expect(await fast.ask(station)).toMatchObject({ answer: 1 })
    let answered = 0
    for (const each of [...waiting, other]) each.then(() => answered++)
    await until(() => {
      for (const response of held.splice(0)) response.end('1')
      return answered === 40
    }, 'every answer')
  })

  it('that fails five times is left alone for a while', async () => {
    const { ask, asked } = await open(json('{}', 503), { from: 'body: {}' })
    for (let i = 0; i < 6; i++) await failureOf(ask(station))
    expect(await failureOf(ask(station))).toMatch('is failing')
    expect(asked).toHaveLength(5)
  })

  it('is shut for nobody else by the questions of one, however they fail', async () => {
    const { ask } = await open(
      (request, response) => {
        const { url } = request
        if (url?.includes('slow')) return
        if (url?.includes('cut')) request.socket.destroy()
        else json('1', url?.includes('bad') ? 503 : 200)(request, response)
      },
      { from: 'within: 300ms' },
    )
    const bad = ['slow', 'cut', 'bad'].flatMap(way => [1, 2, 3].map(nth => `${way}${nth}`))
    const stranger = (way: string) => asCaller('a stranger', () => failureOf(ask({ station: way })))
    await Promise.all(bad.map(stranger))
    expect(await stranger('bad4')).toMatch('is failing')
    expect(await asCaller('a payer', () => ask(station))).toMatchObject({ answer: 1 })
  })

  it('is not left alone for what one question does to it', async () => {
    const { ask } = await open((request, response) =>
      json('1', request.url?.endsWith('/bad') ? 500 : 200)(request, response),
    )
    for (let i = 0; i < 6; i++) expect(await failureOf(ask({ station: 'bad' }))).toMatch('answered 500')
    expect(await ask(station)).toMatchObject({ answer: 1 })
  })

  it('is not left alone for answers that are too large for it', async () => {
    const large = json(`"${'x'.repeat(2_000)}"`)
    const { ask, asked } = await open(
      (request, response) => (request.url?.endsWith('/bad') ? large : json('1'))(request, response),
      { from: 'most: 1KB' },
    )
    for (let i = 0; i < 6; i++)
      expect(await failureOf(ask({ station: 'bad' }))).toMatch('sent more than 1024 bytes')
    expect(asked).toHaveLength(6)
    expect(await ask(station)).toMatchObject({ answer: 1 })
  })

  it('is asked twice by a GET, and once by a POST', async () => {
    for (const [from, times] of [
      ['', 2],
      ['body: {}', 1],
    ] as const) {
      const { ask, asked } = await open(json('{}', 503), { from })
      await failureOf(ask(station))
      expect(asked).toHaveLength(times)
    }
  })
})

describe('a request', () => {
  const heardOf = async (file: Parameters<typeof fileOf>[0], question: object) => {
    let heard: unknown
    const { ask } = await open(async (request, response) => {
      const [body, { url, headers }] = [await bodyOf(request), request]
      heard = { url, unit: headers['x-unit'], ...(body && { body: JSON.parse(body) }) }
      json('1')(request, response)
    }, file)
    await ask(question)
    return heard
  }
  const lists = {
    question: '{ station: { type: string }, day: { type: array, items: { type: string } } }',
    from: "query: { 'day[]': '{day}', all: '{day}' }, joined: [all]",
    example: '{ question: { station: a, day: [b] } }',
  }

  it('has a list of the query as one name again and again, or joined', async () => {
    expect(await heardOf(lists, { station: 'a', day: ['b c', 'd&e=f'] })).toEqual({
      url: '/v2/a?day[]=b%20c&day[]=d%26e%3Df&all=b%20c,d%26e%3Df',
      unit: undefined,
    })
    await expect(heardOf(lists, { station: 'a', day: ['b,c'] })).rejects.toThrow('have a comma')
    await expect(heardOf(lists, { station: 'a', day: [] })).rejects.toThrow('at least one value')
  })

  it('leaves out what may be absent and is', async () => {
    const file = {
      question:
        '{ station: { type: string }, unit: { type: string, optional: true }, near: { type: number, optional: true } }',
      from: "query: { near: '{near}' }, headers: { x-unit: '{unit}' }, body: { unit: '{unit}', of: 1 }",
    }
    expect(await heardOf(file, { station: 'a' })).toEqual({ url: '/v2/a', unit: undefined, body: { of: 1 } })
    expect(await heardOf(file, { station: 'a', unit: 'm', near: 2 })).toEqual({
      url: '/v2/a?near=2',
      unit: 'm',
      body: { unit: 'm', of: 1 },
    })
  })
})

describe('a batch', () => {
  it('asks each question by itself, four at a time, and is free where none is answered', async () => {
    let [under, most] = [0, 0]
    const { ask } = await open(
      async (request, response) => {
        under += 1
        most = Math.max(most, under)
        await new Promise(resolve => setImmediate(resolve))
        under -= 1
        json('1', request.url === '/v2/none' ? 404 : 200)(request, response)
      },
      { more: 'refuse: { 404: unknown_station }\n    batch: 20' },
    )
    const items = ['none', ...Array.from({ length: 11 }, (_, i) => `s${i}`)].map(name => ({ station: name }))
    const { results, answered, refused } = await ask({ items }, '/tide/batch')
    expect([answered, refused, results[0].error]).toEqual([11, 1, 'unknown_station'])
    expect(most).toBeLessThanOrEqual(4)
    expect(await failureOf(ask({ items: items.slice(0, 1) }, '/tide/batch'))).toMatch('nothing_answered')
    const many = Array.from({ length: 21 }, () => station)
    expect(await failureOf(ask({ items: many }, '/tide/batch'))).toMatch('at most 20')
  })

  it('counts what an upstream gives to it that is not sold, as the operation does', async () => {
    const { ask } = await open(json('1', 403), { more: 'batch: 20' })
    const items = Array.from({ length: 5 }, (_, i) => ({ station: `s${i}` }))
    await expect(ask({ items }, '/tide/batch')).rejects.toMatchObject({ code: 'upstream_failed', asks: 5 })
  })

  it('does not count what an upstream fails by itself', async () => {
    const { ask } = await open(json('1', 503), { more: 'batch: 20' })
    await expect(ask({ items: [station] }, '/tide/batch')).rejects.toMatchObject({ asks: 0 })
  })

  it.each([
    ['batch: 20', '0.06'],
    ['batch: { most: 20, price: 0.04 }', '0.04'],
  ])('costs so many calls, or what the file says: %s', (more, price) => {
    const { origin, faults } = read(fileOf({ more }))
    expect(faults).toEqual([])
    expect(origin?.operations[1]).toMatchObject({ path: '/tide/batch', id: 'tidesTideBatch', price })
  })

  it.each([
    ['', [true, undefined]],
    ['verify: true\n    ', [undefined, undefined]],
  ])(
    'trusts nobody, and its operation whom it knows, unless the file says another word: %j',
    (word, trusts) => {
      const { origin } = read(fileOf({ more: `${word}batch: 20` }))
      expect(origin?.operations.map(each => each.trusts)).toEqual(trusts)
    },
  )

  it.each(['method: POST', 'body: { at: "{station}" }'])('trusts nobody with what is posted: %s', from => {
    const { origin } = read(fileOf({ from }))
    expect(origin?.operations.map(each => each.trusts)).toEqual([undefined])
  })
})
