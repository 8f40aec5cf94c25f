import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { attestLogVariables, attestVariables } from '../../../../pipelines/domains/attestation/variables.ts'
import { ConfigError } from '../../../../pipelines/rails/environment/variables.ts'
import { readConfig } from '../../../../services/config/config.ts'
import { scratchFolder } from '../../../scratch.ts'

const key = `0x${'7'.repeat(64)}`
const [log, formerLog] = [`0x${'8'.repeat(64)}`, `0x${'9'.repeat(64)}`] as const
const address = `0x${'ab'.repeat(20)}`
const both = { ATTEST_KEY: key, ATTEST_LOG_KEY: log }
const read = (env: Record<string, string>) => readConfig(env).read(attestVariables)
const why = (env: Record<string, string>): string => {
  try {
    read(env)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message
  }
}

it('attests nothing without keys', () => {
  expect(read({})).toBeUndefined()
})

it('names the log after the host of its address', () => {
  expect(read({ ...both, ATTEST_URL: 'https://attest.example' })?.verifiers[0].name).toBe(
    'farebox/attest.example',
  )
  expect(read({ ...both, PUBLIC_URL: 'https://all.example' })?.verifiers[0].name).toBe('farebox/all.example')
})

it('reads current and earlier keys, and requires one authority if any is configured', () => {
  const env = {
    ...both,
    ATTEST_LOG_KEY: `${log}, ${formerLog}`,
    ATTEST_KEYS: `${address} 2025-01-01 2026-01-01, ${address} 2024-01-01 2025-01-01 2024-05-05T10:00:00Z`,
    TSA_URLS: 'http://a.example/tsa,https://b.example',
  }
  const keys = read(env)
  expect(keys).toMatchObject({ key, required: 1, authorities: ['http://a.example/tsa', 'https://b.example'] })
  expect(keys?.former.map(({ revoked_at }) => revoked_at)).toEqual([null, '2024-05-05T10:00:00.000Z'])
  expect(keys?.verifiers).toHaveLength(2)
  expect(read(both)?.required).toBe(0)
})

it('reads the key and the roots from files', () => {
  const file = join(scratchFolder(), 'key')
  writeFileSync(file, `${key}\n`)
  expect(read({ ATTEST_KEY_FILE: file, ATTEST_LOG_KEY: log })?.key).toBe(key)
  writeFileSync(file, 'no key')
  expect(why({ ATTEST_KEY_FILE: file, ATTEST_LOG_KEY: log })).toMatch(
    /^ATTEST_KEY_FILE is .*; the file should hold/,
  )
  expect(why({ ...both, TSA_ROOTS: file })).toMatch(/^TSA_ROOTS is .*; the file should hold certificates/)
})

it("signs the log in a process that only has the log's key", () => {
  const apart = { LOG_URL: 'kafka://a:9092', STORE_URL: 'http://a:8123', ATTEST_LOG_KEY: log }
  const sink = readConfig({ ...apart, ROLES: 'sink', ATTEST_URL: 'https://attest.example' })
  expect(sink.read(attestVariables)).toBeUndefined()
  expect(sink.read(attestLogVariables)?.name).toBe('farebox/attest.example')
  expect(why({ ...apart, ROLES: 'query' })).toMatch(/^ATTEST_KEY is unset; /)
})

it.each([
  [{ ATTEST_KEY: key }, /^ATTEST_LOG_KEY is unset; /],
  [{ ...both, ATTEST_KEY_FILE: '/nowhere' }, /^ATTEST_KEY and ATTEST_KEY_FILE are set; /],
  [{ ATTEST_KEY_FILE: '/nowhere', ATTEST_LOG_KEY: log }, /^ATTEST_KEY_FILE is \/nowhere; .*ENOENT$/],
  [{ ...both, TSA_ROOTS: '/nowhere' }, /^TSA_ROOTS is \/nowhere; .*ENOENT$/],
  [{ ...both, TSA_REQUIRED: '1' }, /^TSA_REQUIRED is 1; TSA_URLS should/],
  [{ ...both, TSA_REQUIRED: 'all' }, /^TSA_REQUIRED is "all"; it should be /],
  [{ ...both, TSA_URLS: 'ftp://a' }, /^TSA_URLS is "ftp:\/\/a"; it should be /],
  [{ ...both, ATTEST_KEYS: address }, /^ATTEST_KEYS is .*; it should be a list of <address>/],
])('stops the start with one line: %j', (env, line) => {
  const message = why(env as never)
  expect(message).toMatch(line)
  expect(message).not.toContain('\n')
})

it('never shows a key', () => {
  for (const name of ['ATTEST_KEY', 'ATTEST_LOG_KEY'])
    expect(why({ ...both, [name]: `${key}0` })).toMatch(
      new RegExp(`^${name} is something else; it should be `),
    )
})
