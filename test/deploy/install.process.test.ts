/** Other machines than this one, as far as they can be had: other Nodes for npm, another platform's packages, little of everything. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { docker, hasImage, lacking } from '../containers/docker.ts'
import { scratchFolder } from '../scratch.ts'
import { silentUpstreams } from '../silent-upstreams.ts'
import { until } from '../until.ts'
import { installed } from './prometheus.ts'

const isLong = process.env.LONG_FORM !== undefined
const npm = (args: string[], path = process.env.PATH) =>
  spawnSync('npm', args, { encoding: 'utf8', env: { ...process.env, PATH: path }, maxBuffer: 64 << 20 })

/** Starts a sandbox by this command, and buys from it by this machine's clock. Resolves with what the customer is told. */
async function boughtFrom(command: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<string> {
  const places = { DATA_DIR: scratchFolder(), PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' }
  const env = { ...process.env, ...silentUpstreams, ...places, NETWORKS: 'base,solana', ...more }
  const [program = '', ...args] = command
  // The programs that it starts end with it.
  const child = spawn(program, args, { env, detached: true })
  onTestFinished(async () => {
    if (child.exitCode === null) process.kill(-(child.pid as number), 'SIGINT')
    if (child.exitCode === null) await once(child, 'exit')
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
  await until(() => said.includes('Ctrl-C') || child.exitCode !== null, 'the banner', 300_000)
  expect([child.exitCode, child.exitCode === null ? '' : said]).toEqual([null, ''])
  const call = ['run', '--silent', 'call', '--', '/fx', '{"from":"USD","to":"JPY"}']
  const { stdout, stderr } = spawnSync('npm', call, { encoding: 'utf8', env })
  return `${stdout}${stderr}`
}

describe.skipIf(!isLong)(isLong ? 'an install' : 'an install: LONG_FORM is unset', () => {
  it.each(['20', '22', '24', '26'])(
    'by npm on Node %s resolves, and runs its commands on the Node that it brings',
    async version => {
      const folder = scratchFolder()
      // Its own script brings the program of this machine.
      writeFileSync(join(folder, 'package.json'), '{"private":true,"allowScripts":{"node":true}}')
      const got = npm(['install', '--prefix', folder, '--no-save', `node@${version}`])
      expect([got.status, got.status ? got.stderr : '']).toEqual([0, ''])
      const path = `${join(folder, 'node_modules/node/bin')}${delimiter}${process.env.PATH}`
      const { stdout } = spawnSync('node', ['--version'], { encoding: 'utf8', env: { PATH: path } })
      expect(stdout).toMatch(new RegExp(`^v${version}\\.`))
      expect(npm(['ci', '--dry-run'], path)).toMatchObject({ status: 0 })
      expect(npm(['run', '--silent', 'call', '--', '--version'], path)).toMatchObject({
        status: 0,
        stdout: `${manifest.version}\n`,
      })
      const bought = await boughtFrom(['npm', 'start', '--', '--no-canary'], { PATH: path })
      expect(bought).toContain('"charged": true')
    },
  )

  it.skipIf(!installed('faketime'))(
    installed('faketime')
      ? 'whose clock is a day ahead sells: a payment by the clock of its payer is over on Base, so he pays on Solana'
      : 'whose clock is a day ahead: faketime is not installed',
    async () => {
      const main = ['--import', './services/node-version.js', 'services/sandbox/main.ts', '--no-canary']
      const bought = await boughtFrom(['faketime', '-f', '+1d', process.execPath, ...main])
      expect(bought).toContain('"charged": true')
      expect(bought).toMatch(/^paid .* USDC on solana/m)
    },
  )

  it('for macOS on arm64 resolves, with its engine, its chain and its VM', () => {
    const { status, stdout } = npm(['ci', '--os', 'darwin', '--cpu', 'arm64', '--dry-run'])
    expect(status).toBe(0)
    for (const name of ['@chdb/lib-darwin-arm64', '@foundry-rs/anvil-darwin-arm64', 'litesvm-darwin-arm64'])
      expect(stdout).toContain(`add ${name} `)
  })
})

const image = process.env.NODE_IMAGE ?? 'node:24.21-bookworm-slim'
const missing = !isLong
  ? 'LONG_FORM is unset'
  : ((await lacking()) ?? ((await hasImage(image)) ? undefined : `no image ${image} is here`))

describe.skipIf(missing)(missing ? `a small machine: ${missing}` : 'a small machine', () => {
  it('with one core, 1 GB, no network, no IPv6 and a home that cannot be written starts the sandbox, and sells', async () => {
    const name = `farebox-small-${process.pid}`
    const limits = [
      '--cpus',
      '1',
      '--memory',
      '1g',
      '--memory-swap',
      '1g',
      '--network',
      'none',
      '--read-only',
    ]
    const places = ['--tmpfs', '/tmp:exec', '--volume', `${resolve('.')}:/app:ro`, '--workdir', '/app']
    const settings = [
      '--env',
      'DATA_DIR=/tmp/data',
      '--env',
      'HOME=/nowhere',
      '--sysctl',
      'net.ipv6.conf.all.disable_ipv6=1',
    ]
    const command = [
      'node',
      '--import',
      './services/node-version.js',
      'services/sandbox/main.ts',
      '--no-canary',
    ]
    const child = spawn('docker', [
      'run',
      '--rm',
      '--init',
      '--name',
      name,
      ...limits,
      ...places,
      ...settings,
      image,
      ...command,
    ])
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
    onTestFinished(async () => {
      await docker(['kill', name]).catch(() => {})
      if (child.exitCode === null) await once(child, 'exit')
    })
    await until(
      () => {
        if (child.exitCode !== null) throw new Error(`it ended: ${said}`)
        return said.includes('a paid call')
      },
      'the banner of the sandbox',
      300_000,
    )
    const call = ['node', 'services/sandbox/call.ts', '/fx', '{"from":"USD","to":"JPY"}']
    expect(await docker(['exec', name, ...call])).toContain('"charged": true')
  })
})
