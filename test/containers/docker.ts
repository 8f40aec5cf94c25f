/** Docker's command, where there is an engine and Compose 2. */
import { type ExecFileOptions, execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The output of a command. Rejects with what it said. */
export async function docker(args: readonly string[], options: ExecFileOptions = {}): Promise<string> {
  try {
    const { stdout } = await run('docker', [...args], { maxBuffer: 64 << 20, ...options })
    return String(stdout).trim()
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    throw new Error(`docker ${args.slice(0, 6).join(' ')}: ${(stderr || message).trim().slice(-2_000)}`)
  }
}

const works = (...args: string[]) =>
  docker(args, { timeout: 20_000 }).then(
    () => true,
    () => false,
  )

export const hasImage = (name: string) => works('image', 'inspect', name)

/** Why no containers can be run. */
export async function lacking(): Promise<string | undefined> {
  if (!(await works('info'))) return 'no Docker engine was found'
  if (!(await works('compose', 'version'))) return 'docker compose is not installed'
  return undefined
}
