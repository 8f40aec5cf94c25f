import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { origins } from '../../../services/origins/index.ts'
import { findNote, type Note } from '../../../services/sandbox/note.ts'
import { noBrowser } from '../../browser-folder.ts'
import { silentUpstreams } from '../../silent-upstreams.ts'
import { until } from '../../until.ts'
import { noteOf } from './noted.ts'

/** The payers of play money that are nobody of these tests. */
const isCanary = /0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc|43w57HuvUB66TjMuWc1r6K8yxnM2ZP5LxjK3dbYPkQso/i
const program = (name: string) => fileURLToPath(new URL(`../../../services/sandbox/${name}`, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
const env = {
  ...process.env,
  ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' },
  ...silentUpstreams,
  NETWORKS: 'base,polygon,solana',
}

let sandbox: ChildProcessByStdio<null, Readable, Readable>
let said: string

async function start(): Promise<void> {
  said = ''
  sandbox = spawn(process.execPath, [program('main.ts')], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [sandbox.stdout, sandbox.stderr]) stream.on('data', text => (said += text))
  await until(() => said.includes('Ctrl-C') || sandbox.exitCode !== null, 'the banner', 120_000)
  if (sandbox.exitCode !== null) throw new Error(`it did not start: ${said}`)
}

async function call(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program('call.ts'), ...args], {
    env,
  }).catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

const storeUrl = () => /http:\/\/127\.0\.0\.1:\d+(?=\/\?user=analyst)/.exec(said)?.[0] ?? ''
const query = async (sql: string) =>
  (await fetch(`${storeUrl()}/?user=analyst`, { method: 'POST', body: sql })).text()

/** Waits until the service, the chains and the store no longer answer. */
async function gone(note: Note, store: string): Promise<void> {
  for (const url of [note.url, store, ...note.chains.map(({ rpcUrl }) => rpcUrl)])
    await until(
      () =>
        fetch(url).then(
          () => false,
          () => true,
        ),
      `${url} to be gone`,
    )
}

describe('npm start', () => {
  beforeAll(start)
  afterAll(() => {
    sandbox.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  })

  it('says where to go, and what is not live', () => {
    expect(said).toMatch(/curl -i -X POST http:\/\/127\.0\.0\.1:\d+\/fx/)
    expect(said).toContain(`npm run call -- /fx '{"from":"USD","to":"JPY"}' --network solana`)
    expect(said).toContain('ECB rates: bundled sample, not live')
    expect(said).toContain('FAA airport status: bundled sample, not live')
    for (const { title } of origins) expect(said).toContain(`${title}: `)
  })

  it.each(['base', 'polygon', 'solana'])('sells for play money on %s', async network => {
    const text = await call('/fx', '{"from":"USD","to":"JPY"}', '--network', network)

    expect(text).toContain(`before   1000 USDC on ${network}`)
    expect(text).toContain('quote    0.002 USDC')
    expect(text).toContain('answer   HTTP 200')
    expect(text).toContain('(bundled sample, not live)')
    expect(text).toContain('"charged": true')
    expect(text).toContain(`"network": "${network}"`)
    expect(text).toContain(`after    999.998 USDC on ${network}, 0.002 USDC less`)
  })

  it('reads the payments of each network', async () => {
    const { sources } = (await (await fetch(`${(await noteOf(folder)).url}/health`)).json()) as {
      sources: Record<string, { outcome: string }>
    }
    for (const network of ['base', 'polygon', 'solana'])
      expect(sources[`payments_${network}`]?.outcome).toBe('changed')
    expect(Object.keys(sources).filter(name => name.startsWith('payments_'))).toHaveLength(3)
  })

  it('replays with a key, and charges nothing for a refusal', async () => {
    const asked = ['/ip', '{"ip":"8.8.8.8"}', '--idempotency-key', 'only-once-1'] as const
    expect(await call(...asked)).toContain('0.002 USDC less')
    expect(await call(...asked)).toMatch(/HTTP 200 \(replayed, nothing was paid\)[\s\S]*, 0 USDC less/)
    expect(await call('/fx', '{"from":"USD","to":"BGN"}')).toMatch(/unsupported_currency[\s\S]*, 0 USDC less/)
  })

  it('is the command farebox, with an address and a wallet', async () => {
    const quoted = await call('quote', '/airport/status')
    expect(quoted).toMatch(/^0\.003 USDC on base to 0x\w+\n0\.003 USDC on polygon[\s\S]*on solana to/)
    expect(quoted).not.toContain('before')
    expect(await call('catalog')).toMatch(/^\/fx +0\.002 +Currency conversion$/m)
    expect(await call('/fx', '{"from":"USD","to":"JPY"}', '--max-usd', '0.001')).toMatch(
      /over_budget[\s\S]*, 0 USDC less/,
    )
  })

  it('names the chain that it lacks, for free', async () => {
    const text = await call('/chain/price', '{"chain":"ethereum","token":"WETH"}')
    expect(text).toContain('answer   HTTP 503')
    expect(text).toContain('not_configured: The sandbox runs no Ethereum, but base, polygon, solana')
    expect(text).toContain('0 USDC less')
  })

  it('names the calls that it cannot make', async () => {
    expect(await call('/fx', '{}', '--network', 'base-sepolia')).toContain(
      'the sandbox runs base or polygon or solana',
    )
    expect(await call()).toContain('farebox call <path> [json]')
  })

  it('has a pool moved, and says for how long its price is told as skewed', async () => {
    const said = await call('skew')
    const token = /^skewed +(0x\w{40}): somebody has bought/.exec(said)?.[1]
    expect(said).toMatch(
      /^told +by .chain.price for the next 100 blocks, about 100 s, once the pool is as old$/m,
    )
    const price = await call('/chain/price', JSON.stringify({ chain: 'base', token }))
    // The pool of a sandbox that has just begun has no price of 100 blocks before: test/services/origins/chain/skew.process.test.ts.
    expect(JSON.parse(price.slice(price.indexOf('{'), price.lastIndexOf('}') + 1)).price_usd).toBeGreaterThan(
      0.4,
    )
  })

  it('shows the log while it is written', async () => {
    const [, LOG_URL, topic] = /LOG_URL=(\S+) npm run log -- tail (\w+)/.exec(said) ?? []
    const log = fileURLToPath(new URL('../../../services/commands/log.ts', import.meta.url))
    const tail = spawn(process.execPath, [log, 'tail', topic ?? '', '--from', 'beginning'], {
      env: { ...env, LOG_URL },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let lines = ''
    tail.stdout.on('data', text => (lines += text))
    // The canary buys beside the tests.
    const ours = () =>
      lines.split('\n').filter(line => line.includes('"state":"settled"') && !isCanary.test(line))
    await until(() => ours().length === 5, 'five settlements')
    tail.kill()
  })

  it('shows analysts what was sold', async () => {
    await until(
      async () => (await query('select count() from receipts where not canary')).trim() === '5',
      'five receipts',
    )
  })

  it('leaves nothing running when it is killed, and goes on with its books', async () => {
    const note = await noteOf(folder)
    const store = storeUrl()

    sandbox.kill('SIGKILL')

    await gone(note, store)
    expect(await call('/fx')).toBe('the sandbox is not running: start it with npm start\n')
    await start()
    expect((await query('select count() from receipts where not canary')).trim()).toBe('5')
  })

  /** A machine with too much to do may be late with a page. Such a call is free, and whoever made it asks again. */
  async function bought(path: string, question: string): Promise<string> {
    let said = ''
    for (let tries = 0; tries < 3; tries++) {
      said = await call(path, question, '--max-usd', '1')
      if (!/upstream_failed[\s\S]*, 0 USDC less/.test(said)) break
    }
    return said
  }

  it('shows purchases that can be made exactly as printed', async () => {
    const shown = [...said.matchAll(/: (?:DATA_DIR=\S+ )?npm run call -- (\/\S+) '(.+)'$/gm)]
    expect(shown).toHaveLength(origins.length)
    for (const [line, path = '', question = ''] of shown)
      expect(await bought(path, question), line).toContain('answer   HTTP 200')
  })

  it.each(['base', 'solana'])(
    'reads and pictures a page that a script has made, paid on %s',
    async network => {
      const url = '{"url":"http://tides.sample/"}'
      const missing = await noBrowser()
      const text = await call('/read', url, '--network', network)
      if (missing) expect(text).toMatch(/not_ready: [\s\S]*, 0 USDC less/)
      else expect(text).toMatch(/This table was drawn by a script[\s\S]*, 0\.002 USDC less/)
      const picture = await call('/screenshot', url, '--network', network)
      if (missing) expect(picture).toMatch(/not_ready: [\s\S]*, 0 USDC less/)
      else expect(picture).toMatch(/"width": 1280[\s\S]*, 0\.003 USDC less/)
    },
  )

  it('reads every page of the sample site that is one, and refuses the rest for free', async () => {
    expect(await call('/read', '{"url":"http://old.sample/night-ferry"}')).toContain(
      '"final_url": "http://news.sample/night-ferry"',
    )
    expect(await call('/read', '{"url":"http://files.sample/scan.pdf"}')).toMatch(
      /not_a_page[\s\S]*, 0 USDC less/,
    )
    expect(await call('/read', '{"url":"http://127.0.0.1/"}')).toMatch(/invalid_url[\s\S]*, 0 USDC less/)
    expect(await call('/screenshot', '{"url":"http://[::1]/"}')).toMatch(/invalid_url[\s\S]*, 0 USDC less/)
  })

  it('stops whole on Ctrl-C', async () => {
    const note = await noteOf(folder)
    const store = storeUrl()

    sandbox.kill('SIGINT')
    const [code] = await once(sandbox, 'exit')

    expect(code).toBe(0)
    await gone(note, store)
    expect(await findNote(folder)).toBeUndefined()
  })
})
