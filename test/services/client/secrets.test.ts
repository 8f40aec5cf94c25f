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
import { environmentOf } from '../../../services/config/environment.ts'
import { hostsOnly } from '../../../services/config/hosts-only.ts'
import { origins } from '../../../services/origins/index.ts'
import { scratchFolder } from '../../scratch.ts'
import { offer } from '../till/paying.ts'
import { ask402, offering, quoteOf, startHostileSeller } from './hostile-seller.ts'

const hex = 'd1f0c3a97e5b48269a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f708192a3b4c5'
const base58 = '4wBqpZM9xaSheZzJSMawUKKwhdpChKbZ5eu5ky4Vigw1uYbnGyLzLhJzP3xqZkXk6LbLk9bLTGJvQ3kQ8LrNnN7h'
const mnemonic = 'abandon ability able about above absent absorb abstract absurd abuse access accident'
const bytes = Array.from({ length: 64 }, (_, i) => (i * 37 + 11) % 256)

const mangled: [string, string][] = [
  ['a digit too many', `0x${hex}a`],
  ['a digit too few', `0x${hex.slice(1)}`],
  ['0X', `0X${hex}`],
  ['0X and a digit too many', `0X${hex}7`],
  ['0x twice', `0x0x${hex}`],
  ['a letter that is no digit', `0x${hex.slice(1)}g`],
  ['quotes', `"0x${hex}"`],
  ['single quotes', `'${hex}'`],
  ['a quote on one side', `0x${hex}"`],
  ['spaces around', `  0x${hex}  `],
  ['a space inside', `0x${hex.slice(0, 32)} ${hex.slice(32)}`],
  ['a line feed inside', `0x${hex.slice(0, 32)}\n${hex.slice(32)}`],
  ['the name of the variable', `FAREBOX_KEY=0x${hex}`],
  ['export', `export FAREBOX_KEY=0x${hex}`],
  ['a comma behind', `0x${hex},`],
  ['base64', Buffer.from(hex, 'hex').toString('base64')],
  ['a mnemonic', mnemonic],
  ['a mnemonic in quotes', `"${mnemonic}"`],
  ['base58 with a character too many', `${base58}9`],
  ['base58 with a zero', `0${base58.slice(1)}`],
  ['base58 whose halves differ', base58],
  ['a list that is too short', JSON.stringify(bytes.slice(3))],
  ['a list without its end', JSON.stringify(bytes).slice(0, -1)],
  ['a list of texts', JSON.stringify(bytes.map(String))],
  ['a list whose halves differ', JSON.stringify(bytes)],
  ['an address with a password', `http://user:${hex}@127.0.0.1:9/`],
  ['an address of another protocol', `htp://127.0.0.1:9/v2/${hex}`],
]
/** What would give it away: any ten characters of it in a row. */
const pieces = [
  ...new Set(
    [hex, base58, mnemonic, String(bytes), Buffer.from(hex, 'hex').toString('base64')].flatMap(piecesOf),
  ),
]
function piecesOf(text: string): string[] {
  return Array.from({ length: text.length - 9 }, (_, i) => text.slice(i, i + 10))
}
const withoutSpace = (text: string) => text.toLowerCase().replaceAll(' ', '')
/** The lines that give it away. */
const shown = (text: string) =>
  text.split('\n').filter(line => pieces.some(piece => withoutSpace(line).includes(withoutSpace(piece))))

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
    const held = Object.keys(environmentOf(origins).shape).filter(name =>
      /TOKEN|SECRET|PASSWORD|HEADERS|_KEY|RPC|LOG_URL|STORE_URL|BLOBS_URL|PAGES_URL/.test(name),
    )
    expect(held.length).toBeGreaterThan(10)
    for (const name of held) {
      let said = ''
      try {
        checkParts(readConfig({ [name]: secret }))
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
