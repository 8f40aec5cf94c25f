/** The Python package: built, installed, and run against a running sandbox and against sellers who may be anybody. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addressOfKey } from '../../../pipelines/rails/signing/eip712.ts'
import { nameOf } from '../../../services/client/kept.ts'
import { networks } from '../../../services/client/networks.ts'
import { proofFor } from '../../../services/client/proof.ts'
import { purseInFile } from '../../../services/client/purse-file.ts'
import { spentIn } from '../../../services/client/spending.ts'
import { verified } from '../../../services/client/verify.ts'
import { sold } from '../../../services/commands/client-shapes.ts'
import { weighSubscribe } from '../../../services/origins/watch/weigh/subscribe.ts'
import { offeredBy } from '../../../services/query/catalog/offered.ts'
import { scratchFolder } from '../../scratch.ts'
import { until } from '../../until.ts'
import { evmKey, type RunningSandbox, solanaKey } from '../sandbox/running.ts'
import { offer } from '../till/paying.ts'
import { offering, selling, startHostileSeller } from './hostile-seller.ts'
import { startPlainSeller } from './plain-seller.ts'
import { genuine, mutants, signerKey } from './receipt-mutants.ts'

const run = promisify(execFile)
const programs = resolve('test/services/client/python')
const python = process.env.PYTHON ?? 'python3'
const shop = 'https://shop.example'

/** In the long form an environment of its own, with packages as they are published; else those that are there already. */
export async function installedPython(folder: string): Promise<{ python: string; path: string }> {
  const project = join(folder, 'project')
  await run(process.execPath, [resolve('services/commands/client-python.ts'), project])
  await run(python, ['-m', 'hatchling', 'build', '-t', 'wheel', '-t', 'sdist'], { cwd: project })
  const packed = readdirSync(join(project, 'dist'))
  const wheel = join(project, 'dist', packed.find(name => name.endsWith('.whl')) ?? '')
  expect(packed.map(name => name.replace(/\d+\.\d+\.\d+/, ''))).toEqual([
    'farebox--py3-none-any.whl',
    'farebox-.tar.gz',
  ])
  if (!process.env.LONG_FORM) {
    const path = join(folder, 'installed')
    await run(python, ['-m', 'pip', 'install', '-q', '--no-deps', '--no-index', '--target', path, wheel])
    return { python, path }
  }
  const empty = join(folder, 'empty')
  await run(python, ['-m', 'venv', empty])
  const own = join(empty, 'bin/python')
  await run(own, ['-m', 'pip', 'install', '-q', wheel, 'mypy', 'pyright'])
  return { python: own, path: '' }
}

/** What both clients must say of the same things. */
async function cross(shared: string) {
  const day = new Date().toISOString().slice(0, 10)
  const purse = purseInFile(shared)
  purse.take(day, 5000n, 1_000_000n)
  const solana = networks.find(({ name }) => name === 'solana')
  const questions = [
    {},
    { to: 'JPY', from: 'USD' },
    { amount: 0.1 + 0.2, small: 1e-7, large: 1e21, whole: 100 },
    { text: 'ä€😀"\\\n\u007f', deep: [{ b: 1, a: [null, true] }], '10': 1, '9': 2, é: 3 },
  ]
  const info = {
    ...{ domain: 'shop.example', uri: `${shop}/fx`, statement: 'Give me the answer that I have paid for.' },
    ...{ version: '1', nonce: 'abcdefgh12345678', issuedAt: '2026-11-22T10:00:00.000Z' },
    ...{ expirationTime: '2026-11-22T10:05:00.000Z', resources: [`urn:x402:payment:${'ab'.repeat(32)}`] },
  }
  const asked = (chainId: unknown, change: object = {}) => ({
    extensions: { 'sign-in-with-x': { info: { ...info, ...change }, supportedChains: [{ chainId }] } },
  })
  const refusals = [
    asked(offer.network),
    asked(solana?.id),
    ...['eip155:1', null].map(chain => asked(chain)),
    ...Object.keys(info).map(name => asked(offer.network, { [name]: 'other' })),
    asked(offer.network, { resources: [...info.resources, 'https://shop.example/login'] }),
    asked(offer.network, { nonce: 'abcdefgh1234567\n' }),
    {},
  ]
  const proofs = refusals.map(async refusal => {
    const proof = await proofFor(refusal, `${shop}/fx`, { evmKey, solanaKey })
    return [refusal, proof ? JSON.parse(Buffer.from(proof, 'base64').toString()) : null]
  })
  return {
    ...{ evmKey, solanaKey, offer, day, proofs: await Promise.all(proofs) },
    solana: {
      ...{ scheme: 'exact', network: solana?.id, asset: solana?.usdc, amount: '2000', maxTimeoutSeconds: 60 },
      payTo: '7s5vGr2iJyrHu4hG4cE4oQxMSPy3PWTq3LQFWtEJLcHh',
      extra: { feePayer: 'CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5' },
    },
    names: questions.map(question => [nameOf(shop, '/fx', question), '/fx', question]),
  }
}

/** `without` says why there is no such environment; then the tests are skipped. */
export const tryPython = (sandbox: () => RunningSandbox) =>
  describe('the Python package', () => {
    const folder = scratchFolder(afterAll)
    let own = { python, path: '' }
    let without: string | undefined
    const environment = (more: NodeJS.ProcessEnv = {}) => ({
      ...process.env,
      PYTHONPATH: own.path,
      PYTHONDONTWRITEBYTECODE: '1',
      FAREBOX_URL: sandbox().url,
      FAREBOX_KEY: `${evmKey}\n${solanaKey}`,
      FAREBOX_SOLANA_RPC: sandbox().solanaRpcUrl,
      XDG_STATE_HOME: join(folder, 'state'),
      ...more,
    })

    beforeAll(async () => {
      const needed = process.env.LONG_FORM
        ? 'import ensurepip, hatchling'
        : 'import pip, hatchling, httpx, rfc8785, solders, x402.mechanisms.evm.exact'
      without = await run(python, ['-c', needed]).then(
        () => undefined,
        (error: Error) => `no Python to try it with: ${error.message.trim().split('\n').at(-1)}`,
      )
      if (!without) own = await installedPython(folder)
    })

    it('buys on each network, checks receipts, replays and keeps its caps', async context => {
      if (without) context.skip(without)
      // Without a node of Solana: the quote names a block.
      const env = environment({ FAREBOX_SOLANA_RPC: '' })
      const { stdout } = await run(own.python, [join(programs, 'sandbox.py')], { env })
      const said = JSON.parse(stdout)
      for (const network of ['base', 'solana']) {
        expect(said[network]).toMatchObject({ answer: { to: 'JPY', receipt: { network } }, replayed: false })
        const all = { valid: true, question_matches: true, answer_matches: true }
        expect(said[`${network} checked`]).toMatchObject(all)
        expect(said[`${network} changed`]).toMatchObject({ ...all, valid: false, answer_matches: false })
        expect(said[`${network} refused`]).toEqual(['reserved_address', 422, false])
      }
      expect(said).toMatchObject({ replayed: [false, true], pinned: [true, false], quote: '2000' })
      expect(new Set(said.transactions).size).toBe(1)
      expect(said.free).toHaveLength(1)
      expect(said.no).toEqual([
        expect.stringContaining('max_usd_per_call is 0.001'),
        expect.stringContaining('the policy names no operation /fx'),
        expect.stringContaining('the wallet has no key for base'),
      ])
      expect(said.dry).toMatch(/^dry_run: It would pay 0\.002 USDC on base to 0x/)
      const lines = ['base', 'solana'].flatMap(network =>
        ['fx', 'ip'].map(path => ['0.002', network, `${sandbox().url}/${path}`]),
      )
      expect(said.spent).toEqual(lines)
      expect(spentIn(join(folder, 'state/farebox')).map(each => [each.usd, each.network, each.url])).toEqual(
        lines,
      )
      expect(said['at once']).toBe(4)
      expect([said.refused, said.instead]).toEqual([['insufficient_funds', 'solana'], 'solana'])
    })

    it('gives a seller nothing but what it must, and tells the truth about the money', async context => {
      if (without) context.skip(without)
      const shared = scratchFolder()
      const env = environment({ SHARED: shared, CROSS: JSON.stringify(await cross(shared)) })
      await run(own.python, ['-W', 'error::ResourceWarning', join(programs, 'test_hostile.py')], { env })
    })

    it('vouches for no word of a receipt that was changed beside the signatures', async context => {
      if (without) context.skip(without)
      // In Python nothing but the whole answer is verified.
      const base = await genuine()
      const cases = [base, ...mutants(base)].filter(each => 'answer' in each && each.settlement)
      const running = run(own.python, [join(programs, 'receipts.py')], { env: environment() })
      running.child.stdin?.end(JSON.stringify({ signer: addressOfKey(signerKey), cases }))
      const said = JSON.parse((await running).stdout) as boolean[]
      const options = { signers: [addressOfKey(signerKey)] }
      const others = await Promise.all(
        cases.map(async each => (await verified(each, { ...options, question: each.question })).valid),
      )
      expect(cases.filter((_, at) => said[at] !== others[at]).map(({ name }) => name)).toEqual([])
      expect([said.length, said[0]]).toEqual([cases.length, true])
    })

    it('shares the cap of a day with the other client: of three processes of each at once, none passes it', async context => {
      if (without) context.skip(without)
      const env = environment({ XDG_STATE_HOME: scratchFolder() })
      const spender = { ts: resolve('test/services/client/spender.ts'), py: join(programs, 'spender.py') }
      const spending = [1, 2, 3].flatMap(() => [
        run(own.python, [spender.py, '40', '0.1'], { env }),
        run(process.execPath, [spender.ts, '40', '0.1'], { env }),
      ])
      const said = await Promise.all(
        spending.map(async each => (await each).stdout.match(/yes/g)?.length ?? 0),
      )
      expect(said.reduce((a, b) => a + b)).toBe(100)
    })

    // The other two places are those of the long form: purse.process.test.ts tries all three by the same steps.
    it.for(process.env.LONG_FORM ? ['claimed', 'logged', 'kept'] : ['logged'])(
      'killed with its payment %s, it has lost nothing: the command finds what was taken, and says it',
      async (step, context) => {
        if (without) context.skip(without)
        const home = scratchFolder()
        const seller = await startHostileSeller(selling(offering()))
        const env = environment({ XDG_STATE_HOME: home, FAREBOX_URL: seller.url })
        const killed = await run(own.python, [join(programs, 'killed.py'), seller.url, step], { env }).catch(
          e => e,
        )
        expect([killed.signal, seller.signatures()]).toEqual(['SIGKILL', []])
        const farebox = async (...args: string[]) =>
          (await run(process.execPath, [resolve('services/client/main.ts'), ...args], { env })).stdout
        expect(await farebox('spent')).toMatch(
          step === 'claimed' ? /0.002 USDC count against the cap: 0.002 were taken by/ : /0.002 USDC signed/,
        )
        await farebox('call', '/fx', '{"from":"USD","to":"JPY"}')
        expect(seller.signatures()).toHaveLength(1)
        const day = new Date().toISOString().slice(0, 10)
        const { spent } = await purseInFile(join(home, 'farebox')).take(day, 0n, 0n)
        expect(spent).toBe(step === 'kept' ? 2000n : 4000n)
      },
    )

    it('buys from a seller that is not Farebox, and makes up no receipt', async context => {
      if (without) context.skip(without)
      const seller = await startPlainSeller()
      onTestFinished(() => seller.close())
      const env = environment({ FAREBOX_URL: seller.url, FAREBOX_SOLANA_RPC: seller.solana.rpcUrl })
      const said = JSON.parse((await run(own.python, [join(programs, 'plain.py')], { env })).stdout)
      for (const network of ['base', 'solana'])
        expect(said[network]).toEqual(['x402', true, null, false, null])
      expect(said.refused).toEqual([
        'payment_rejected',
        null,
        expect.stringContaining('insufficient_balance'),
      ])
    })

    it('does what its README says', async context => {
      if (without) context.skip(without)
      const readme = readFileSync(resolve('services/client/python/README.md'), 'utf8')
      const [, first = ''] = /```python\n([\s\S]*?)```/.exec(readme) ?? []
      expect(first.trim().split('\n').length).toBeLessThanOrEqual(10)
      const program = join(folder, 'quick_start.py')
      writeFileSync(program, first.replace('http://127.0.0.1:8402', sandbox().url))
      const { stdout } = await run(own.python, [program], { env: environment() })
      expect(stdout).toMatch(/^[\d.]+ \{'request_id': .*\} True\n$/)
    })

    describe.skipIf(!process.env.LONG_FORM)('in the long form', () => {
      it.each([['mypy', '--strict'], ['mypy', '--strict', '--python-version', '3.10'], ['pyright']])(
        'is typed for %s %s',
        async (...checker) => {
          const project = join(folder, `typed-${checker.length}-${checker[0]}`)
          mkdirSync(project)
          cpSync(join(programs, 'typed.py'), join(project, 'typed.py'))
          const args =
            checker[0] === 'pyright'
              ? [...checker, '--pythonpath', own.python]
              : [...checker, '--warn-unused-ignores']
          const { stdout } = await run(own.python, ['-m', ...args, 'typed.py'], { cwd: project }).catch(
            (failed: { stdout: string }) => failed,
          )
          expect(stdout).toMatch(/^(Success: no issues|0 errors, 0 warnings)/m)
        },
      )

      it('buys the example of every operation on both networks, with and without async', async context => {
        if (without) context.skip(without)
        const released = async () => (await fetch(`${sandbox().url}/market`)).ok
        await until(released, 'the first release of the market', 60_000)
        // A signed message opens one subscription, and examples are bought four times.
        const bought = offeredBy(sold).filter(({ price, path }) => price && path !== weighSubscribe.path)
        const examples = Object.fromEntries(
          bought.map(({ path, example }) => [path.slice(1).replace(/[/-]/g, '_'), example.request as object]),
        )
        const running = run(own.python, [join(programs, 'operations.py')], {
          env: environment(),
          maxBuffer: 64 << 20,
        })
        running.child.stdin?.end(JSON.stringify(examples))
        const ended = JSON.parse((await running).stdout) as [string, string, string, unknown][]
        expect(ended).toHaveLength(4 * Object.keys(examples).length)
        expect(ended.filter(([, , said]) => said !== 'ok')).toEqual([])
      })
    })
  })
