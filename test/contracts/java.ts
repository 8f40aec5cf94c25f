/** Starts servers from Maven for the tests. Maven fetches each once. A server ends with the test process. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export const run = promisify(execFile)

/** A server runs for a minute. It may be slow, but must leave the processor to the code under test. */
export const quickStart = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** Returns what a command prints. Undefined: the command is absent or fails. */
const answers = (command: string, ...args: string[]) =>
  run(command, args, { timeout: 60_000 }).then(
    ({ stdout, stderr }) => stdout + stderr,
    () => undefined,
  )

/** Whether the machine has Java 17 or newer, and Maven. */
export async function hasMaven(): Promise<boolean> {
  const java = await answers('java', '-version')
  return (
    Number(/version "(\d+)/.exec(java ?? '')?.[1]) >= 17 && (await answers('mvn', '--version')) !== undefined
  )
}

/** Returns the jars that a pom names, and remembers them under `name`. */
export async function classpathOf(pom: string, name: string, ...properties: string[]): Promise<string> {
  const file = join(tmpdir(), `farebox-${name}.classpath`)
  const known = await readFile(file, 'utf8').catch(() => '')
  if (known !== '' && known.split(delimiter).every(jar => existsSync(jar))) return known
  const args = ['-q', '-B', '-f', pom, ...properties, 'dependency:build-classpath']
  await run('mvn', [...args, `-Dmdep.outputFile=${file}`], { timeout: 600_000 })
  return readFile(file, 'utf8')
}

export interface JavaProcess {
  kill(): Promise<void>
  signal(name: NodeJS.Signals): void
}

/** The shell ends the server when its own stdin ends. So the server ends too when the test process is killed. */
export async function spawnJava(classpath: string, ...args: string[]): Promise<JavaProcess> {
  const script = 'cp=$1; shift; java -cp "$cp" "$@" >/dev/null 2>&1 & echo $!; cat >/dev/null; kill -9 $!'
  const shell = spawn('sh', ['-c', script, 'sh', classpath, ...args], { stdio: ['pipe', 'pipe', 'ignore'] })
  const exited = once(shell, 'exit')
  const [pid] = await once(shell.stdout, 'data')
  return {
    async kill() {
      shell.stdin.end()
      await exited
    },
    signal: name => void process.kill(Number(pid), name),
  }
}

export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer())
  const ports = servers.map(
    server =>
      new Promise<number>(resolve =>
        server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
      ),
  )
  const found = await Promise.all(ports)
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  return found
}

export const connects = (port: number) =>
  new Promise<boolean>(resolve => {
    const socket = connect(port, '127.0.0.1')
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
