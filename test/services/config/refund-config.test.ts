import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { paysBack, refundVariables } from '../../../pipelines/workers/refunds/variables.ts'
import { readConfig } from '../../../services/config/config.ts'
import { evmRefundKey, solanaKeyText, solanaSigner } from '../../../services/sandbox/keys.ts'
import { scratchFolder } from '../../scratch.ts'

const payTo = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const env = { NETWORKS: 'base', PAY_TO_BASE: payTo, REFUND_KEY_BASE: evmRefundKey }
const of = (more: Record<string, string> = {}) => readConfig({ ...env, ...more }).read(refundVariables)

describe('refunds', () => {
  it('have a key for each network, and a bound for each day', async () => {
    expect(of()).toMatchObject({
      keys: [{ name: 'base', key: evmRefundKey, payTo }],
      ...{ aDay: 10_000_000n, mostGwei: undefined, signerKey: undefined, former: [] },
    })
    const signer = `0x${'12'.repeat(32)}`
    const REFUND_KEY_SOLANA = await solanaKeyText('refunds')
    const more = { NETWORKS: 'base,solana', REFUND_KEY_SOLANA, SIGNER_KEY: signer }
    expect(
      of({ ...more, REFUND_USDC_A_DAY: '0.5', REFUND_MOST_GWEI: '3', REFUND_FORMER: `${payTo}` }),
    ).toMatchObject({
      keys: [{ name: 'base' }, { name: 'solana' }],
      ...{ aDay: 500_000n, mostGwei: 3, signerKey: signer, former: [payTo] },
    })
    expect(of({ REFUND_KEY_BASE: '' }).keys).toEqual([])
  })

  it('are paid by addresses that no file of prices may name', async () => {
    const REFUND_KEY_SOLANA = await solanaKeyText('refunds')
    const refunds = of({ NETWORKS: 'base,solana', REFUND_KEY_SOLANA })
    const { address } = await solanaSigner('refunds')
    const evm = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
    for (const own of [evm, evm.toLowerCase(), address]) expect(paysBack(refunds, own)).toBe(true)
    for (const other of [payTo, address.toLowerCase(), '']) expect(paysBack(refunds, other)).toBe(false)
    expect(paysBack(of({ REFUND_KEY_BASE: '' }), evm)).toBe(false)
  })

  it('have rules, if a file says so', () => {
    const file = `${scratchFolder()}/rules.json`
    const given = (rules: unknown) => {
      writeFileSync(file, typeof rules === 'string' ? rules : JSON.stringify({ rules }))
      return of({ REFUND_RULES: file }).rules
    }
    const rule = { because: 'undelivered', since: '2026-11-23', usdc_a_day: '1.5' }
    expect(given([rule])).toEqual([{ ...rule, usdc_a_day: 1_500_000n, a_payer_a_day: 1 }])
    expect(of().rules).toEqual([])
    const { since: _, ...always } = rule
    for (const wrong of [[rule, rule], [{ ...rule, because: 'bored' }], [{ ...rule, aday: 1 }], [always]])
      expect(() => given(wrong)).toThrow(/^REFUND_RULES names a file with a mistake/)
    expect(() => given(evmRefundKey)).toThrow(/^REFUND_RULES should name a file of JSON; its text is none$/)
    expect(() => of({ REFUND_RULES: '/none' })).toThrow(/^REFUND_RULES is/)
  })

  it.each([
    ['no key', { REFUND_KEY_BASE: 'secret' }, /^REFUND_KEY_BASE is something else; it should be a key of/],
    ['no Solana key', { REFUND_KEY_SOLANA: '1'.repeat(80) }, /^REFUND_KEY_SOLANA is something else/],
    ['no amount', { REFUND_USDC_A_DAY: '-1' }, /^REFUND_USDC_A_DAY is "-1"; it should be an amount/],
    ['no address of before', { REFUND_FORMER: `${payTo}, 0x12` }, /^REFUND_FORMER/],
    ['no price of gas', { REFUND_MOST_GWEI: '0' }, /^REFUND_MOST_GWEI/],
    [
      'the key of a payee, of any network',
      { PAY_TO_POLYGON: '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65' },
      /^REFUND_KEY_BASE is the key of PAY_TO_POLYGON/,
    ],
    ['a key that pays fees', { SETTLE_KEY_BASE: evmRefundKey }, /^REFUND_KEY_BASE is SETTLE_KEY_BASE too/],
    [
      'a key in a process that sells',
      { ROLES: 'query', LOG_URL: 'kafka://k:9092', STORE_URL: 'http://h' },
      /^REFUND_KEY_BASE is set; it should be unset where ROLES is "query"/,
    ],
  ])('refuse %s, and repeat no key', (_, more, words) => {
    const read = () => of(more as Record<string, string>)
    expect(read).toThrow(words)
    expect(read).not.toThrow(evmRefundKey)
  })
})
