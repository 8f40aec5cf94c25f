/** Servers in Docker containers, of the versions in deploy/compose.yaml, or what stands in for them. A container ends with its test. */
import { readFileSync } from 'node:fs'
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers'
import { parse } from 'yaml'
import { docker, hasImage } from '../containers/docker.ts'
import { type StandIn, standIn, standInOf } from '../containers/stand-ins.ts'

const noEngine = 'no Docker engine was found'

// The container that cleans up after a killed run has an image of its own. Without it, the next run cleans up by label.
process.env.TESTCONTAINERS_RYUK_DISABLED ??= 'true'
const ownerLabel = 'farebox.test.process'

const hasEngine = (): Promise<boolean> =>
  getContainerRuntimeClient().then(
    () => true,
    () => false,
  )

const { services } = parse(readFileSync('deploy/compose.yaml', 'utf8')) as {
  services: Record<string, { image: string }>
}
const pullMs = 120_000
const startMs = 300_000

export type Server = Extract<StandIn, 'kafka' | 'clickhouse' | 's3'>

/** Its image, or what stands in for it, which is made if it must be. */
export async function imageOf(server: Server, version?: string): Promise<string | undefined> {
  const named = services[server]?.image
  if (named === undefined) return standIn(server)
  const image = version ? named.replace(/:.*/, `:${version}`) : named
  if (await hasImage(image)) return image
  if (await hasImage(standInOf(server))) return standInOf(server)
  const pulled = await docker(['pull', '--quiet', image], { timeout: pullMs }).then(
    () => true,
    () => false,
  )
  return pulled ? image : standIn(server)
}

/** Undefined members where it cannot be run, with the reason. */
export async function containerOf(
  server: Server,
  version?: string,
): Promise<{ container: GenericContainer } | { skipped: string }> {
  if (!(await hasEngine())) return { skipped: noEngine }
  await removeLeftOver()
  let why = ''
  const image = await imageOf(server, version).catch((error: Error) => {
    why = `: ${error.message}`
  })
  if (!image) return { skipped: `no image of ${server} can be had${why}` }
  const container = new GenericContainer(image)
    .withLabels({ [ownerLabel]: String(process.pid) })
    // On a busy machine a JVM takes minutes.
    .withStartupTimeout(startMs)
  return { container }
}

/** Removes the containers of tests that were killed. */
async function removeLeftOver(): Promise<void> {
  const format = `{{.ID}} {{.Label "${ownerLabel}"}}`
  const lines = await docker(['ps', '--all', '--filter', `label=${ownerLabel}`, '--format', format])
  for (const [id = '', owner] of lines
    .split('\n')
    .filter(Boolean)
    .map(line => line.split(' ')))
    if (!isAlive(Number(owner))) await docker(['rm', '--force', '--volumes', id]).catch(() => {})
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** What tests do to a server: it is killed, started again on its data, or frozen. */
export const steering = (started: StartedTestContainer) => ({
  kill: async () => void (await docker(['kill', started.getId()])),
  start: async () => void (await docker(['start', started.getId()])),
  remove: async () => void (await docker(['rm', '--force', '--volumes', started.getId()])),
  signal: async (name: 'SIGSTOP' | 'SIGCONT') =>
    void (await docker(['kill', '--signal', name, started.getId()])),
})
