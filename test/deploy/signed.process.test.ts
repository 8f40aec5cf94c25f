/**
 * The line of the release that signs an image, with a key in the place of the forge's identity: whoever asks sees who has signed, and that
 * nothing else was. The registry is one of this machine.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { docker, lacking } from '../containers/docker.ts'
import { connects, freePorts } from '../contracts/java.ts'
import { scratchFolder } from '../scratch.ts'
import { until } from '../until.ts'
import { installed } from './prometheus.ts'

const run = promisify(execFile)
const programs = [
  ['cosign', 'version'],
  ['registry', '-help'],
] as const
const missing = !process.env.LONG_FORM
  ? 'LONG_FORM is unset'
  : ((await lacking()) ??
    programs.flatMap(([name, asked]) => (installed(name, [asked]) ? [] : [`${name} is not installed`]))[0])

const { jobs } = parse(readFileSync('.github/workflows/release.yaml', 'utf8')) as {
  jobs: { images: { steps: { run?: string }[] } }
}
const line = jobs.images.steps.find(step => step.run?.startsWith('cosign sign'))?.run ?? ''
const withKey = ['--tlog-upload=false', '--key']

async function startRegistry(): Promise<string> {
  const [port] = (await freePorts(1)) as [number]
  const server = spawn('registry', ['-port', `${port}`], { stdio: 'ignore' })
  onTestFinished(async () => {
    server.kill()
    if (server.exitCode === null) await once(server, 'exit')
  })
  await until(() => connects(port), 'the registry')
  return `127.0.0.1:${port}`
}

/** An image of one file, in the registry. Returns its digest. */
async function pushed(folder: string, name: string, words: string): Promise<string> {
  const file = join(folder, 'words')
  writeFileSync(file, words)
  execFileSync('tar', ['-C', folder, '-cf', join(folder, 'image.tar'), 'words'])
  await docker(['import', join(folder, 'image.tar'), `${name}:one`])
  onTestFinished(() => docker(['rmi', '--force', `${name}:one`]).then(() => {}))
  await docker(['push', '--quiet', `${name}:one`])
  const digests = JSON.parse(
    await docker(['inspect', '--format', '{{json .RepoDigests}}', `${name}:one`]),
  ) as string[]
  return digests.find(digest => digest.startsWith(name))?.split('@')[1] ?? ''
}

it.skipIf(missing)(
  missing ? `an image, signed: ${missing}` : 'an image is signed by the line of the release',
  async () => {
    const folder = scratchFolder()
    const registry = `${await startRegistry()}/farebox`
    const env = { ...process.env, COSIGN_PASSWORD: '' }
    const keys = async (owner: string) => {
      const place = join(folder, owner)
      mkdirSync(place)
      await run('cosign', ['generate-key-pair'], { cwd: place, env })
      return { own: join(place, 'cosign.key'), shown: join(place, 'cosign.pub') }
    }
    const ours = await keys('ours')
    const theirs = await keys('theirs')
    const digest = await pushed(folder, registry, 'ours')
    const other = await pushed(folder, registry, 'something else')

    const values: Record<string, string> = {
      'vars.REGISTRY': registry,
      'matrix.suffix': '',
      'steps.build.outputs.digest': digest,
    }
    const command = line.replaceAll(
      /\$\{\{ ([\w.]+) \}\}/g,
      (_, name: string) => values[name] ?? expect.fail(name),
    )
    await run('sh', ['-c', `${command} "$@"`, 'sh', ...withKey, ours.own], { env })
    const verified = (image: string, key: string) =>
      run('cosign', ['verify', '--insecure-ignore-tlog=true', '--key', key, `${registry}@${image}`], {
        env,
      }).then(
        ({ stdout }) => stdout,
        ({ stderr }: { stderr: string }) => stderr,
      )
    expect(await verified(digest, ours.shown)).toContain(`"docker-manifest-digest":"${digest}"`)
    expect(await verified(digest, theirs.shown)).toContain('no matching signatures')
    expect(await verified(other, ours.shown)).toContain('no signatures found')
  },
)
