/** Receipts are verified without a network, and no verifier vouches for words that the seller has not signed. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { addressOfKey } from '../../../pipelines/rails/signing/eip712.ts'
import { run } from '../../../services/client/command.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { type Checked, verified } from '../../../services/client/verify.ts'
import { receiptRoutes } from '../../../services/query/signing/routes.ts'
import { scratchFolder } from '../../scratch.ts'
import { type Case, genuine, mayBeValid, mutants, signerKey } from './receipt-mutants.ts'

const signer = addressOfKey(signerKey)
const base = await genuine()
const nobody = () => Promise.reject(new Error('nobody is asked'))
const farebox = createFarebox({
  ...{ url: 'http://127.0.0.1:9', purse: purseInMemory(), fetch: nobody as never, patienceMs: 0 },
})
const [, route] = receiptRoutes({ addresses: [signer] })

/** What the service says. `null`: it bears no receipt. */
async function byService({ settlement, question, answer }: Case): Promise<boolean | null> {
  const asked = { settlement, question, ...(answer && { answer }) }
  const refuse = () => {
    throw new Error('no receipt')
  }
  try {
    const read = route?.request.parse(JSON.parse(JSON.stringify(asked)))
    const told = await route?.answer(
      read as never,
      { view: () => ({ rows: () => [], get: () => undefined }) } as never,
      refuse as never,
    )
    return (told as Checked).valid
  } catch {
    return null
  }
}

const byClient = async ({ settlement, question, answer }: Case) =>
  (await verified({ settlement, answer }, { signers: [signer], question })).valid

describe('a receipt', () => {
  it('is verified with the address of its signer, and nobody is asked', async () => {
    const { settlement, question, answer } = base
    const matching = { question_matches: true, answer_matches: true }
    const whole = { ok: true as const, replayed: false, settlement, answer } as never
    expect(await farebox.verify(whole, { signer, question })).toEqual({
      ...{ valid: true, signer, ...matching },
      receipt: expect.objectContaining({ transaction: settlement.transaction, version: 1 }),
    })
    const header = Buffer.from(JSON.stringify(settlement)).toString('base64')
    for (const bare of [settlement, header, { settlement: header, answer }])
      expect(
        await farebox.verify(bare, {
          signer: [`0x${'1'.repeat(40)}`, signer.toUpperCase().replace('0X', '0x')],
        }),
      ).toMatchObject({
        valid: true,
        question_matches: null,
      })
    expect(await farebox.verify(settlement, { signer: `0x${'1'.repeat(40)}` })).toMatchObject({
      valid: false,
      signer,
    })
    expect(await farebox.verify(settlement, { signer, question: { from: 'USD' } })).toMatchObject({
      ...{ valid: false, question_matches: false },
    })
    await expect(farebox.verify(settlement, { singer: signer } as never)).rejects.toThrow(
      'there is no "singer"',
    )
  })

  it('is vouched for by nobody who cannot know who signs', async () => {
    await expect(farebox.verify(base.settlement)).rejects.toThrow('nobody says who signs')
  })

  it('is no receipt where it is something else', async () => {
    for (const odd of ['', 'bm90aGluZw==', {}, { settlement: 7 }, { settlement: null, answer: null }, []])
      expect(await farebox.verify(odd as never, { signer })).toMatchObject({ valid: false, receipt: null })
  })
})

describe('a word that was changed beside the signatures', () => {
  const all = mutants(base)

  it('is vouched for by neither client nor service, and both say the same', { timeout: 60_000 }, async () => {
    expect(all.length).toBeGreaterThan(150)
    expect([await byClient(base), await byService(base)]).toEqual([true, true])
    const wrong: unknown[] = []
    for (const each of all) {
      const said = [await byClient(each), (await byService(each)) ?? false]
      if (said[0] !== said[1] || (said[0] && !mayBeValid(each))) wrong.push([each.name, ...said])
    }
    expect(wrong).toEqual([])
  })

  it('may not stand in a second receipt beside the answer', async () => {
    const { settlement, answer } = base
    const shown = answer.receipt as object
    const told = (receipt: object) =>
      verified({ settlement, answer, receipt } as never, { signers: [signer] })
    expect(await told(shown)).toMatchObject({ valid: true })
    expect(await told({ ...shown, payment_tx: `0x${'cd'.repeat(32)}` })).toMatchObject({ valid: false })
  })
})

describe('farebox receipt verify --signer', () => {
  async function verify(text: string, ...more: string[]): Promise<[number, string]> {
    const said: string[] = []
    for (const method of ['error', 'log'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation(words => void said.push(String(words)))
      onTestFinished(() => spy.mockRestore())
    }
    const folder = scratchFolder()
    mkdirSync(folder, { recursive: true })
    const file = join(folder, 'paid.json')
    writeFileSync(file, text)
    const env = { FAREBOX_URL: 'http://127.0.0.1:9' }
    const house = { env, purse: purseInMemory(), fetch: nobody as never }
    return [await run(['receipt', 'verify', file, ...more], house), said.join('\n')]
  }
  const { settlement, question, answer } = base
  const printed = JSON.stringify({ ok: true, answer, settlement, receipt: answer.receipt }, null, 2)

  it('asks nobody', async () => {
    const [code, said] = await verify(printed, JSON.stringify(question), '--signer', signer)
    expect([code, said]).toEqual([0, expect.stringContaining(`signed by ${signer}`)])
    expect(await verify(JSON.stringify(settlement), '--signer', signer)).toEqual([0, expect.anything()])
    const [other, told] = await verify(printed.replace('157.25347', '1'), '--signer', signer)
    expect([other, told]).toEqual([3, expect.stringContaining('not genuine')])
  })

  it('takes nothing for an address that is none, and no file in which a name stands twice', async () => {
    expect(await verify(printed, '--signer', 'me')).toEqual([
      2,
      expect.stringContaining('"me" is not an address'),
    ])
    const secret = `0x${'d1f0c3a97e5b4826'.repeat(4)}`
    const [code, said] = await verify(printed, '--signer', secret)
    expect([code, said.includes('d1f0c3a9')]).toEqual([2, false])
    const twice = printed.replace('"rate": 157.25347', '"rate": 1,\n    "rate": 157.25347')
    expect(await verify(twice, '--signer', signer)).toEqual([
      2,
      expect.stringMatching(/line 5: "rate" is named twice/),
    ])
  })
})
