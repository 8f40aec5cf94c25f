import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { OutOfTurn } from '../../../pipelines/sources/out-of-turn.ts'
import { PlayBank } from '../../../services/sandbox/bank.ts'

const rates = { body: "<Cube currency='JPY' rate='182.50'/><Cube currency='JPY' rate='181.00'/>" }

async function correct(bank: PlayBank): Promise<number> {
  const polls = new OutOfTurn()
  polls.add('ecb', async () => {})
  const { url, close } = await bank.control(polls, true)
  const { status } = await fetch(`${url}/correct`, { method: 'POST' })
  await close()
  return status
}

const newest = (bank: PlayBank) => /(?<=rate=')[\d.]+/.exec(bank.published(rates).body)?.[0]

it('publishes after a restart what it has published before, so the next correction is one, too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bank-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const bank = new PlayBank(folder)
  expect(newest(bank)).toBe('182.50')
  expect(await correct(bank)).toBe(200)
  expect(newest(bank)).toBe('183.50')
  const restarted = new PlayBank(folder)
  expect(newest(restarted)).toBe('183.50')
  expect(await correct(restarted)).toBe(200)
  expect(newest(restarted)).toBe('184.50')
})
