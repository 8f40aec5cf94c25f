/** A real S3-compatible server for the tests: the one at S3_URL, or one from Maven. It checks every signature. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { until } from '../until.ts'
import { containerOf, steering } from './container.ts'
import { classpathOf, freePorts, hasMaven, type JavaProcess, quickStart, spawnJava } from './java.ts'

export interface S3Server {
  /** A value for BLOBS_URL. The bucket exists. */
  url: string
  stop(): Promise<void>
  /** The tests can kill, restart and freeze (SIGSTOP, SIGCONT) only a server that they started. */
  own?: OwnServer
}

export interface OwnServer {
  kill(): Promise<void>
  start(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> | void
  /** The folder that holds the objects of the bucket. Absent: a container would not see a disk that is laid over it. */
  folder?: string | undefined
}

const pom = new URL('s3/pom.xml', import.meta.url).pathname
const bucket = 'farebox-blobs'
const key = 'AKIAFAREBOX'
/** It has the form of an AWS secret, with characters that a URL must escape. */
const secret = 'wJalr/XUt+FEMI=K7MDENG'

/** With S3_TESTS=required it throws when there is no server. */
export async function startS3(): Promise<S3Server | { skipped: string }> {
  const running = process.env.S3_URL
  if (running) return { url: running, stop: async () => {} }
  const found = await containerOf('s3')
  if ('container' in found) return startServer(folder => inContainer(found.container, folder))
  if (await hasMaven()) return startServer(fromMaven)
  const skipped = `no S3 server: S3_URL is unset, ${found.skipped}, no mvn with Java 17 is here`
  if (process.env.S3_TESTS === 'required') throw new Error(skipped)
  return { skipped }
}

/** One whose folder is on this machine, where a disk can be laid over it. */
export const startS3Here = async (): Promise<S3Server | undefined> =>
  (await hasMaven()) ? startServer(fromMaven) : undefined

/** How a server is run whose settings and objects are in this folder. */
interface Run {
  port: number
  start(): Promise<void>
  kill(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> | void
  /** Ends it for good. */
  remove(): Promise<void>
  seesDisks: boolean
}

async function fromMaven(dir: string): Promise<Run> {
  const classpath = await classpathOf(pom, 's3proxy')
  const [port] = (await freePorts(1)) as [number]
  const config = await writeSettings(dir, dir, `127.0.0.1:${port}`)
  let alive: JavaProcess | undefined
  const kill = async () => {
    const killed = alive
    alive = undefined
    await killed?.kill()
  }
  return {
    port,
    kill,
    remove: kill,
    seesDisks: true,
    start: async () => {
      const options = ['-Xmx256m', ...quickStart, `-Dlogback.configurationFile=${join(dir, 'logback.xml')}`]
      alive = await spawnJava(classpath, ...options, 'org.gaul.s3proxy.Main', '--properties', config)
    },
    signal: name => alive?.signal(name),
  }
}

async function inContainer(container: GenericContainer, dir: string): Promise<Run> {
  const [port] = (await freePorts(1)) as [number]
  await writeSettings(dir, '/s3', '0.0.0.0:8080')
  let started: StartedTestContainer | undefined
  return {
    port,
    start: async () => {
      if (started) return steering(started).start()
      started = await container
        .withBindMounts([{ source: dir, target: '/s3' }])
        .withExposedPorts({ container: 8080, host: port })
        .withWaitStrategy(Wait.forListeningPorts())
        .start()
    },
    kill: async () => {
      if (started) await steering(started).kill()
    },
    remove: async () => {
      if (started) await steering(started).remove()
    },
    seesDisks: false,
    signal: async name => {
      if (started) await steering(started).signal(name)
    },
  }
}

/** `seen`: the folder as the server sees it. */
async function writeSettings(dir: string, seen: string, endpoint: string): Promise<string> {
  const settings = {
    's3proxy.endpoint': `http://${endpoint}`,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': key,
    's3proxy.credential': secret,
    'jclouds.provider': 'filesystem-nio2',
    'jclouds.filesystem.basedir': join(seen, 'data'),
  }
  const config = join(dir, 's3proxy.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(config, lines.join(''))
  // Without this the server spends most of its time on its log.
  await writeFile(join(dir, 'logback.xml'), '<configuration/>')
  return config
}

async function startServer(runIn: (dir: string) => Promise<Run>): Promise<S3Server> {
  const dir = await mkdtemp(join(tmpdir(), 'farebox-s3-'))
  const folder = join(dir, 'data', bucket)
  await mkdir(folder, { recursive: true })
  const { port, kill, signal, remove, seesDisks, ...run } = await runIn(dir)
  const start = async () => {
    await run.start()
    // Docker accepts connections before the server does.
    const answers = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      )
    await until(answers, `the S3 server on port ${port}`, 60_000)
  }
  await start()
  return {
    url: `s3://${key}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}?tls=false`,
    async stop() {
      await remove()
      await rm(dir, { recursive: true, force: true })
    },
    own: { kill, start, signal, folder: seesDisks ? folder : undefined },
  }
}
