/** A real S3-compatible server for the tests: the one at S3_URL, or one from Maven. It checks every signature. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { classpathOf, connects, freePorts, hasMaven, type JavaProcess, spawnJava } from './java.ts'

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
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** The folder that holds the objects of the bucket. */
  folder: string
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
  if (await hasMaven()) return startFromMaven()
  const skipped = 'no S3 server: S3_URL is unset, no mvn with Java 17 is here'
  if (process.env.S3_TESTS === 'required') throw new Error(skipped)
  return { skipped }
}

async function startFromMaven(): Promise<S3Server> {
  const classpath = await classpathOf(pom, 's3proxy')
  const dir = await mkdtemp(join(tmpdir(), 'farebox-s3-'))
  const [port] = (await freePorts(1)) as [number]
  const settings = {
    's3proxy.endpoint': `http://127.0.0.1:${port}`,
    's3proxy.authorization': 'aws-v2-or-v4',
    's3proxy.identity': key,
    's3proxy.credential': secret,
    'jclouds.provider': 'filesystem-nio2',
    'jclouds.filesystem.basedir': join(dir, 'data'),
  }
  const config = join(dir, 's3proxy.conf')
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  await writeFile(config, lines.join(''))
  // Without this the server spends most of its time on its log.
  const logging = join(dir, 'logback.xml')
  await writeFile(logging, '<configuration/>')
  const folder = join(dir, 'data', bucket)
  await mkdir(folder, { recursive: true })

  let alive: JavaProcess | undefined
  const start = async () => {
    const options = ['-Xmx256m', `-Dlogback.configurationFile=${logging}`]
    alive = await spawnJava(classpath, ...options, 'org.gaul.s3proxy.Main', '--properties', config)
    await until(() => connects(port), `the S3 server on port ${port}`, 60_000)
  }
  const kill = async () => {
    const killed = alive
    alive = undefined
    await killed?.kill()
  }
  await start()
  return {
    url: `s3://${key}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${bucket}?tls=false`,
    async stop() {
      await kill()
      await rm(dir, { recursive: true, force: true })
    },
    own: { kill, start, signal: name => alive?.signal(name), folder },
  }
}
