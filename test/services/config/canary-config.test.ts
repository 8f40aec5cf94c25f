import { expect, it } from 'vitest'
import { addressOfKey } from '../../../pipelines/domains/payments/account-key.ts'
import { canaryKeyVariables } from '../../../schemas/tables/networks.ts'
import { canaryVariables } from '../../../services/canary/variables.ts'
import { checkParts, readConfig } from '../../../services/config/config.ts'

const CANARY_KEY_BASE = `0x${'12'.repeat(32)}`
const address = '0x5c7c5a9f19f0d0c5c3b4ac5d4a0d3ef9c2a1c0c5'
const env = {
  ROLES: 'canary',
  LOG_URL: 'kafka://k:9092',
  PUBLIC_URL: 'https://farebox.example',
  CANARY_KEY_BASE,
}
const of = (more: Record<string, string>) => {
  const config = readConfig({ ...env, ...more })
  checkParts(config)
  return config.read(canaryVariables)
}

it('buys /fx every hour for a dollar a day, at the public address', () => {
  expect(of({})).toMatchObject({ path: '/fx', everyMs: 3_600_000, aDay: 1_000_000n, url: undefined })
  expect(of({})?.networks.map(({ name }) => name)).toEqual(['base'])
  const more = {
    CANARY_URL: 'http://query:8402/',
    CANARY_CALL: '/ip',
    CANARY_SIGNER: address.toUpperCase().replace('0X', '0x'),
  }
  expect(of({ ...more, CANARY_EVERY_MINUTES: '0.5', CANARY_USDC_A_DAY: '0.01' })).toMatchObject({
    ...{ url: 'http://query:8402', path: '/ip', signer: address, everyMs: 30_000, aDay: 10_000n },
  })
})

it('refuses what it cannot be', () => {
  expect(() => of({ CANARY_KEY_BASE: '' })).toThrow(/^CANARY_KEY_BASE, .* are unset; the canary should have/)
  expect(() => of({ PUBLIC_URL: '' })).toThrow(/^CANARY_URL is unset/)
  expect(() => of({ CANARY_EVERY_MINUTES: '0' })).toThrow(/^CANARY_EVERY_MINUTES is "0"/)
  expect(() => of({ CANARY_USDC_A_DAY: 'much' })).toThrow(/^CANARY_USDC_A_DAY is "much"/)
  expect(() => of({ CANARY_SIGNER: 'me' })).toThrow(/^CANARY_SIGNER is "me"/)
  expect(() => of({ CANARY_KEY_BASE: 'secret' })).toThrow(/^CANARY_KEY_BASE is something else/)
  for (const variable of canaryKeyVariables) expect(() => of({ [variable]: 'x' })).toThrow(variable)
})

it('is a process of its own: no part of `all`, and whoever sells has no key of it', () => {
  expect(readConfig({ ROLES: 'all' }).ROLES).not.toContain('canary')
  expect(() => of({ ROLES: 'query,canary' })).toThrow(/^ROLES is "query,canary"; it should be canary alone/)
  expect(() => of({ ROLES: 'query', STORE_URL: 'http://c:8123/f' })).toThrow(
    /^CANARY_KEY_BASE is set; it should be unset where ROLES is "query"/,
  )
  // One machine, one file: the canary reads along.
  expect(() => of({ LOG_URL: 'sqlite:./data/log.db' })).not.toThrow()
})

it('refuses the key of a payee', () => {
  const PAY_TO_BASE = addressOfKey('base', CANARY_KEY_BASE)
  expect(() => of({ PAY_TO_BASE })).toThrow(/^CANARY_KEY_BASE is the key of PAY_TO_BASE/)
  expect(() => of({ PAY_TO_BASE: address })).not.toThrow()
})
