/** The published package in an empty project. It calls the sandbox on each Node that it supports. And the examples. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../until.ts'
import { evmKey, type RunningSandbox, runSandbox, solanaKey } from '../sandbox/running.ts'
import { tryExamples } from './examples.ts'
import { tryPython } from './python.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'client-'))
const project = join(folder, 'project')
const installed = join(project, 'node_modules/farebox-client')
/** The oldest supported Node. The long form also tries those between it and ours. */
const older = process.env.LONG_FORM ? ['20', '22'] : ['20']
const nodeOf = (version: string) =>
  older.includes(version) ? join(project, `node_modules/node${version}/bin/node`) : process.execPath

interface Ended {
  stdout: string
  stderr: string
  code?: number
}

const program = `
import { createFarebox } from 'farebox-client'
const { URL: url, EVM: evmKey, SOLANA: solanaKey, RPC: solanaRpcUrl } = process.env
const wallet = { evmKey, solanaKey, solanaRpcUrl }
const answers = []
for (const network of ['base', 'solana']) {
  const farebox = createFarebox({ url, wallet, network })
  answers.push(await farebox.fx({ from: 'USD', to: 'JPY' }), await farebox.ip({ ip: '10.0.0.1' }))
}
const key = 'only-once-' + process.version
const farebox = createFarebox({ url, wallet })
answers.push(await farebox.fx({ from: 'USD', to: 'JPY' }, { key }), await farebox.fx({ from: 'USD', to: 'JPY' }, { key }))
answers.push(await createFarebox({ url, wallet, maxUsdPerCall: 0.001 }).fx({ from: 'USD', to: 'JPY' }))
answers.push(await createFarebox({ url, wallet: {} }).fx({ from: 'USD', to: 'JPY' }))
answers.push(await farebox.marketMethod())
console.log(JSON.stringify(answers))
`
const typed = `
import { createFarebox } from 'farebox-client'
const farebox = createFarebox({ url: '' })
const result = await farebox.fx({ from: 'USD', to: 'JPY' })
if (result.ok) { const converted: number = result.answer.converted; console.log(converted) }
else { const code: 'no_rate' | 'connection_lost' | string = result.error.code; console.log(code) }
// @ts-expect-error a question that is misspelt
await farebox.fx({ form: 'USD', to: 'JPY' })
// @ts-expect-error an answer that it does not have
if (result.ok) result.answer.convertd
// @ts-expect-error a code that it does not end in
if (!result.ok && result.error.code === 'no_rat') {}
`

let sandbox: RunningSandbox

beforeAll(async () => {
  const built = join(folder, 'built')
  mkdirSync(project)
  await run(process.execPath, [resolve('services/commands/client.ts'), built])
  await run('npm', ['pack', '--pack-destination', folder], { cwd: built })
  const tarball = readdirSync(folder).find(name => name.endsWith('.tgz')) as string
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
  const runtimes = older.map(
    version => `node${version}@npm:node-${process.platform}-${process.arch}@${version}`,
  )
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
  const installing = run('npm', ['install', ...quiet, join(folder, tarball), ...runtimes], { cwd: project })
  ;[sandbox] = await Promise.all([runSandbox(), installing])
})
afterAll(async () => {
  await sandbox?.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('the installed package', () => {
  it('holds JavaScript and its types, and nothing that must be compiled', () => {
    const files = readdirSync(installed, { recursive: true }).map(String)
    expect(files).toContain('index.js')
    expect(files).toContain('index.d.ts')
    expect(files.filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([])
  })

  it.each([...older, '24'])('calls, pays, replays and keeps its caps on Node %s', async version => {
    writeFileSync(join(project, 'program.js'), program)
    const env = {
      ...process.env,
      URL: sandbox.url,
      EVM: evmKey,
      XDG_STATE_HOME: join(folder, version),
      SOLANA: solanaKey,
      RPC: sandbox.solanaRpcUrl,
    }
    const { stdout } = await run(nodeOf(version), ['program.js'], { cwd: project, env })
    const [base, refused, solana, , first, again, over, poor, free] = JSON.parse(stdout)
    expect(base).toMatchObject({
      ok: true,
      replayed: false,
      answer: { to: 'JPY' },
      receipt: { network: 'base' },
    })
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'reserved_address', charged: false, status: 422 },
    })
    expect(solana).toMatchObject({ ok: true, receipt: { network: 'solana' }, settlement: { success: true } })
    expect(again).toMatchObject({ ok: true, replayed: true })
    expect(again.receipt.payment_tx).toBe(first.receipt.payment_tx)
    expect(over).toMatchObject({ ok: false, error: { code: 'over_budget', charged: false } })
    expect(poor).toMatchObject({ ok: false, error: { code: 'cannot_pay', charged: false } })
    expect(free).toMatchObject({ ok: true, answer: { labels: expect.anything() } })
  })

  it('is typed by the operations', async () => {
    writeFileSync(join(project, 'typed.ts'), typed)
    const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck']
    const { stdout } = await run(process.execPath, [tsc, ...strict, 'typed.ts'], { cwd: project }).catch(
      (failed: Ended) => failed,
    )
    expect(stdout).toBe('')
  })
})

describe('the command', () => {
  async function farebox(args: string[], more: NodeJS.ProcessEnv = {}): Promise<Required<Ended>> {
    const own = { FAREBOX_URL: sandbox.url, FAREBOX_KEY: evmKey, XDG_STATE_HOME: folder }
    const env = { ...process.env, ...own, ...more }
    const command = join(project, 'node_modules/.bin/farebox')
    const ended: Ended = await run(command, args, { cwd: project, env }).catch((failed: Ended) => failed)
    return { code: 0, ...ended }
  }

  it('lists, quotes, calls and pays', async () => {
    expect((await farebox(['catalog'])).stdout).toMatch(/^\/fx +0\.002 +Currency conversion$/m)
    expect((await farebox(['quote', '/fx'])).stdout).toMatch(
      /^0\.002 USDC on base to 0x\w+\n0\.002 USDC on solana/,
    )
    const paid = await farebox(['call', '/fx', '{"from":"USD","to":"JPY"}'])
    expect(JSON.parse(paid.stdout)).toMatchObject({ to: 'JPY', receipt: { charged: true } })
    expect(paid.stderr).toMatch(/^paid 0\.002 USDC on base: 0x/)
    const best = async () =>
      JSON.parse((await farebox(['market', 'best', 'weather', 'forecast', '--json'])).stdout)
    // The first release of the market is built while the sandbox is open already.
    await until(async () => (await fetch(`${sandbox.url}/market`)).ok, 'the first release', 60_000)
    expect(await best()).toMatchObject({ ok: true, answer: { task: 'weather forecast' } })
    expect((await farebox(['call', '/market/method'])).stdout).toContain('"labels"')
  })

  it('pays on Solana where the wallet of Base is empty', async () => {
    const empty = generatePrivateKey()
    const keys = {
      FAREBOX_KEY: `${empty}\n${solanaKey}`,
      FAREBOX_SOLANA_RPC: '',
      XDG_STATE_HOME: join(folder, 'poor'),
    }
    const paid = await farebox(['call', '/fx', '{"from":"USD","to":"JPY"}'], keys)
    expect(JSON.parse(paid.stdout)).toMatchObject({
      to: 'JPY',
      receipt: { charged: true, network: 'solana' },
    })
    expect(paid.stderr).toMatch(
      /^insufficient_funds: The wallet 0x\w+ holds 0 USDC on base, .*\nnothing was charged: solana is paid instead\npaid 0\.002/,
    )
    expect((await farebox(['payments'], keys)).stdout).toBe('no payment is open\n')
    const one = await farebox(['call', '/fx', '{"from":"USD","to":"JPY"}', '--max-usd', '0.003'], keys)
    expect([one.code, one.stderr]).toEqual([3, expect.stringContaining('were signed before in this call')])
  })

  it('verifies a receipt, and knows one that is not genuine', async () => {
    const question = '{"from":"USD","to":"JPY"}'
    const printed = (await farebox(['call', '/fx', question, '--json'])).stdout
    const file = join(folder, 'paid.json')
    writeFileSync(file, printed)
    const genuine = await farebox(['receipt', 'verify', file, question])
    expect([genuine.code, genuine.stderr]).toEqual([0, expect.stringMatching(/^signed by 0x\w{40}/)])
    expect(JSON.parse(genuine.stdout)).toMatchObject({ question_matches: true, answer_matches: true })
    writeFileSync(file, printed.replace(/"rate": [\d.]+/, '"rate": 1'))
    const changed = await farebox(['receipt', 'verify', file])
    expect([changed.code, changed.stderr]).toEqual([3, 'not genuine\n'])
    expect((await farebox(['receipt', 'verify'])).code).toBe(2)
  })

  it('ends with a code that says how', async () => {
    const refused = await farebox(['call', '/ip', '{"ip":"10.0.0.1"}'])
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringMatching(/^reserved_address: /)])
    const over = await farebox(['call', '/fx', '{"from":"USD","to":"JPY"}', '--max-usd', '0.001'])
    expect([over.code, over.stderr]).toEqual([4, expect.stringContaining('maxUsdPerCall is 0.001')])
    const spent = await farebox(['call', '/fx', '{"from":"USD","to":"JPY"}', '--max-usd-a-day', '0.003'])
    expect([spent.code, spent.stderr]).toEqual([4, expect.stringContaining('were spent today')])
    const lost = await farebox(['call', '/fx', '{}', '--url', 'http://127.0.0.1:9', '--patience', '0'])
    expect([lost.code, lost.stderr]).toEqual([3, expect.stringMatching(/^connection_lost/)])
  })

  it('suggests the word that was meant', async () => {
    const wrong = await farebox(['catalgo'])
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('did you mean catalog?')])
    expect((await farebox(['call', '/airport/stats'])).stderr).toContain('did you mean /airport/status?')
    expect((await farebox(['call', '/fx', '{'])).code).toBe(2)
    expect((await farebox(['call', '/fx', '--moeny', '1'])).code).toBe(2)
    expect((await farebox(['help'])).stdout).toContain('It ends with 0: answered.')
    const { stdout } = await run('bash', [
      '-c',
      `${(await farebox(['completion', 'bash'])).stdout}
for line in "farebox call /air" "farebox cat" "farebox call --idem" "farebox call /fx --network arb"; do
  COMP_WORDS=($line) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)) COMPREPLY=()
  _farebox; echo "\${COMPREPLY[@]}"
done`,
    ])
    expect(stdout).toBe('/airport/status\ncatalog\n--idempotency-key\narbitrum\n')
  })
})

tryExamples(() => sandbox)
tryPython(() => sandbox)
