/** A module behind an operation: it answers, it refuses, and whatever it does, it ends nothing but its own process. */

import { fork } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { failureOf, opened } from './asking.ts'
import { faultsOf, read, shown } from './reading.ts'

const place = (name: string) =>
  fileURLToPath(new URL(`../../../services/sell/examples/${name}`, import.meta.url))

interface Written {
  from?: string
  more?: string
  set?: Record<string, string>
  store?: () => Promise<never>
}

/** An operation of a module with this text. `q` of its question says what it does. */
async function moduleOf(text: string, { from = '', more = '', set = {}, store }: Written = {}) {
  const file = join(scratchFolder(), 'tide.ts')
  writeFileSync(file, `import { defineOperation } from 'farebox'\n${text}`)
  const said: string[] = []
  const tide = await opened(fileOf(from, more), set, {
    files: { './tide.ts': file },
    tell: line => said.push(line),
    ...(store && { store }),
  })
  const ask = (q: string) => tide.ask({ q })
  return {
    ask,
    asked: (question: unknown) => tide.ask(question),
    said,
    failed: (q: string) => failureOf(ask(q)),
    /** On a busy machine a fresh process may take longer to start than a caller waits. */
    async next(q: string) {
      let answer: { answer: unknown } | undefined
      await until(
        async () => {
          answer = await ask(q).catch(() => undefined)
          return answer !== undefined
        },
        'a fresh process',
        60_000,
      )
      return answer
    },
  }
}

const fileOf = (from = '', more = '') => `origin: tides
title: Tide tables
operations:
  /tide:
    title: A tide
    price: 0.003
    question: { q: { type: string } }
    from: { module: ./tide.ts${from && `, ${from}`} }
    example: { question: { q: a } }
${more && `    ${more}\n`}`

const answering = (body: string) =>
  `export default defineOperation({ async answer({ q }, tools) { ${body} } })`

describe('a module', () => {
  it('is sold as the example says', async () => {
    const { faults } = read(
      readFileSync(place('sunrise.yaml'), 'utf8'),
      {},
      { './sunrise.ts': place('sunrise.ts') },
    )
    expect(faults.map(shown)).toEqual([])
    const day = await opened(
      readFileSync(place('sunrise.yaml'), 'utf8'),
      {},
      {
        files: { './sunrise.ts': place('sunrise.ts') },
      },
    )
    const question = { latitude: 52.4, day: '2026-06-21' }
    expect(await day.ask(question, '/day/length')).toMatchObject({ answer: { hours: 16.57 } })
    const north = { latitude: 89, day: '2026-06-21' }
    expect(await failureOf(day.ask(north, '/day/length'))).toMatch(/^no_sunrise: The sun does not rise/)
    expect(await day.ask({ items: [question, north] }, '/day/length/batch')).toMatchObject({
      answered: 1,
      refused: 1,
    })
  })

  it('gets the variables that the file names, and no other', async () => {
    const { ask } = await moduleOf(answering('return [tools.env, Object.keys(process.env)]'), {
      from: 'variables: [TIDES_KEY]',
      set: { TIDES_KEY: 'short', TIDES_OTHER: 'x' },
    })
    const { answer } = await ask('a')
    expect(answer[0]).toEqual({ TIDES_KEY: 'short' })
    expect(answer[1]).not.toContain('TIDES_OTHER')
    expect(answer[1]).not.toContain('HOME')
  })

  it.each<[string, string, string]>([
    ['ends its process', 'process.exit(0)', 'its process ended'],
    ['takes all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(q))', 'more than 128 MB'],
    [
      'takes all memory in buffers',
      'const all = []; for (;;) { all.push(Buffer.alloc(1e7, 1)); await new Promise(r => setTimeout(r, 5)) }',
      'more than 128 MB',
    ],
  ])('that %s is free, and the next question is answered', async (_, body, why) => {
    const { next, failed } = await moduleOf(answering(`if (q === 'a') return 1;\n${body}`), {
      from: 'within: 20s',
    })
    expect(await failed('bad')).toMatch(new RegExp(`^UpstreamFailed: tidesTide: .*${why}`))
    expect(await next('a')).toMatchObject({ answer: 1 })
  })

  /** What it does, and why it is free. They are asked of one process, so each has to leave it well. */
  const odd: Record<string, [answer: string, why: string]> = {
    'an error': ["throw new Error('no')", 'it threw an error'],
    nothing: ['return undefined', 'it answered nothing'],
    'too much': ["return 'x'.repeat(2e6)", 'more than 1048576 letters'],
    'a code of its own': ["tools.refuse('other')", 'a code that the file does not name'],
    'a secret': ['return tools.env', 'the answer repeats a secret'],
    'a program': [
      "(await import('node:child_process')).execSync('kill -9 ' + process.pid)",
      'it threw an error',
    ],
    'a signal to the seller': ['process.kill(process.ppid)', 'it threw an error'],
    'a file of its own': [
      `(await import('node:fs')).writeFileSync('${join(tmpdir(), 'never')}', 'x')`,
      'it threw an error',
    ],
    'the environment of the seller': [
      "return (await import('node:fs')).readFileSync('/proc/' + process.ppid + '/environ', 'latin1')",
      'it threw an error',
    ],
    'a thread': ["await import('node:worker_threads')", 'it threw an error'],
    'a thread in another way': ["process.getBuiltinModule('worker_threads')", 'it threw an error'],
    'a cycle': ['const a = {}; a.a = a; return a', 'it threw an error'],
    'a BigInt': ['return { n: 1n }', 'it threw an error'],
    'a symbol': ["return Symbol('a')", 'it answered nothing'],
    'a function': ['return () => 1', 'it answered nothing'],
    'a field that throws': ["return { get a() { throw new Error('no') } }", 'it threw an error'],
    'a toJSON that throws': ["return { toJSON() { throw new Error('no') } }", 'it threw an error'],
    'a promise that fails': ["return Promise.reject('no')", 'it threw an error'],
    'a thenable that fails': ["return { then(_, fail) { fail('no') } }", 'it threw an error'],
    'nothing, thrown': ['throw undefined', 'it threw an error'],
    'a refusal by a name of every object': [
      "tools.refuse('constructor')",
      'a code that the file does not name',
    ],
    'a refusal that is no text': [
      "tools.refuse({ toString: () => 'a' })",
      'a code that the file does not name',
    ],
    'a field twice, by its own JSON': [
      "return { toJSON: () => JSON.rawJSON('1e999') }",
      'no JSON that can be read',
    ],
    'nests without an end': [
      'let a = 1; for (let i = 0; i < 500; i++) a = [a]; return a',
      'no JSON that can be read',
    ],
    'a prototype': ['return JSON.parse(\'{"__proto__": {"a": 1}}\')', 'no JSON that can be read'],
  }
  const even: Record<string, [answer: string, sold: unknown]> = {
    'a thenable': ['return { then(done) { done(7) } }', 7],
    'a page': ["return '<script>alert(1)</script>'", '<script>alert(1)</script>'],
    bytes: ["return Buffer.from('<h1>')", { type: 'Buffer', data: [60, 104, 49, 62] }],
    'what every object has from now on': [
      "for (const name of ['broke', 'refused', 'load', 'served', 'json']) Object.prototype[name] = 'x'; return [q]",
      ['what every object has from now on'],
    ],
  }

  it('that does what it may not, or answers with what is no JSON, is free; what is some is data, whatever it is', async () => {
    const ways = Object.entries({ ...odd, ...even })
    const { ask, failed } = await moduleOf(
      answering(ways.map(([name, [body]]) => `if (q === ${JSON.stringify(name)}) { ${body} }`).join('\n')),
      { from: 'variables: [TIDES_KEY]', set: { TIDES_KEY: 'a-key-of-the-tides' } },
    )
    for (const [name, [, why]] of Object.entries(odd))
      expect([name, await failed(name)]).toEqual([
        name,
        expect.stringMatching(new RegExp(`^UpstreamFailed: tidesTide: .*${why}`)),
      ])
    for (const [name, [, sold]] of Object.entries(even))
      expect([name, (await ask(name)).answer]).toEqual([name, sold])
    // Every object of its process has these names now, and none of the seller's.
    expect((await ask('bytes')).answer).toEqual(even.bytes?.[1])
    expect(await failed('a cycle')).toMatch('it threw an error')
    expect(Object.keys(Object.prototype)).toEqual([])
  })

  it('that writes to the seller by itself is free, and the next question is answered', async () => {
    const { next, failed } = await moduleOf(
      answering(`if (q === 'well') return 1
        const { writeSync } = await import('node:fs')
        const { serialize } = await import('node:v8')
        const bytes = q === 'noise' ? Buffer.from('noise') : serialize({ result: q === 'number' ? 5 : { json: 5 } })
        const size = Buffer.alloc(4)
        size.writeUInt32BE(bytes.length)
        for (const fd of [3, 4]) try { writeSync(fd, Buffer.concat([size, bytes])) } catch {}
        await new Promise(() => {})`),
      { from: 'within: 20s' },
    )
    for (const way of ['number', 'object', 'noise']) {
      expect([way, await failed(way)]).toEqual([way, expect.stringMatching(/^UpstreamFailed: tidesTide: /)])
      expect(await next('well')).toMatchObject({ answer: 1 })
    }
  })

  it('gets the words of a question as they are, and no more', async () => {
    const { ask, asked } = await moduleOf(answering('return q'))
    for (const q of [
      '..',
      '%2e%2e%2f',
      'a\r\nhost: evil',
      '__proto__',
      '${TIDES_KEY}',
      '{q}',
      '\0',
      '\u2028',
      "'; --",
    ])
      expect((await ask(q)).answer).toBe(q)
    for (const question of [
      { q: 'a', load: true },
      { q: 'a', env: {} },
      { q: ['a'] },
      { q: '\ud800' },
      JSON.parse('{"q":"a","__proto__":{"load":true}}'),
      { q: 'a'.repeat(1_001) },
    ])
      expect(await failureOf(asked(question))).toMatch(/^invalid_request/)
  })

  it('that hangs is killed and replaced, and others are answered meanwhile', async () => {
    const { next, failed } = await moduleOf(answering("if (q === 'hang') for (;;); return process.pid"), {
      from: 'within: 1s',
    })
    const hanging = [failed('hang'), failed('hang')]
    const other = await next('a')
    expect(await Promise.all(hanging)).toEqual(Array(2).fill(expect.stringMatching(/longer than [16]000 ms/)))
    expect(other?.answer).toEqual(expect.any(Number))
    expect((await next('b'))?.answer).toEqual(expect.any(Number))
  })

  it('has what it prints in the log, marked, in single lines and not without end', async () => {
    const { ask, said } = await moduleOf(
      answering(
        "console.log('a\\u001b[31m b\\nINFO paid'); for (let i = 0; i < 500; i++) console.error('line', i); return 1",
      ),
    )
    await ask('a')
    await until(() => said.length >= 121, 'the lines')
    expect(said.slice(0, 2)).toEqual([
      'the module of tidesTide says: a [31m b',
      'the module of tidesTide says: INFO paid',
    ])
    expect(said.at(-1)).toBe('the module of tidesTide says too much: the rest of a minute is left out')
    expect(said.length).toBe(121)
  })

  it('keeps a value for a while', async () => {
    const { ask } = await moduleOf(`let n = 0\n${answering("return tools.once('n', 60_000, () => ++n)")}`)
    expect([(await ask('a')).answer, (await ask('b')).answer]).toEqual([1, 1])
  })

  it('reads views of facts through the seller', async () => {
    const asked: unknown[] = []
    const sold = async (sql: string, params: object) => {
      asked.push([sql, params])
      return sql.startsWith('explain') ? 'SelectWithUnionQuery' : '{"n":1}\n{"n":2}\n'
    }
    const { ask } = await moduleOf(answering("return tools.view('select {q:String} as n', { q })"), {
      store: async () => ({ sold }) as never,
    })
    expect(await ask('a')).toMatchObject({ answer: [{ n: 1 }, { n: 2 }] })
    await ask('b')
    expect(asked.map(each => (each as [string])[0])).toEqual([
      'explain ast select {q:String} as n',
      'select {q:String} as n',
      'select {q:String} as n',
    ])
  })
})

it('that hangs ends with its seller, also one that is killed', async () => {
  const file = join(scratchFolder(), 'tide.ts')
  writeFileSync(
    file,
    'export default { async answer() { console.log(process.pid); await new Promise(done => setTimeout(done, 50)); for (;;); } }',
  )
  const seller = fork(fileURLToPath(new URL('./hanging-seller.ts', import.meta.url)), [file], {
    stdio: 'pipe',
  })
  let said = ''
  seller.stdout?.on('data', text => (said += text))
  await until(() => /says: \d+/.test(said), 'the module')
  const pid = Number(/says: (\d+)/.exec(said)?.[1])
  const lives = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  expect(lives()).toBe(true)
  seller.kill('SIGKILL')
  await until(() => !lives(), 'its end')
})

describe('the fetch of a module', () => {
  it('reaches no address that is not public, unless the file names it', async () => {
    const server = createServer((request, response) =>
      request.url === '/away'
        ? response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()
        : response.end('"there"'),
    )
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const body = answering('return await (await fetch(q)).json().catch(() => null)')
    const closed = await moduleOf(body)
    for (const each of [
      url,
      'http://localhost/',
      'http://169.254.169.254/',
      'http://[::1]/',
      'http://0x7f.1/',
      'file:///etc/passwd',
    ])
      expect(await closed.failed(each)).toMatch('it threw an error')
    const named = await moduleOf(body, { from: `hosts: ['${url}']` })
    expect(await named.ask(url)).toMatchObject({ answer: 'there' })
    expect(await named.failed(`${url}/away`)).toMatch('it threw an error')
  })
})

describe('a wrong module', () => {
  it.each([
    ['syntax', 'export default {', 'it cannot be loaded'],
    ['no operation', 'export const a = 1', 'it should export defineOperation'],
    [
      'another module',
      "import 'none'\nexport default defineOperation({ answer: () => 1 })",
      'it cannot be loaded',
    ],
  ])('stops the start: %s', async (_, text, message) => {
    await expect(moduleOf(text)).rejects.toThrow(message)
  })

  it('has its line where the file is wrong', () => {
    expect(faultsOf(fileOf())).toEqual([expect.stringMatching(/^8:21 .*there is no \.\/tide\.ts/)])
    const files = { './tide.ts': '/tide.ts' }
    const said = (from: string, more = '') => read(fileOf(from, more), {}, files).faults.map(shown).join()
    expect(said('hosts: [https://a/b]')).toContain('and nothing behind it')
    expect(said('memory: 2MB')).toContain('a size from 32MB')
    expect(said('variables: [OTHER]')).toContain('is not for this file')
    expect(said('', 'refuse: { 404: gone }')).toContain('by the codes themselves')
  })
})
