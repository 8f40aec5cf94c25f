/** A seller that is not Farebox: what it sells is bought, and a receipt that it does not give is not made up. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFarebox } from '../../../services/client/farebox.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { scratchFolder } from '../../scratch.ts'
import { evmKey, solanaKey } from '../sandbox/running.ts'
import { startPlainSeller } from './plain-seller.ts'

const run = promisify(execFile)
let seller: Awaited<ReturnType<typeof startPlainSeller>>
beforeAll(async () => {
  seller = await startPlainSeller()
})
afterAll(() => seller?.close())

const question = { about: 'x402' }
const clientOf = (more: object = {}) =>
  createFarebox({
    ...{ url: seller.url, wallet: { evmKey, solanaKey, solanaRpcUrl: seller.solana.rpcUrl } },
    ...{ purse: purseInMemory(), patienceMs: 0, ...more },
  })

it.each(['base', 'solana'] as const)(
  'the client pays it on %s, and says that there is no receipt',
  async network => {
    const { payTo, balance } = seller[network]
    const before = await balance(payTo)
    const result = await clientOf({ network }).call('/joke', question)
    expect(result).toMatchObject({
      ok: true,
      answer: { about: 'x402' },
      replayed: false,
      settlement: { success: true },
    })
    expect(result).not.toHaveProperty('receipt')
    expect((await balance(payTo)) - before).toBe(2000n)
    // Nobody is asked who signed what is not there.
    expect(await clientOf().verify(result)).toMatchObject({ valid: false, receipt: null, signer: null })
  },
)

describe('the command', () => {
  const home = scratchFolder(afterAll)
  const farebox = async (...args: string[]) => {
    const env = {
      ...{ ...process.env, XDG_STATE_HOME: home, FAREBOX_URL: seller.url },
      ...{ FAREBOX_KEY: `${evmKey}\n${solanaKey}`, FAREBOX_SOLANA_RPC: seller.solana.rpcUrl },
    }
    const words = [resolve('services/client/main.ts'), ...args]
    const ended = await run(process.execPath, words, { env }).catch(
      (failed: { code: number; stdout: string; stderr: string }) => failed,
    )
    return { code: 0, ...ended }
  }

  it('asks the price, pays, counts, and names no receipt', async () => {
    expect((await farebox('quote', '/joke')).stdout).toMatch(
      /^0\.002 USDC on base to .*\n0\.002 USDC on solana/,
    )
    for (const network of ['base', 'solana']) {
      const paid = await farebox('call', '/joke', JSON.stringify(question), '--network', network)
      expect(paid).toMatchObject({ code: 0, stdout: expect.stringContaining('knock') })
      expect(paid.stderr).toMatch(
        new RegExp(`^paid 0\\.002 USDC on ${network}: \\w+\nthe seller gave no receipt\n$`),
      )
    }
    expect((await farebox('spent')).stdout.trim().split('\n').at(-1)).toMatch(/0\.004 USDC signed$/)
    expect((await farebox('payments')).stdout).toBe('no payment is open\n')
    expect(await farebox('catalog')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this seller lists nothing'),
    })
  })

  it('finds no receipt in what it has printed, and asks nobody for one', async () => {
    const file = join(home, 'paid.json')
    writeFileSync(file, (await farebox('call', '/joke', JSON.stringify(question), '--json')).stdout)
    for (const more of [[], ['--signer', `0x${'1'.repeat(40)}`]]) {
      const checked = await farebox('receipt', 'verify', file, ...more)
      expect([checked.code, checked.stderr]).toEqual([3, 'there is no receipt in it: the seller gave none\n'])
      expect(JSON.parse(checked.stdout)).toMatchObject({ valid: false, receipt: null })
    }
  })
})

it('a refusal says nothing of the money there, so no other network is tried', async () => {
  await seller.base.drain()
  const before = await seller.solana.balance(seller.solana.payTo)
  expect(await clientOf().call('/joke', question)).toMatchObject({
    ok: false,
    error: {
      ...{ code: 'payment_rejected', status: 402, charged: null, payment: expect.any(String) },
      message: expect.stringMatching(/insufficient_balance.*does not say whether it was charged/),
    },
  })
  expect(await seller.solana.balance(seller.solana.payTo)).toBe(before)
})
