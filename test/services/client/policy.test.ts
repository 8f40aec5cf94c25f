/** A spending policy: what a call may cost by host, operation and payee, what it would cost, and what was signed. */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { networks } from '../../../schemas/tables/networks.ts'
import { run } from '../../../services/client/command.ts'
import { createFarebox, type FareboxOptions } from '../../../services/client/farebox.ts'
import { keepInFolder } from '../../../services/client/keep-folder.ts'
import { checkedPolicy, type Policy, policyIn } from '../../../services/client/policy.ts'
import { type Purse, purseInMemory } from '../../../services/client/purse.ts'
import { purseInFile } from '../../../services/client/purse-file.ts'
import { spendingInFolder, spentIn } from '../../../services/client/spending.ts'
import { scratchFolder } from '../../scratch.ts'
import { evmKey } from '../sandbox/running.ts'
import { offer, otherPayer, payTo } from '../till/paying.ts'
import { answer, ask402, offering, quoteOf, selling, startHostileSeller } from './hostile-seller.ts'

/** It sells each call for 0.002 to `payTo`. */
const openSeller = () => startHostileSeller(selling(offering()))
const clientOf = (url: string, policy: Policy, more: object = {}) =>
  createFarebox({ url, wallet: { evmKey }, purse: purseInMemory(), patienceMs: 0, policy, ...more })
const codeOf = async (call: Promise<{ ok: boolean; error?: { code: string; message: string } }>) => {
  const { error } = await call
  return error ? `${error.code}: ${error.message}` : 'ok'
}

describe('A policy', () => {
  it.each<[string, (host: string) => Policy, RegExp]>([
    [
      'a call',
      () => ({ max_usd_per_call: '0.001' }),
      /over_budget: it costs 0.002 USDC, and maxUsdPerCall is 0.001/,
    ],
    [
      'a host',
      host => ({ hosts: { [host]: { max_usd_per_call: 0.001 } } }),
      /caps a call of the host 127.0.0.1:\d+ at 0.001/,
    ],
    [
      'an operation',
      () => ({ operations: { '/fx': { max_usd_per_call: 0 } } }),
      /caps a call of the operation \/fx at 0/,
    ],
    [
      'a payee',
      () => ({ payees: { [payTo.toUpperCase().replace('X', 'x')]: { max_usd_per_call: '0' } } }),
      /of the payee 0x15d34a/,
    ],
    [
      'whoever is not named',
      () => ({ payees: { [otherPayer.address]: {}, '*': { max_usd_per_call: '0' } } }),
      /caps a call of the payee 0x15d3/,
    ],
    [
      'to those it names',
      () => ({ operations: { '/weather': {} } }),
      /over_budget: the policy names no operation \/fx/,
    ],
    ['to the hosts it names', () => ({ hosts: { 'farebox.example': {} } }), /names no host 127.0.0.1/],
  ])('caps %s, and nothing is signed', async (_, policyFor, told) => {
    const seller = await openSeller()
    const farebox = clientOf(seller.url, policyFor(new URL(seller.url).host))
    expect(await codeOf(farebox.call('/fx'))).toMatch(told)
    expect(seller.signatures()).toEqual([])
  })

  it('caps a day of each, all caps hold, and what one refuses counts for none', async () => {
    const seller = await openSeller()
    const operations = { '/fx': { max_usd_per_day: '0.002' }, '*': {} }
    const farebox = clientOf(seller.url, { max_usd_per_day: '0.006', operations })
    expect(await codeOf(farebox.call('/fx'))).toBe('ok')
    expect(await codeOf(farebox.call('/fx'))).toMatch(
      /0.002 were spent today, and the policy caps a day of the operation \/fx/,
    )
    expect([await codeOf(farebox.call('/ip')), await codeOf(farebox.call('/weather'))]).toEqual(['ok', 'ok'])
    expect(await codeOf(farebox.call('/ip'))).toMatch(/0.006 were spent today, and maxUsdPerDay is 0.006/)
    expect(seller.signatures()).toHaveLength(3)
  })

  it('knows an operation however its path is written', async () => {
    const seller = await openSeller()
    const operations = { '/fx': { max_usd_per_day: '0.002' }, '*': { max_usd_per_day: '0.002' } }
    const farebox = clientOf(seller.url, { operations })
    expect(await codeOf(farebox.call('/fx?fields=rate'))).toBe('ok')
    for (const path of ['fx', '/fx?fields=converted', '/f%78', '/ip/../fx', '/fx#rate'])
      expect(await codeOf(farebox.call(path)), path).toMatch(/a day of the operation \/fx/)
    expect(seller.signatures()).toHaveLength(1)
  })

  it('is not passed by with a cap, a key or an option that is misspelt', async () => {
    const seller = await openSeller()
    const given = (more: object) => () => createFarebox({ url: seller.url, ...more } as FareboxOptions)
    expect(given({ maxUsd: 1 })).toThrow('options: there is no "maxUsd"; there are url, wallet,')
    expect(given({ dryRun: true })).toThrow('options: there is no "dryRun"')
    expect(given({ wallet: { svmKey: 'x' } })).toThrow('wallet: there is no "svmKey"')
    expect(given({ maxUsdPerCall: 'abc' })).toThrow('maxUsdPerCall: "abc" is not an amount of dollars')
    const dry = { dry_run: true } as object
    await expect(clientOf(seller.url, {}).call('/fx', {}, dry)).rejects.toThrow('there is no "dry_run"')
    expect(seller.signatures()).toEqual([])
  })

  it('is not changed by who changes his own object later', async () => {
    const seller = await openSeller()
    const policy = { operations: { '/fx': { max_usd_per_call: '0.001' } } }
    const farebox = clientOf(seller.url, policy)
    policy.operations['/fx'].max_usd_per_call = '5'
    expect(await codeOf(farebox.call('/fx'))).toMatch(/a call of the operation \/fx at 0.001/)
  })

  it('holds over all processes of a user', async () => {
    const [seller, folder] = [await openSeller(), scratchFolder()]
    const policy = { payees: { [payTo]: { max_usd_per_day: '0.003' } } }
    const processOf = () => clientOf(seller.url, policy, { purse: purseInFile(folder) })
    expect(await codeOf(processOf().call('/fx'))).toBe('ok')
    expect(await codeOf(processOf().call('/fx'))).toMatch(/a day of the payee/)
    expect(
      readdirSync(folder).filter(name => /^spent-[\d-]{10}\.[0-9a-f]{16}\.jsonl$/.test(name)),
    ).toHaveLength(1)
  })

  it.each<[unknown, string]>([
    [[], 'the policy should be an object'],
    [{ max_usd_a_day: 1 }, 'there is no field "max_usd_a_day"'],
    [{ hosts: { a: { max_usd: 1 } } }, 'hosts a: there is no field "max_usd"'],
    [{ operations: { '/fx': 1 } }, 'operations /fx should be an object'],
    [{ payees: { '0xAB': {}, '0xab': {} } }, 'payees 0xab: it is named twice'],
    [
      { payees: { x: { max_usd_per_day: '1,00' } } },
      'payees x: max_usd_per_day: "1,00" is not an amount of dollars',
    ],
    [{ max_usd_per_call: null }, 'max_usd_per_call: "null" is not an amount of dollars'],
  ])('%j is none', (given, told) => {
    expect(() => checkedPolicy(given)).toThrow(told)
    expect(() => clientOf('http://127.0.0.1:9', given as Policy)).toThrow(told)
  })
})

it('a cap that stands twice in a file is refused with its line: JSON alone takes the last, and a reader the first', () => {
  const file = join(scratchFolder(), 'policy.json')
  const inFile = (text: string) => {
    writeFileSync(file, text)
    return () => policyIn(file)
  }
  const twice =
    '{\n  "hosts": { "a.example": {}, "b.example": {} },\n  "max_usd_per_day": "1",\n  "max\\u005fusd_per_day": "100"\n}'
  expect(inFile(twice)).toThrow('line 4: "max_usd_per_day" is named twice')
  const nested = '{"hosts": {"a.example": {"max_usd_per_day": 1,\n"max_usd_per_day": 9}}}'
  expect(inFile(nested)).toThrow('line 2: "max_usd_per_day" is named twice')
  const whole = (last: string) =>
    `{"hosts": {"a.example": {"max_usd_per_day": 1}, "*": {"max_usd_per_day": 1}}, "max_usd_per_day": ${last}}`
  expect(inFile(whole('2'))()).toMatchObject({ max_usd_per_day: 2 })
  expect(inFile(whole('"max_usd_per_day: {"'))).toThrow('is not an amount')
})

it('a dry run says what would be paid, signs nothing, and leaves the caps as they were', async () => {
  const seller = await openSeller()
  const farebox = clientOf(seller.url, { max_usd_per_day: '0.002' })
  for (let i = 0; i < 3; i++)
    expect(await codeOf(farebox.call('/fx', {}, { dryRun: true }))).toBe(
      `dry_run: It would pay 0.002 USDC on base to ${payTo}. Nothing was paid.`,
    )
  expect(seller.signatures()).toEqual([])
  expect(await codeOf(farebox.call('/fx'))).toBe('ok')
  expect(await codeOf(farebox.call('/fx', {}, { dryRun: true }))).toMatch(/^over_budget/)
})

it('a dry run takes nothing from the purse, so one that is killed has taken nothing', async () => {
  const [seller, folder] = [await openSeller(), join(scratchFolder(), 'state')]
  const taken: bigint[] = []
  const { take, giveBack } = purseInFile(folder)
  const purse: Purse = {
    take(day, atoms, most) {
      taken.push(atoms)
      return take(day, atoms, most)
    },
    giveBack,
  }
  const policy = { operations: { '*': { max_usd_per_day: '0.003' } } }
  const dry = () => codeOf(clientOf(seller.url, policy, { purse }).call('/fx', {}, { dryRun: true }))
  expect(await dry()).toMatch(/^dry_run/)
  expect(taken).toEqual([0n, 0n])
  expect(existsSync(folder)).toBe(false)
  expect(await codeOf(clientOf(seller.url, policy, { purse }).call('/fx'))).toBe('ok')
  const sizes = () => readdirSync(folder).map(name => [name, statSync(join(folder, name)).size])
  const before = sizes()
  expect(await dry()).toMatch(/^over_budget: it costs 0.002 USDC, 0.002 were spent today, and the policy/)
  expect(sizes()).toEqual(before)
})

it('a dry run names the network that would be paid: the first one within the caps', async () => {
  const polygon = {
    network: networks.polygon.caip2,
    asset: networks.polygon.asset,
    extra: networks.polygon.domain,
  }
  const seller = await startHostileSeller(
    selling(quoteOf({ ...offer, amount: '9000' }, { ...offer, ...polygon })),
  )
  const farebox = clientOf(seller.url, { max_usd_per_call: '0.002' })
  expect(await codeOf(farebox.call('/fx', {}, { dryRun: true }))).toMatch(
    /^dry_run: .* 0.002 USDC on polygon/,
  )
  expect(await codeOf(farebox.call('/fx'))).toBe('ok')
  expect(seller.signatures()).toMatchObject([{ accepted: { network: networks.polygon.caip2 } }])
})

it('nothing is sent where what is signed cannot be written down, and nothing counts', async () => {
  const seller = await openSeller()
  let isFull = true
  const onSigned = () => {
    if (isFull) throw new Error('the disk is full')
  }
  const farebox = clientOf(seller.url, { max_usd_per_day: '0.002' }, { onSigned })
  await expect(farebox.call('/fx')).rejects.toThrow('the disk is full')
  expect(seller.signatures()).toEqual([])
  isFull = false
  expect(await codeOf(farebox.call('/fx'))).toBe('ok')
})

describe('The command', () => {
  async function farebox(args: string[], folder: string, url: string): Promise<[number, string]> {
    const said: string[] = []
    for (const method of ['error', 'log'] as const) {
      const spy = vi.spyOn(console, method).mockImplementation(words => void said.push(String(words)))
      onTestFinished(() => spy.mockRestore())
    }
    const spending = { write: spendingInFolder(folder), read: () => spentIn(folder) }
    const keep = keepInFolder(join(folder, 'payments'))
    const env = { FAREBOX_URL: url, FAREBOX_KEY: evmKey, FAREBOX_POLICY: join(folder, 'policy.json') }
    const code = await run(args, { env, purse: purseInFile(folder), keep, spending })
    return [code, said.join('\n')]
  }

  it('reads the file, runs dry, and lists what it has signed', async () => {
    const [seller, folder] = [await openSeller(), scratchFolder()]
    writeFileSync(join(folder, 'policy.json'), '{"operations": {"/fx": {"max_usd_per_day": "0.004"}}}')
    const command = (...args: string[]) => farebox(args, folder, seller.url)
    expect(await command('call', '/fx', '--dry-run')).toEqual([
      0,
      expect.stringContaining('dry_run: It would pay 0.002'),
    ])
    expect(await command('spent')).toEqual([0, ''])
    expect(await command('call', '/ip')).toEqual([
      4,
      expect.stringContaining('the policy names no operation /ip'),
    ])
    for (const code of [0, 0, 4]) expect((await command('call', '/fx'))[0]).toBe(code)
    const [, listed] = await command('spent')
    const day = new Date().toISOString().slice(0, 10)
    expect(listed.split('\n')).toEqual([
      ...[1, 2].map(() =>
        expect.stringMatching(`${day}T.*Z  0.002 USDC on base to ${payTo}  ${seller.url}/fx`),
      ),
      `${day}  0.004 USDC signed`,
    ])
    const [, json] = await command('spent', '--json')
    expect(JSON.parse(json)).toMatchObject([{ usd: '0.002', network: 'base', payTo }, {}])
  })

  it('pays on the next network where one is refused, and says so', async () => {
    const polygon = {
      network: networks.polygon.caip2,
      asset: networks.polygon.asset,
      extra: networks.polygon.domain,
    }
    const poor = { error: 'insufficient_funds', charged: false, message: 'The wallet holds 0 USDC on base' }
    const seller = await startHostileSeller((response, { nth, paid }) => {
      if (!paid) ask402(response, quoteOf(offer, { ...offer, ...polygon }))
      else if (nth === 2) answer(response, 402, poor)
      else answer(response, 200, { said: 'hello' })
    })
    const folder = scratchFolder()
    writeFileSync(join(folder, 'policy.json'), '{}')
    const [code, said] = await farebox(['call', '/fx'], folder, seller.url)
    expect([code, said.split('\n').slice(0, 2)]).toEqual([
      0,
      ['insufficient_funds: The wallet holds 0 USDC on base', 'nothing was charged: polygon is paid instead'],
    ])
    expect(spentIn(folder).map(({ network }) => network)).toEqual(['base', 'polygon'])
    expect(readdirSync(join(folder, 'payments'))).toEqual([])
  })

  it.each<[string, RegExp]>([
    ['{', /the policy is no JSON/],
    ['{"max_usd": 1}', /there is no field "max_usd"/],
    ['', /the policy cannot be read|no JSON/],
  ])('ends with 2 for a policy that is %j, and asks nobody', async (text, told) => {
    const [seller, folder] = [await openSeller(), scratchFolder()]
    if (text) writeFileSync(join(folder, 'policy.json'), text)
    const [code, said] = await farebox(['call', '/fx'], folder, seller.url)
    expect([code, seller.heard]).toEqual([2, []])
    expect(said).toMatch(told)
  })
})
