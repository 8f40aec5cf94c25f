/** No secret is ever printed, whatever its form: each is mangled as people mangle them, and given to every command. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../../services/client/command.ts'
import { createFarebox } from '../../../services/client/farebox.ts'
import { keepInFolder } from '../../../services/client/keep-folder.ts'
import { networks } from '../../../services/client/networks.ts'
import { purseInMemory } from '../../../services/client/purse.ts'
import { checkParts, readConfig } from '../../../services/config/config.ts'
import { hostsOnly } from '../../../services/config/hosts-only.ts'
import { scratchFolder } from '../../scratch.ts'
import { offer } from '../till/paying.ts'
import { ask402, offering, quoteOf, startHostileSeller } from './hostile-seller.ts'
import { hex, mangled, secretVariables, shown } from './mangled-secrets.ts'

const solanaOffer = {
  scheme: 'exact',
  ...{
    network: networks.find(({ name }) => name === 'solana')?.id,
    asset: networks.find(({ name }) => name === 'solana')?.usdc,
  },
  ...{ amount: '2000', payTo: '7s5vGr2iJyrHu4hG4cE4oQxMSPy3PWTq3LQFWtEJLcHh', maxTimeoutSeconds: 60 },
  extra: { feePayer: 'CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5' },
}

describe.each(mangled)('a key with %s', (_, secret) => {
  it('is printed by no command', { timeout: 60_000 }, async () => {
    const seller = await startHostileSeller(response => ask402(response, quoteOf(offer, solanaOffer)))
    const said: string[] = []
    for (const method of ['error', 'log'] as const) {
      const spy = vi
        .spyOn(console, method)
        .mockImplementation((...words) => void said.push(words.map(String).join(' ')))
      onTestFinished(() => spy.mockRestore())
    }
    const folder = scratchFolder()
    const file = join(folder, 'key')
    writeFileSync(file, secret)
    const house = (env: Record<string, string>) => ({
      env,
      purse: purseInMemory(),
      keep: keepInFolder(join(folder, 'payments')),
    })
    const commands = [
      ['call', '/fx', '{}'],
      ['call', '/fx', '{}', '--network', 'solana'],
      ['quote', '/fx'],
      ['catalog'],
      ['market', 'best', 'x'],
      ['payments'],
      ['receipt', 'verify', file],
    ]
    for (const words of commands) {
      const args = [...words, '--patience', '0']
      await run(args, house({ FAREBOX_URL: seller.url, FAREBOX_KEY: secret }))
      if (words[0] === 'receipt') continue
      await run([...args, '--key-file', file], house({ FAREBOX_URL: seller.url }))
      await run([...args, '--key-file', secret], house({ FAREBOX_URL: seller.url }))
      await run(args, house({ FAREBOX_URL: secret }))
    }
    // Whoever puts it into the wrong place must not read it there.
    const misplaced = [
      ...[[secret], ['call', secret], ['quote', secret], ['call', '/fx', secret], ['completion', secret]],
      ...['max-usd', 'max-usd-a-day', 'patience', 'network', 'policy', 'url'].map(option => [
        ...['call', '/fx', `--${option}`, secret],
      ]),
      ...[
        ['payments', 'fetch', secret],
        ['payments', secret],
        ['receipt', 'verify', secret],
        ['market', secret],
      ],
      ...[
        ['call', '/fx', `--${secret}`],
        ['call', '/fx', '--policy', file],
      ],
    ]
    for (const words of misplaced)
      await run([...words, '--patience', '0'], house({ FAREBOX_URL: seller.url, FAREBOX_POLICY: '' }))
    const solanaKey = JSON.stringify(Array.from({ length: 32 }, (_, i) => i + 1))
    await run(
      ['call', '/fx', '--network', 'solana', '--patience', '0'],
      house({ FAREBOX_URL: seller.url, FAREBOX_KEY: solanaKey, FAREBOX_SOLANA_RPC: secret }),
    )
    for (const wallet of [{ evmKey: secret }, { solanaKey: secret, solanaRpcUrl: 'http://127.0.0.1:9' }])
      await createFarebox({ url: seller.url, wallet, purse: purseInMemory(), patienceMs: 0 })
        .call('/fx')
        .then(
          result => said.push(JSON.stringify(result)),
          error => said.push(String(error)),
        )
    expect(said.length).toBeGreaterThan(10)
    expect(shown(said.join('\n'))).toEqual([])
  })

  it('is printed by no start of the service', () => {
    expect(secretVariables.length).toBeGreaterThan(10)
    const file = join(scratchFolder(), 'secret')
    writeFileSync(file, secret)
    for (const held of secretVariables)
      for (const [name, value] of [
        [held, secret],
        [`${held}_FILE`, file],
        [`${held}_FILE`, secret],
      ] as const) {
        let said = ''
        try {
          checkParts(readConfig({ [name]: value }))
        } catch (error) {
          said = hostsOnly(String((error as Error).message))
        }
        expect([name, ...shown(said)]).toEqual([name])
      }
  })
})

it('knows what gives a secret away', () => {
  expect(shown(`no key: 0x${hex}`).length).toBeGreaterThan(0)
  expect(shown(offering().accepts.join())).toEqual([])
})
