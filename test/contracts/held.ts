/** A server that a shell script starts and ends: it never outlives the test process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface Held {
  /** What the script printed of the server that it started. */
  id: string
  end(): Promise<void>
}

/** The script starts a server, prints its id, waits until its own stdin ends, and ends the server. */
export async function spawnHeld(script: string, args: readonly string[]): Promise<Held> {
  const shell = spawn('sh', ['-c', script, 'sh', ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(shell, 'exit')
  const [id] = await Promise.race([
    once(shell.stdout, 'data'),
    exited.then(() => Promise.reject(new Error(`nothing was started by: ${script}`))),
  ])
  return {
    id: String(id).trim(),
    async end() {
      shell.stdin.end()
      await exited
    },
  }
}
