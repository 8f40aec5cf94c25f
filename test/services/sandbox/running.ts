/** A sandbox for one test, in a process of its own, as `npm start` runs it. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { silentUpstreams } from '../../silent-upstreams.ts'
import { until } from '../../until.ts'
import { noteOf } from './noted.ts'

export interface RunningSandbox {
  url: string
  folder: string
  said: string
  env: NodeJS.ProcessEnv
  baseRpcUrl: string
  solanaRpcUrl: string
  stop(): Promise<void>
}

/** The play-money payer's keys; everybody has them. */
export const evmKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
export const solanaKey = JSON.stringify([
  ...createHash('sha256').update('farebox play money: payer').digest(),
])

export async function runSandbox(
  more: NodeJS.ProcessEnv = {},
  args: readonly string[] = ['--no-canary'],
): Promise<RunningSandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
  const env = {
    ...process.env,
    ...{ DATA_DIR: folder, PORT: '0', STORE_PORT: '0', STORE_TCP_PORT: '0' },
    ...silentUpstreams,
    NETWORKS: 'base,solana',
    ...more,
  }
  const program = fileURLToPath(new URL('../../../services/sandbox/main.ts', import.meta.url))
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (said += text))
  await until(() => said.includes('Ctrl-C') || child.exitCode !== null, 'the banner', 120_000)
  if (child.exitCode !== null) throw new Error(`it did not start: ${said}`)
  const note = await noteOf(folder)
  return {
    url: note.url,
    folder,
    said,
    env,
    baseRpcUrl: note.chains.find(({ network }) => network === 'base')?.rpcUrl ?? '',
    solanaRpcUrl: note.chains.find(({ network }) => network === 'solana')?.rpcUrl ?? '',
    async stop() {
      child.kill('SIGINT')
      if (child.exitCode === null) await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
