/** A payer cannot have the gateway call anything but what the file says, and learns no secret of it. */
import { describe, expect, it } from 'vitest'
import { startUpstream } from '../../upstream.ts'
import { failureOf, opened } from './asking.ts'
import { fileOf } from './reading.ts'

const secret = 'a-key/of+the"tides'

async function open({ echo = false } = {}) {
  const heard: string[] = []
  const upstream = await startUpstream((request, response) => {
    heard.push(`${request.method} ${request.url} ${request.headers['x-station']}`)
    const told = { url: request.url, headers: request.headers }
    response.end(JSON.stringify(echo ? told : {}))
  })
  const tide = await opened(
    fileOf({
      http: `${upstream.url}/v2/{station}/now?key=\${TIDES_KEY}&at={at}`,
      question:
        '{ station: { type: string, maxLength: 200 }, at: { type: string, default: x }, note: { type: string, default: x }, depth: { type: number, default: 1 } }',
      from: "headers: { x-station: '{note}', x-depth: '{depth}' }",
    }),
    { TIDES_KEY: secret },
  )
  return { heard, ...tide }
}

const hostile = [
  ...[
    '..',
    '.',
    '...',
    '',
    '../admin',
    '..\\admin',
    'a/../../admin',
    '/',
    '//evil.example/',
    '\\\\evil.example',
  ],
  ...['%2e%2e', '%2f', '..%2fadmin', '%00', '%0d%0a', '..;', '..;/admin', ';a=b', 'a?b=c', 'a#b', '?', '#'],
  ...['a\r\nhost: evil', 'a\nb', '\0', '\u0085', '\u007f', '\t'],
]

describe('a value in the path', () => {
  it.each(hostile)('%j leaves it not: nothing is asked', async station => {
    const { ask, heard } = await open()
    expect(await failureOf(ask({ station }))).toMatch(/^invalid_request: station: it should be/)
    expect(heard).toEqual([])
  })

  it.each([
    '@evil.example',
    ':80',
    'evil.example',
    'a b',
    'é',
    '\u2025',
    '\uff0f',
    '~',
    '*',
    '&',
    '=',
    '+',
    "'",
    '__proto__',
    'constructor',
  ])('%j stays one part of it', async station => {
    const { ask, heard } = await open()
    await ask({ station })
    expect(heard[0]).toMatch(/^GET \/v2\/[^/?]+\/now\?key=[^&]+&at=x x$/)
    expect(decodeURIComponent(heard[0]?.split('/')[2] ?? '')).toBe(station)
  })

  it('half of a surrogate pair is refused', async () => {
    const { ask, heard } = await open()
    expect(await failureOf(ask({ station: '\ud800' }))).toMatch(/^invalid_request: station: half of/)
    expect(heard).toEqual([])
  })
})

describe('a value in the query', () => {
  it.each(['&key=mine', '#', '?', '%26', '\r\n', '+', '/../', '\0'])('%j stays one value', async at => {
    const { ask, heard } = await open()
    await ask({ station: 'a', at })
    const { searchParams } = new URL(`http://x${heard[0]?.split(' ')[1]}`)
    expect([...searchParams]).toEqual([
      ['key', secret],
      ['at', at],
    ])
  })
})

describe('a value in a header', () => {
  it.each(['a\r\nx-admin: 1', 'a\nb', '\r', '\0', ' a', 'a ', '', 'é', '\u0100'])(
    '%j begins no other',
    async note => {
      const { ask, heard } = await open()
      expect(await failureOf(ask({ station: 'a', note }))).toMatch(
        /^invalid_request: note: it should be of visible/,
      )
      expect(heard).toEqual([])
    },
  )
})

describe('a value in the body', () => {
  it.each([
    '","admin":true,"a":"',
    '{at}${TIDES_KEY}',
    'a\r\n\r\nPOST /admin HTTP/1.1',
    '__proto__',
    '\0',
    '\u2028',
    '..%2f..',
    '</script>',
  ])('%j stays one value', async at => {
    const heard: unknown[] = []
    const upstream = await startUpstream(async (request, response) => {
      let text = ''
      for await (const part of request) text += part
      heard.push([request.method, request.url, text])
      response.end('1')
    })
    const { ask } = await opened(
      fileOf({
        http: `${upstream.url}/v2`,
        question: '{ station: { type: string } }',
        from: "body: { alone: '{station}', in: ['{station}'], deep: { at: '{station}' }, key: '${TIDES_KEY}' }",
      }),
      { TIDES_KEY: secret },
    )
    await ask({ station: at })
    const body = JSON.stringify({ alone: at, in: [at], deep: { at }, key: secret })
    expect(heard).toEqual([['POST', '/v2', body]])
  })
})

describe('a number', () => {
  it.each([1e300, -1e16, Number.MAX_VALUE])('%j is too large', async depth => {
    const { ask, heard } = await open()
    expect(await failureOf(ask({ station: 'a', depth }))).toMatch(/^invalid_request: depth/)
    expect(heard).toEqual([])
  })
})

describe('a question', () => {
  it.each<[string, unknown]>([
    ['a field more', { station: 'a', url: 'http://evil.example' }],
    ['a prototype', JSON.parse('{"station":"a","__proto__":{"at":"b"}}')],
    ['an object for a text', { station: { toString: 'a' } }],
    ['a list for a text', { station: ['a'] }],
    ['a secret by its name', { station: '${TIDES_KEY}', at: 1 }],
  ])('with %s is refused', async (_, question) => {
    const { ask, heard } = await open()
    expect(await failureOf(ask(question))).toMatch(/^invalid_request/)
    expect(heard).toEqual([])
  })

  it('that names a variable or a field gets its own text, not the value', async () => {
    const { ask, heard } = await open()
    await ask({ station: '${TIDES_KEY}{at}' })
    expect(heard[0]).toMatch('/v2/%24%7BTIDES_KEY%7D%7Bat%7D/now')
  })
})

/** As templates escape what may be markup. */
const inHtml = (text: string, written: (code: number) => string): string =>
  text.replace(/[^\w]/g, sign => written(sign.charCodeAt(0)))

describe('a secret', () => {
  it('that the upstream repeats is not sold: the call is free', async () => {
    const { ask } = await open({ echo: true })
    expect(await failureOf(ask({ station: 'a' }))).toBe(
      'UpstreamFailed: tidesTide: the answer repeats a secret',
    )
  })

  it.each([
    ['in JSON', JSON.stringify({ a: secret }), 'gives: json'],
    [
      'in letters by their numbers',
      `"${[...secret].map(each => `\\u00${each.charCodeAt(0).toString(16)}`).join('')}"`,
      'gives: json',
    ],
    ['in base64', JSON.stringify(Buffer.from(secret).toString('base64')), 'gives: json'],
    ['in a URL', `"?key=${encodeURIComponent(secret)}"`, 'gives: json'],
    ['in a text', `key=${secret}`, 'gives: text'],
    ['in bytes', `\0${secret}`, 'gives: bytes'],
    ...[1, 2, 3].flatMap((before): [string, string, string][] => {
      const inside = Buffer.from(`${'x'.repeat(before)}${secret}:x`)
      return [
        [`in base64 behind ${before} others`, `"${inside.toString('base64')}"`, 'gives: json'],
        [`in the base64 of URLs behind ${before} others`, `"${inside.toString('base64url')}"`, 'gives: json'],
      ]
    }),
    ['in a URL, in small letters', `"?key=${encodeURIComponent(secret).toLowerCase()}"`, 'gives: json'],
    ['in a URL, as far as it must be', `?key=${encodeURI(secret)}`, 'gives: text'],
    ['in a URL in a URL', `?next=${encodeURIComponent(encodeURIComponent(secret))}`, 'gives: text'],
    ['in HTML', `<b>${inHtml(secret, each => `&#x${each.toString(16)};`)}</b>`, 'gives: text'],
    ['in HTML, by decimals', inHtml(secret, each => `&#${each};`), 'gives: text'],
    ['in hex', Buffer.from(secret).toString('hex').toUpperCase(), 'gives: text'],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ a: secret })), 'gives: json'],
    ['in JSON, as a text', JSON.stringify({ a: secret }).replaceAll('/', '\\/'), 'gives: text'],
  ])('is not sold %s', async (_, body, from) => {
    const upstream = await startUpstream((_request, response) => response.end(body))
    const { ask } = await opened(
      fileOf({ http: `${upstream.url}/{station}`, from: `${from}, headers: { x-key: '\${TIDES_KEY}' }` }),
      { TIDES_KEY: secret },
    )
    expect(await failureOf(ask({ station: 'a' }))).toMatch('repeats a secret')
  })

  it('is not sold as the media type', async () => {
    const upstream = await startUpstream((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/a-secret-word' }).end('x'),
    )
    const { ask } = await opened(
      fileOf({ http: `${upstream.url}/{station}?key=\${TIDES_KEY}`, from: 'gives: text' }),
      { TIDES_KEY: 'a-secret-word' },
    )
    expect(await failureOf(ask({ station: 'a' }))).toMatch('repeats a secret')
  })

  it('stands in no message of a failure', async () => {
    const upstream = await startUpstream(request => request.socket.destroy())
    const { ask } = await opened(
      fileOf({
        http: `${upstream.url}/\${TIDES_KEY}/{station}`,
        from: "headers: { x-key: '${TIDES_KEY}' }",
      }),
      { TIDES_KEY: secret },
    )
    expect(await failureOf(ask({ station: 'a' }))).toMatch(
      /^UpstreamFailed: tidesTide: cannot be reached \(\w+\)$/,
    )
  })
})
