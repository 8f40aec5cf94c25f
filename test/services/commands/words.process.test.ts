/** What every command says of itself, while nothing runs, and what it never repeats. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { Misused, packageFolder, withoutSecrets } from '../../../services/commands/command-line.ts'
import { scratchFolder } from '../../scratch.ts'
import { hex, mangled, secretVariables, shown } from '../client/mangled-secrets.ts'

const names = [
  ...[
    'start',
    'call',
    'sell',
    'refund',
    'doctor',
    'replay',
    'rejects',
    'backup',
    'restore',
    'export',
    'books',
    'log',
    'market',
    'query',
  ],
  ...['client', 'client:python', 'serve', 'canary'],
] as const
const programOf = (name: (typeof names)[number]) => {
  const [file = '', ...args] = manifest.scripts[name].split(' ').slice(3)
  return [resolve(file), ...args] as [string, ...string[]]
}

const secrets = [
  ...[`0x${hex}`, hex, `--key=${hex}`, `--0x${hex}`, hex.slice(0, 16)],
  '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw1uYbnGyLzLhJzP3xqZkXk6LbLk9bLTGJvQ3kQ8LrNnN7h',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  'abandon ability able about above absent absorb abstract absurd abuse access accident',
  `[${Array.from(hex, digit => digit.charCodeAt(0))}]`,
]

describe('a message', () => {
  it.each(secrets)('does not repeat %s', secret => {
    const value = secret.replace(/^-+(?:key=)?/, '')
    for (const words of [
      secret,
      `there is no view ${value}`,
      `Unknown option '${secret}'`,
      `'${value}' is unexpected`,
    ])
      expect(withoutSecrets(words, ['--view', secret])).not.toContain(value)
  })

  it.each([
    'shop/rates-of-today.yaml',
    'receipts_final',
    './data/backup-2026-11-28',
    'SELECT * FROM abc_of_everything',
  ])('repeats %s', word => expect(withoutSecrets(`there is no ${word}`, [word])).toBe(`there is no ${word}`))
})

it('a build removes no folder that is something else', () => {
  const folder = scratchFolder()
  const options = { usage: 'say a folder', usual: folder, mark: 'main.js' }
  expect(packageFolder([], options)).toBe(folder)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'thesis.txt'), 'years of work')
  expect(() => packageFolder([folder], options)).toThrow(Misused)
  for (const words of [['-h'], ['--to', 'x'], ['a', 'b']])
    expect(() => packageFolder(words, options)).toThrow(Misused)
  writeFileSync(join(folder, 'main.js'), '')
  expect(packageFolder([folder], options)).toBe(folder)
})

/** They are for who works on the project: they take no secret. */
const ofDevelopers = ['dev', 'docs', 'check']

it('every command answers by the same rules', () => {
  const all = Object.entries(manifest.scripts).flatMap(([name, text]) =>
    / services\/\S+\.ts/.test(text) && !ofDevelopers.includes(name) ? [name] : [],
  )
  expect(all.toSorted()).toEqual(names.toSorted())
  for (const name of names) {
    const text = readFileSync(programOf(name)[0], 'utf8')
    expect([name, /runCommand\(usage,|run\(\[first/.test(text)]).toEqual([name, true])
  }
})

/** Arguments with which a command goes on to read its variables. */
const plausible: Partial<Record<(typeof names)[number], string[]>> = {
  call: ['/fx', '{}'],
  sell: ['check', 'no-such-file.yaml'],
  refund: ['00000000-0000-0000-0000-000000000000'],
  replay: ['settlements'],
  backup: ['--to', 'somewhere'],
  restore: ['--from', 'nowhere'],
  books: ['check', '--from', '2026-11-01'],
  export: ['receipts', '--format', 'csv', '--to', 'a-file'],
  log: ['tail', 'settlements'],
  market: ['rebuild'],
  query: ['select 1'],
}
it('a command that cannot read a variable does not repeat what may be a key in it', async () => {
  const [program, ...args] = programOf('log')
  const env = { ...process.env, LOG_URL: `htp://127.0.0.1:9/v2/${hex}` }
  const failed = await promisify(execFile)(process.execPath, [program, ...args, 'tail', 'settlements'], {
    env,
  }).catch((error: { stderr: string }) => error)
  expect(failed.stderr).toContain('LOG_URL is "htp://127.0.0.1:9"')
  expect(shown(failed.stderr)).toEqual([])
}, 60_000)

const isLong = process.env.LONG_FORM !== undefined
describe.skipIf(!isLong)(`npm run${isLong ? '' : ': LONG_FORM is unset'}`, () => {
  async function ran(name: (typeof names)[number], ...args: string[]) {
    return ranWith(name, args)
  }

  async function ranWith(
    name: (typeof names)[number],
    args: string[],
    variables: Record<string, string> = {},
  ) {
    const folder = scratchFolder()
    const env = { ...process.env, DATA_DIR: join(folder, 'data'), XDG_STATE_HOME: folder, ...variables }
    const program = [...programOf(name), ...args]
    const ended = await promisify(execFile)(process.execPath, program, { env, timeout: 60_000 }).catch(
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    )
    return { code: 0, ...ended, hasData: existsSync(join(folder, 'data')) }
  }

  it.each(names)('%s tells of itself, and repeats no secret', { timeout: 0 }, async name => {
    for (const word of ['--help', '-h']) {
      const { code, stdout, hasData } = await ran(name, word)
      expect([code, hasData, stdout]).toEqual([
        0,
        false,
        expect.stringMatching(/npm (run|start)|farebox call/),
      ])
    }
    expect(await ran(name, '--version')).toMatchObject({ code: 0, stdout: `${manifest.version}\n` })
    for (const secret of [0, 2, 3, 7].map(at => secrets[at] as string)) {
      const { code, stdout, stderr } = await ran(name, secret, secret)
      const value = secret.replace(/^-+(?:key=)?/, '')
      expect([name, code, (stdout + stderr).includes(value)]).toEqual([
        name,
        expect.toSatisfy(code => code > 0),
        false,
      ])
    }
  })

  /** Each secret in all variables at once: as it is, in a file, and in place of the name of a file, in turns. */
  it.each(names.filter(name => name !== 'start' && !name.startsWith('client')))(
    '%s prints no variable that may hold a secret',
    { timeout: 0 },
    async name => {
      const file = join(scratchFolder(), 'secret')
      for (const [form, [what, secret]] of mangled.entries()) {
        writeFileSync(file, secret)
        const variables = Object.fromEntries(
          secretVariables.map((each, place) => {
            const turn = (form + place) % 3
            return turn ? [`${each}_FILE`, turn === 1 ? file : secret] : [each, secret]
          }),
        )
        Object.assign(variables, { FAREBOX_KEY: secret, FAREBOX_SOLANA_RPC: secret })
        const { code, stdout, stderr } = await ranWith(name, plausible[name] ?? [], variables)
        expect([name, what, code, shown(stdout + stderr)]).toEqual([name, what, expect.anything(), []])
      }
    },
  )
})
