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
  return { ask, said, failed: (q: string) => failureOf(ask(q)) }
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
    ['throws', 'throw new Error("no")', 'it threw an error'],
    ['answers nothing', 'return undefined', 'it answered nothing'],
    ['answers too much', "return 'x'.repeat(2e6)", 'more than 1048576 letters'],
    ['refuses with a code of its own', "tools.refuse('other')", 'a code that the file does not name'],
    ['ends its process', 'process.exit(0)', 'its process ended'],
    [
      'kills its process',
      "(await import('node:child_process')).execSync('kill -9 ' + process.pid)",
      'it threw an error',
    ],
    ['kills the seller', 'process.kill(process.ppid)', 'it threw an error'],
    ['takes all memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(q))', 'more than 128 MB'],
    [
      'takes all memory in buffers',
      'const all = []; for (;;) { all.push(Buffer.alloc(1e7, 1)); await new Promise(r => setTimeout(r, 5)) }',
      'more than 128 MB',
    ],
    [
      'writes a file',
      `(await import('node:fs')).writeFileSync('${join(tmpdir(), 'never')}', 'x')`,
      'it threw an error',
    ],
    [
      'reads the environment of the seller',
      "return (await import('node:fs')).readFileSync('/proc/' + process.ppid + '/environ', 'latin1')",
      'it threw an error',
    ],
    ['starts a thread', "await import('node:worker_threads')", 'it threw an error'],
    ['starts a thread in another way', "process.getBuiltinModule('worker_threads')", 'it threw an error'],
    ['answers a secret', 'return tools.env', 'the answer repeats a secret'],
  ])('that %s is free, and the next question is answered', async (_, body, why) => {
    const { ask, failed } = await moduleOf(answering(`if (q === 'a') return 1;\n${body}`), {
      from: 'variables: [TIDES_KEY]',
      set: { TIDES_KEY: 'a-key-of-the-tides' },
    })
    expect(await failed('bad')).toMatch(new RegExp(`^UpstreamFailed: tidesTide: .*${why}`))
    expect(await ask('a')).toMatchObject({ answer: 1 })
  })

  it('that hangs is killed and replaced, and others are answered meanwhile', async () => {
    const { ask, failed } = await moduleOf(answering("if (q === 'hang') for (;;); return process.pid"), {
      from: 'within: 1s',
    })
    const hanging = [failed('hang'), failed('hang')]
    const { answer } = await ask('a')
    expect(await Promise.all(hanging)).toEqual(
      Array(2).fill(expect.stringContaining('it takes longer than 1000 ms')),
    )
    expect((await ask('b')).answer).toEqual(expect.any(Number))
    expect(answer).toEqual(expect.any(Number))
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
