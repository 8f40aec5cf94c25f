import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { afterEach, expect, it } from 'vitest'
import { leash } from '../../../services/sandbox/leash.ts'
import { until } from '../../until.ts'

let parent: ChildProcessByStdio<null, Readable, null> | undefined
afterEach(() => {
  parent?.kill('SIGKILL')
  parent = undefined
})

/** Starts a process in a group of its own. It starts anvil, prints its address, and ignores Ctrl-C. */
async function startElsewhere(): Promise<string> {
  const module = new URL('../../../services/sandbox/evm-chain.ts', import.meta.url).href
  const program = `
    process.on('SIGINT', () => console.log('interrupted'))
    const { startEvmChain } = await import(${JSON.stringify(module)})
    console.log((await startEvmChain('base')).rpcUrl)`
  parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const [said] = await once(parent.stdout, 'data')
  return String(said).trim()
}

const answers = async (url: string) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    return response.ok
  } catch {
    return false
  }
}

it('leaves no anvil behind when its owner is killed', async () => {
  const url = await startElsewhere()
  expect(await answers(url)).toBe(true)

  parent?.kill('SIGKILL')

  await until(async () => !(await answers(url)), 'anvil to be gone')
})

it('keeps anvil from hearing Ctrl-C', async () => {
  const url = await startElsewhere()

  process.kill(-(parent?.pid as number), 'SIGINT')
  const [heard] = await once((parent as NonNullable<typeof parent>).stdout, 'data')

  expect(String(heard)).toContain('interrupted')
  expect(await answers(url)).toBe(true)
})

it('says why a program ended', async () => {
  await expect(leash('/no/such/program', []).ended).rejects.toThrow('/no/such/program')
  await expect(leash(process.execPath, ['-e', 'process.exit(3)']).ended).rejects.toThrow('ended with 3')
  const killed = leash(process.execPath, ['-e', 'process.kill(process.pid, "SIGKILL")'])
  await expect(killed.ended).rejects.toThrow('ended by SIGKILL')
})
