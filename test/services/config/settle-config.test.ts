import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../services/config/config.ts'
import { settleConfig } from '../../../services/config/settle-config.ts'
import { evmSettleKey, solanaSettleKey } from '../../../services/sandbox/keys.ts'

const payTo = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const solana = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const env = { NETWORKS: 'base', PAY_TO_BASE: payTo, SETTLE_KEY_BASE: evmSettleKey, FACILITATOR_URL: 'self' }
const of = (more: Record<string, string | undefined> = {}) => settleConfig(readConfig({ ...env, ...more }))

describe('settling by ourselves', () => {
  it('listens to this machine alone, and pays what its network is worth at most, unless told otherwise', () => {
    expect(of()).toEqual({
      networks: [
        {
          name: 'base',
          keys: [evmSettleKey],
          payTo,
          rpcUrls: [expect.stringContaining('https://')],
          mostFee: 500_000_000n,
        },
      ],
      ...{ host: '127.0.0.1', port: 0, token: undefined },
    })
    expect(of({ SETTLE_MOST_GWEI: '0.02', SETTLE_PORT: '8405' })).toMatchObject({
      ...{ port: 8405, networks: [{ mostFee: 20_000_000n }] },
    })
  })

  it('takes several keys of each network, in the form of its wallets', async () => {
    const other = `0x${'12'.repeat(32)}`
    const more = {
      NETWORKS: 'base,solana',
      PAY_TO_SOLANA: solana,
      SETTLE_KEY_BASE: `${evmSettleKey}, ${other}`,
      SETTLE_KEY_SOLANA: await solanaSettleKey(),
    }
    expect(of(more)?.networks.map(({ name, keys }) => [name, keys.length])).toEqual([
      ['base', 2],
      ['solana', 1],
    ])
  })

  it.each([
    [
      'no key',
      { SETTLE_KEY_BASE: 'secret' },
      /^SETTLE_KEY_BASE is something else; it should be one or more keys/,
    ],
    ['one twice', { SETTLE_KEY_BASE: `${evmSettleKey},${evmSettleKey}` }, /names no key twice/],
    ['no Solana key', { SETTLE_KEY_SOLANA: '1'.repeat(80) }, /^SETTLE_KEY_SOLANA .* 64 bytes in base58/],
    ['none', { SETTLE_KEY_BASE: '' }, /^SETTLE_KEY_BASE is unset; it should be a key that pays fees on Base/],
    ['a network without', { NETWORKS: 'base,solana', PAY_TO_SOLANA: solana }, /^SETTLE_KEY_SOLANA is unset/],
    ['no payee', { PAY_TO_BASE: '' }, /^PAY_TO_BASE is unset/],
    [
      'the key of a payee',
      { PAY_TO_BASE: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266' },
      /^SETTLE_KEY_BASE is the key of PAY_TO_BASE/,
    ],
    ['an open port without a token', { SETTLE_HOST: '0.0.0.0' }, /^SETTLE_TOKEN is unset/],
  ])('refuses %s', (_, more, words) => {
    expect(() => of(more)).toThrow(words)
  })

  it('never leaves a key with a process that sells, where roles are apart', () => {
    const apart = { LOG_URL: 'kafka://k:9092', STORE_URL: 'http://h', FACILITATOR_URL: 'http://settle:8405' }
    expect(() => of({ ...apart, ROLES: 'query' })).toThrow(/^SETTLE_KEY_BASE is set; it should be unset/)
    expect(() => of({ ...apart, ROLES: 'query,settle' })).toThrow(/^SETTLE_KEY_BASE is set/)
    expect(of({ ...apart, ROLES: 'settle' })?.networks).toHaveLength(1)
    expect(() => of({ ...apart, ROLES: 'settle', SETTLE_KEY_BASE: '' })).toThrow(/are unset; the role settle/)
    expect(of({ ...apart, ROLES: 'query', SETTLE_KEY_BASE: '' })).toBeUndefined()
    expect(() => of({ ...apart, ROLES: 'query', SETTLE_KEY_BASE: '', FACILITATOR_URL: 'self' })).toThrow(
      /^FACILITATOR_URL is "self"/,
    )
  })

  it('is off without a key and without the word', () => {
    expect(of({ SETTLE_KEY_BASE: '', FACILITATOR_URL: 'http://f' })).toBeUndefined()
  })
})
