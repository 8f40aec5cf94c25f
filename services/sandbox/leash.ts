/**
 * Runs a program that must not outlive us. The operating system closes our end of the leash however we die, kill -9
 * included, and the program is ended then. Ctrl-C reaches only us: what is in flight is drained first.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface Leashed {
  stdout: Readable
  /** Resolves with the reason once the program has ended, by itself or by `close`. */
  ended: Promise<string>
  close(): Promise<void>
}

export function leash(program: string, args: readonly string[]): Leashed {
  const keeper: ChildProcessByStdio<Writable, Readable, Readable> = spawn(
    process.execPath,
    [fileURLToPath(import.meta.url), program, ...args],
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  )
  let said = ''
  keeper.stderr.setEncoding('utf8').on('data', text => {
    said = (said + text).slice(-2000)
  })
  keeper.stdin.on('error', () => undefined)
  const ended = new Promise<string>(resolve => {
    keeper.on('error', error => resolve(error.message))
    keeper.on('close', code => resolve(said.trim().split('\n').at(-1) || `ended with ${code}`))
  })
  return {
    stdout: keeper.stdout,
    ended,
    close: async () => {
      keeper.stdin.end()
      await ended
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
