/**
 * Runs a program that must not outlive us. When we die, even by kill -9, the operating system closes our end of the
 * leash, and that ends the program. Ctrl-C reaches only us, so that work in flight is drained first.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { basename } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Running } from '../../pipelines/rails/running.ts'

export interface Leashed extends Running {
  stdout: Readable
}

/** `env`: absent, it is that of this process. */
export function leash(program: string, args: readonly string[], env?: NodeJS.ProcessEnv): Leashed {
  const keeper: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), program, ...args],
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true, ...(env && { env }) },
  )
  let said = ''
  keeper.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2000)
  })
  keeper.stdin.on('error', () => undefined)
  let closing = false
  const ended = new Promise<void>((resolve, reject) => {
    keeper.on('error', reject)
    keeper.on('close', code => {
      if (closing) resolve()
      else
        reject(new Error(`${basename(program)}: ${said.trim().split('\n').at(-1) || `ended with ${code}`}`))
    })
  })
  // Without this listener a rejection would end the process.
  ended.catch(() => {})
  return {
    stdout: keeper.stdout,
    ended,
    close: async () => {
      closing = true
      keeper.stdin.end()
      await ended.catch(() => {})
    },
  }
}

function keep([program = '', ...args]: readonly string[]): void {
  const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  const end = () => child.kill('SIGKILL')
  process.stdin.on('end', end).on('error', end).resume()
  child.on('error', error => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal) process.stderr.write(`ended by ${signal}\n`)
    process.exit(code ?? 1)
  })
}

if (import.meta.main) keep(process.argv.slice(2))
