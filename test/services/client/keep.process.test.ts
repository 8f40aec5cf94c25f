/** A command that is interrupted after it has paid: the next one takes its payment up, and nothing is paid twice. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { evmKey } from '../sandbox/running.ts'
import { answer, ask402, offering, startHostileSeller } from './hostile-seller.ts'

const command = resolve('services/client/main.ts')
const question = '{"from":"USD","to":"JPY"}'

interface Command {
  child: ChildProcess
  out: () => string
  err: () => string
  ended: Promise<number | null>
}

function farebox(home: string, url: string, args: string[], input?: string): Command {
  const child = spawn(process.execPath, [command, ...args], {
    env: { ...process.env, XDG_STATE_HOME: home, FAREBOX_URL: url, FAREBOX_KEY: evmKey },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = { out: '', err: '' }
  child.stdout.on('data', text => (said.out += text))
  child.stderr.on('data', text => (said.err += text))
  child.stdin.end(input ?? '')
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return { child, out: () => said.out, err: () => said.err, ended }
}

/** Hears a payment and says nothing, until it is told to answer. */
async function startSilentSeller() {
  const state = { isSilent: true }
  const seller = await startHostileSeller((response, { paid }) => {
    if (!paid) ask402(response, offering())
    else if (!state.isSilent) answer(response, 200, { said: 'hello' })
  })
  return { ...seller, speak: () => (state.isSilent = false) }
}

const filesOf = (home: string) => readdirSync(join(home, 'farebox/payments'))

describe('a command that is interrupted after it has paid', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'by %s: the next one presents the same payment',
    async signal => {
      const home = scratchFolder()
      const seller = await startSilentSeller()
      const first = farebox(home, seller.url, ['call', '/fx', question])
      await until(() => seller.signatures().length === 1, 'the payment')
      const [name = ''] = filesOf(home)
      const file = join(home, 'farebox/payments', name)
      expect(statSync(file).mode & 0o777).toBe(0o600)
      expect(readFileSync(file, 'utf8')).not.toContain(evmKey.slice(2))
      first.child.kill(signal)
      expect(await first.ended).toBe({ SIGKILL: null, SIGINT: 130, SIGTERM: 143 }[signal])
      if (signal !== 'SIGKILL') expect(first.err()).toMatch(/^interrupted: the payment is kept/)

      const list = farebox(home, seller.url, ['payments'])
      expect(await list.ended).toBe(0)
      expect(list.out()).toMatch(/0.002 USDC on base, .*\/fx .*USD/)
      seller.speak()
      // The same question in other words of JSON, from a pipe.
      const again = farebox(home, seller.url, ['call', 'fx', '-'], '{ "to": "JPY", "from": "USD" }')
      expect([await again.ended, again.err()]).toEqual([
        0,
        expect.stringMatching(/is presented again .*nothing new is paid/),
      ])
      expect(JSON.parse(again.out())).toEqual({ said: 'hello' })
      expect(seller.signatures()).toHaveLength(1)
      expect(filesOf(home)).toEqual([])
    },
  )

  it('fetches by id, drops by id, and a second command at once shares the payment', async () => {
    const home = scratchFolder()
    const seller = await startSilentSeller()
    const both = [1, 2].map(() => farebox(home, seller.url, ['call', '/fx', question]))
    await until(() => seller.heard.filter(({ payment }) => payment).length === 2, 'both')
    expect(seller.signatures()).toHaveLength(1)
    for (const { child, ended } of both) {
      child.kill('SIGKILL')
      await ended
    }
    const list = farebox(home, seller.url, ['payments', '--json'])
    await list.ended
    const [{ id }] = JSON.parse(list.out()) as [{ id: string }]
    expect(list.out()).not.toContain('payment"')
    seller.speak()
    const fetched = farebox(home, 'http://elsewhere.invalid', ['payments', 'fetch', id])
    expect([await fetched.ended, fetched.out()]).toEqual([0, expect.stringContaining('hello')])
    expect(filesOf(home)).toEqual([])
    const dropped = farebox(home, seller.url, ['payments', 'drop', id])
    expect([await dropped.ended, dropped.err()]).toEqual([2, expect.stringContaining('no one payment')])
  })

  it('pays nothing where its record cannot be written or read', async () => {
    const home = scratchFolder()
    const seller = await startSilentSeller()
    writeFileSync(join(home, 'farebox'), '')
    const ended = farebox(home, seller.url, ['call', '/fx', question])
    expect([await ended.ended, ended.err()]).toEqual([1, expect.stringContaining('nothing is paid')])
    expect(seller.signatures()).toEqual([])
  })
})
