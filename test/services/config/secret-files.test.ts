import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { isSecret } from '../../../pipelines/rails/environment/secrets.ts'
import { logVariables } from '../../../pipelines/rails/log/variables.ts'
import { readConfig } from '../../../services/config/config.ts'
import { environmentOf } from '../../../services/config/environment.ts'
import { origins } from '../../../services/origins/index.ts'
import { scratchFolder } from '../../scratch.ts'

let folder: string
beforeEach(() => {
  folder = scratchFolder()
})
const fileWith = (text: string, name = 'secret'): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const why = (env: Record<string, string>): string => {
  try {
    readConfig(env)
    return 'accepted'
  } catch (error) {
    return (error as Error).message
  }
}

describe('a secret out of a file', () => {
  it('is read like the variable itself, without the line feed at its end', () => {
    const FACILITATOR_TOKEN_FILE = fileWith('a-token\n')
    expect(readConfig({ FACILITATOR_TOKEN_FILE }).FACILITATOR_TOKEN).toBe('a-token')
  })

  it('may be an address with a password in it, or be what a part reads by itself', () => {
    const { STORE_URL, read, LOG_URL } = readConfig({
      STORE_URL_FILE: fileWith('http://farebox:hush@clickhouse:8123/farebox\n', 'store'),
      LOG_URL: 'kafka://kafka:9092?sasl=scram-sha-512',
      LOG_USERNAME: 'query',
      LOG_PASSWORD_FILE: fileWith('hush', 'log'),
    })
    expect(STORE_URL).toBe('http://farebox:hush@clickhouse:8123/farebox')
    expect(read(logVariables)).toMatchObject({
      url: LOG_URL,
      credentials: { username: 'query', password: 'hush' },
    })
  })

  it('is for every variable that holds a secret, and for no other', () => {
    const names = Object.keys(environmentOf(origins).shape)
    const secrets = names.filter(name => isSecret(name) && !['LOG_KEY', 'ATTEST_KEY'].includes(name))
    const nowhere = join(folder, 'nowhere')
    for (const name of secrets)
      expect(why({ [`${name}_FILE`]: nowhere })).toBe(
        `${name}_FILE is ${nowhere}; it should be a file that can be read: ENOENT`,
      )
    for (const name of ['PORT', 'LOG_KEY', 'CONTACT'])
      expect(why({ [`${name}_FILE`]: nowhere })).toBe('accepted')
  })

  it('stands in one place, and is no empty file', () => {
    const SIGNER_KEY_FILE = fileWith(`0x${'1'.repeat(64)}`)
    expect(why({ SIGNER_KEY_FILE, SIGNER_KEY: `0x${'2'.repeat(64)}` })).toBe(
      'SIGNER_KEY and SIGNER_KEY_FILE are set; it should be one of them',
    )
    expect(why({ SIGNER_KEY_FILE, SIGNER_KEY: '' })).toBe('accepted')
    expect(why({ SIGNER_KEY_FILE: fileWith(' \n') })).toMatch(
      /^SIGNER_KEY_FILE is .*; the file should hold SIGNER_KEY$/,
    )
  })

  it('is not shown where it is wrong', () => {
    const said = why({ SIGNER_KEY_FILE: fileWith('hush-hush-hush') })
    expect(said).toMatch(/^SIGNER_KEY is something else; it should be /)
  })

  it('may be the secret of a file that sells', () => {
    const sale = {
      SELL: 'services/sell/examples/chart.yaml',
      PAY_TO_BASE: `0x${'1'.repeat(40)}`,
      NETWORKS: 'base',
    }
    expect(why(sale)).toMatch(/\$\{CHARTS_KEY\} is unset/)
    expect(why({ ...sale, CHARTS_KEY_FILE: fileWith('a-key-of-the-upstream\n') })).toBe('accepted')
  })
})
