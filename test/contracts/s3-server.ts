/** A real S3-compatible server for the tests, which checks every signature: one that is given, or one from Maven. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'
import { classpathOf, connects, freePorts, hasMaven, type JavaProcess, spawnJava } from './java.ts'

export interface S3Server {
  /** As BLOBS_URL has it; the bucket stands. */
  url: string
  stop(): Promise<void>
  /** Only a server that was started here can be ended, begun again, or frozen with SIGSTOP and SIGCONT. */
  own?: OwnServer
}

export interface OwnServer {
  kill(): Promise<void>
  start(): Promise<void>
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Where the bucket keeps its objects. */
  folder: string
}

const pom = new URL('s3/pom.xml', import.meta.url).pathname
const bucket = 'farebox-blobs'
const key = 'AKIAFAREBOX'
/** Of the form of AWS, with what a URL has to escape. */
const secret = 'wJalr/XUt+FEMI=K7MDENG'

/** With S3_TESTS=required, none to be had is an error. */
export async function startS3(): Promise<S3Server | { skipped: string }> {
  const given = process.env.S3_URL
  if (given) return { url: given, stop: async () => {} }
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
  // Without this its logging, of every step, is most of its work.
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
