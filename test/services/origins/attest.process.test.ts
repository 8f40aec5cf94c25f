/** Paid attestations in the sandbox. Programs that share no code with us verify them. */
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { wrapFetchWithPayment } from '@x402/fetch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Attestation } from '../../../pipelines/domains/attestation/attestation.ts'
import { AttestationLedger } from '../../../pipelines/domains/attestation/ledger.ts'
import { requestFor, tokenIn } from '../../../pipelines/domains/attestation/stamps/request.ts'
import { BadToken, readToken } from '../../../pipelines/domains/attestation/stamps/token.ts'
import { trustIn } from '../../../pipelines/domains/attestation/stamps/trust.ts'
import { noteSigner } from '../../../pipelines/domains/attestation/tlog/note.ts'
import { openLog } from '../../../pipelines/rails/log/open-log.ts'
import { sha256 } from '../../../pipelines/rails/signing/sha256.ts'
import { attestEntries } from '../../../schemas/attest-entries.ts'
import { attestHeads } from '../../../schemas/attest-heads.ts'
import { pemOf } from '../../../services/sandbox/certificates.ts'
import { type Sandbox, startSandbox } from '../../../services/sandbox/sandbox.ts'
import { authorityName, newWitness, stamp } from '../../../services/sandbox/time-authority.ts'
import { payingClient } from '../../../services/sandbox/wallet.ts'
import { noBrowser } from '../../browser-folder.ts'
import { scratchFolder } from '../../scratch.ts'

interface Ran {
  code?: number
  stdout: string
}
const run = promisify(execFile)
const program = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'attest-'))
const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const missing = await noBrowser()
let sandbox: Sandbox

beforeAll(async () => {
  const ports = { PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
  const env = { DATA_DIR: folder, LOG_LEVEL: 'silent', NETWORKS: 'base,solana', ...ports }
  sandbox = await startSandbox(env, { live: async () => false })
})
afterAll(async () => {
  await sandbox?.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

const at = (path: string) => `${sandbox.service.url}${path}`
const posted = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

async function bought(network: string, question: object): Promise<Attestation & { receipt: object }> {
  const chain = sandbox.chains.find(each => each.network === network)
  if (!chain) throw new Error(`no ${network}`)
  const pay = wrapFetchWithPayment(fetch, await payingClient(chain))
  const answer = await pay(at('/attest'), posted(question))
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  return JSON.parse(text)
}

describe.skipIf(missing)(`a page of the sandbox${missing ? ` (${missing})` : ''}`, () => {
  let attested: Attestation & { receipt: object }
  const everything = ['text', 'screenshot', 'html', 'certificates']

  beforeAll(async () => {
    attested = await bought('base', { url: 'http://notice.sample/board', include: everything })
  })

  it('is attested with its redirect, its address, its certificate and its picture, and paid for', () => {
    const { statement, evidence, receipt, timestamps, signature } = attested
    expect(receipt).toMatchObject({ charged: true, price_usdc: 0.05, network: 'base' })
    expect(statement).toMatchObject({
      redirects: [{ url: 'http://notice.sample/board', status: 301 }],
      final_url: 'https://notice.sample/board',
      serving_ip: expect.stringMatching(/^93\.184\.216\.\d+$/),
      tls: { protocol: 'TLS 1.3' },
      title: 'Public notice',
      browser: expect.stringMatching(/^Chromium /),
    })
    expect(evidence?.text).toContain('The harbour is closed')
    expect(timestamps[0]?.authority).toContain('proves nothing')
    expect(signature.key_id).toMatch(/^development-/)
  })

  it('verifies in all its parts', async () => {
    const answer = await fetch(at('/attest/verify'), posted(attested))
    const verdict = (await answer.json()) as { valid: boolean; checks: { ok: boolean | null }[] }
    expect(verdict).toMatchObject({ valid: true, reason: null })
    expect(verdict.checks.map(({ ok }) => ok)).not.toContain(null)
  })

  it('is attested for a payment on Solana too, behind the first in the log', async () => {
    const second = await bought('solana', { url: 'https://notice.sample/board' })
    expect(second.receipt).toMatchObject({ charged: true, network: 'solana' })
    expect(second.log.index).toBeGreaterThan(attested.log.index)
  })

  it('is free if its site does not answer', async () => {
    const [chain] = sandbox.chains
    const pay = wrapFetchWithPayment(fetch, await payingClient(chain as never))
    const answer = await pay(at('/attest'), posted({ url: 'https://nobody.sample/' }))
    expect(await answer.json()).toMatchObject({ error: 'page_fetch_failed', charged: false })
  })

  it('is sold over MCP under its name', async () => {
    const call = (method: string, params: object) =>
      fetch(at('/mcp'), posted({ jsonrpc: '2.0', id: 1, method, params })).then(answer => answer.json())
    const { result } = (await call('tools/list', {})) as { result: { tools: { name: string }[] } }
    expect(result.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['attest_page', 'verify_attestation']),
    )
    const params = { name: 'attest_page', arguments: { url: 'https://notice.sample/board' } }
    expect(await call('tools/call', params)).toMatchObject({
      result: { isError: true, structuredContent: { accepts: [{ amount: '50000' }, { amount: '50000' }] } },
    })
  })

  describe.skipIf(!hasOpenssl)(`by others${hasOpenssl ? '' : ': OpenSSL is not installed'}`, () => {
    const script = program('./attest/verify-attestation.js')
    const signer = join(folder, 'signer.json')
    const roots = join(folder, 'time-authority.pem')

    async function judged(attestation: object, name = 'whole') {
      writeFileSync(signer, await (await fetch(at('/attest/signer'))).text())
      const file = join(folder, `${name}.json`)
      writeFileSync(file, JSON.stringify(attestation))
      const ran = await run(process.execPath, [script, file, signer, roots]).catch((failed: Ran) => failed)
      return { code: 0, ...ran, stdout: ran.stdout.trim() }
    }
    const flipped = (base64 = '') => {
      const bytes = Buffer.from(base64, 'base64')
      bytes[bytes.length - 4] = (bytes[bytes.length - 4] ?? 0) ^ 1
      return bytes.toString('base64')
    }

    it('a script of 60 lines without our code finds it valid', async () => {
      const text = readFileSync(script, 'utf8').trimEnd().split('\n')
      expect(text.length).toBeLessThanOrEqual(60)
      const imported = text.flatMap(line => /^import .* from '(.+)'$/.exec(line)?.[1] ?? [])
      expect(imported.every(name => /^(node:[a-z_]+|viem)$/.test(name))).toBe(true)
      expect(await judged(attested)).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^valid: https:/),
      })
    })

    it('and names the part that was changed', async () => {
      const { evidence = {}, statement } = attested
      const [leaf, ...others] = evidence.certificates_base64 ?? []
      const changes: [string, object][] = [
        ['text', { evidence: { ...evidence, text: `${evidence.text}.` } }],
        ['screenshot', { evidence: { ...evidence, screenshot_base64: flipped(evidence.screenshot_base64) } }],
        ['certificate', { evidence: { ...evidence, certificates_base64: [flipped(leaf), ...others] } }],
        ['statement_sha256', { statement: { ...statement, observed_at: '2026-01-01T00:00:00.000Z' } }],
        ['timestamp', { timestamps: [{ ...attested.timestamps[0], time: '2026-01-01T00:00:00.000Z' }] }],
        ['log_inclusion', { timestamps: [] }],
        [
          'log_checkpoint',
          { log: { ...attested.log, checkpoint: attested.log.checkpoint.replace('\n1\n', '\n2\n') } },
        ],
      ]
      const verdicts = await Promise.all(
        changes.map(
          async ([name, change]) => [name, await judged({ ...attested, ...change }, name)] as const,
        ),
      )
      for (const [name, verdict] of verdicts)
        expect(verdict).toMatchObject({ code: 1, stdout: `${name}: wrong` })
    })
  })
})

describe.skipIf(!hasOpenssl)(`OpenSSL${hasOpenssl ? '' : ' is not installed'}`, () => {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const hash = sha256('a statement')

  it('reads our question, and its answer is one to us: another kind of key, other parts', () => {
    const { der, nonce } = requestFor(hash)
    writeFileSync(join(folder, 'question.der'), der)
    const asked = String(openssl('ts', '-query', '-in', 'question.der', '-text'))
    expect(asked).toContain(`Nonce: 0x${nonce.toString('hex').toUpperCase()}`)
    writeFileSync(
      join(folder, 'tsa.cnf'),
      `[tsa]\ndefault_tsa = it\n[it]\nserial = ${folder}/serial\ndefault_policy = 1.2.3.4.1\ndigests = sha256\nsigner_digest = sha256\naccuracy = secs:1, millisecs:500\nordering = yes\ntsa_name = yes\ness_cert_id_chain = yes\ness_cert_id_alg = sha1\n[leaf]\nbasicConstraints = critical,CA:FALSE\nextendedKeyUsage = critical,timeStamping\n`,
    )
    writeFileSync(join(folder, 'serial'), '01\n')
    const rsa = ['-newkey', 'rsa:2048', '-nodes']
    openssl('req', '-x509', ...rsa, '-keyout', 'root.key', '-out', 'root.pem', '-subj', '/CN=A root')
    openssl('req', ...rsa, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', '/O=Somebody/CN=A clock')
    const issuing = ['-CA', 'root.pem', '-CAkey', 'root.key', '-extfile', 'tsa.cnf', '-extensions', 'leaf']
    openssl('x509', '-req', '-in', 'leaf.csr', ...issuing, '-out', 'leaf.pem')
    const signing = ['-signer', 'leaf.pem', '-inkey', 'leaf.key', '-chain', 'root.pem', '-config', 'tsa.cnf']
    openssl('ts', '-reply', '-queryfile', 'question.der', ...signing, '-out', 'reply.der')
    const token = tokenIn(readFileSync(join(folder, 'reply.der')))
    const trust = trustIn(readFileSync(join(folder, 'root.pem'), 'utf8'))
    const stamp = readToken(token, { sha256: hash, trust, nonce })
    expect(stamp).toMatchObject({ authority: 'A clock', policy: '1.2.3.4.1' })
    expect(Math.abs(stamp.time - Date.now())).toBeLessThan(60_000)
    expect(() => readToken(token, { sha256: hash, trust: trustIn() })).toThrow(BadToken)
  })

  it('accepts a token of the test authority, and none with one changed byte', async () => {
    const witness = await newWitness(Date.now())
    const token = tokenIn(await stamp(requestFor(hash).der, witness, Date.now()))
    writeFileSync(join(folder, 'witness.pem'), pemOf('CERTIFICATE', witness.root))
    const trust = trustIn(pemOf('CERTIFICATE', witness.root), [])
    const verdicts = (bytes: Buffer) => {
      writeFileSync(join(folder, 'token.der'), bytes)
      const about = ['-digest', hash, '-token_in', '-in', 'token.der', '-CAfile', 'witness.pem']
      const { status } = spawnSync('openssl', ['ts', '-verify', ...about], { cwd: folder })
      try {
        return [status === 0, readToken(bytes, { sha256: hash, trust }).authority !== '']
      } catch (error) {
        if (!(error instanceof BadToken)) throw error
        return [status === 0, false]
      }
    }
    expect(verdicts(token)).toEqual([true, true])
    const places = {
      hash: token.indexOf(hash, 'hex'),
      year: token.indexOf(`${new Date().getUTCFullYear()}`),
      certificate: token.indexOf(authorityName),
      signature: token.length - 1,
    }
    for (const [place, at] of Object.entries(places)) {
      const changed = Buffer.from(token)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect([place, at > 0, ...verdicts(changed)]).toEqual([place, true, false, false])
    }
  })
})

describe('the log under kill -9', () => {
  const rounds = process.env.LONG_FORM ? 1000 : 3
  const name = 'farebox/killed.example'
  const key = `0x${'5'.repeat(64)}`

  it(`gives no place twice and signs no two roots of one size, killed ${rounds} times`, async () => {
    const own = scratchFolder()
    const told: { statement_sha256: string; index: number; size: number; root: string }[] = []
    const problems: string[] = []
    for (let round = 0; round < rounds; round++) {
      const script = program('../../pipelines/domains/attestation/ledger-process.ts')
      const child = spawn(process.execPath, [script, own, name, key], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const most = 1 + Math.floor(Math.random() * 40)
      let heard = 0
      for await (const line of createInterface({ input: child.stdout })) {
        if (!line.endsWith('}')) break
        const each = JSON.parse(line)
        if ('problem' in each) problems.push(each.problem)
        else told.push(each)
        heard++
        if (heard === most) child.kill('SIGKILL')
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    const signer = noteSigner(name, key)
    const log = await openLog(`sqlite:${own}/log.db`, { topics: [attestEntries.topic, attestHeads.topic] })
    const onFailed = (_: string, error: unknown) => void problems.push(String(error))
    const ledger = await AttestationLedger.open({ log, verifiers: [signer], now: Date.now, onFailed })
    expect(told.length).toBeGreaterThanOrEqual(rounds)
    for (const { statement_sha256, index, size, root } of told) {
      expect(ledger.book.indexOf(statement_sha256)).toBe(index)
      expect(ledger.book.tree.root(size).toString('hex')).toBe(root)
    }
    expect(problems).toEqual([])
    await ledger.close()
    await log.close()
  })
})
