/** Finds a Chromium: the one that the operator names, or the one in an optional package. */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, constants, lstat, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { extract } from 'tar'
import { NoBrowser } from './browser-failures.ts'

export interface Binary {
  executable: string
  /** Its own libraries and fonts, if it has any. */
  libraries?: string
  fonts?: string
}

export interface BinaryOptions {
  /** The path of a Chromium. */
  named?: string | undefined
  dataDir: string
  /** Whether another user than ours runs it, so that everybody must be able to read it. */
  forOthers: boolean
}

const packageName = '@sparticuz/chromium'

export async function findBinary({ named, dataDir, forOthers }: BinaryOptions): Promise<Binary> {
  if (named !== undefined) {
    await access(named, constants.X_OK).catch(() => {
      throw new NoBrowser(`BROWSER is ${named}, which is not a program that can be run`)
    })
    return { executable: named }
  }
  const carrier = await carried()
  const folder = resolve(dataDir, 'browser', carrier.version)
  if (!forOthers || (await isOpenToOthers(dirname(dirname(folder))))) return unpacked(carrier, folder)
  const uid = process.getuid?.()
  const shared = join(tmpdir(), `farebox-browser-${uid}`)
  await mkdir(shared, { recursive: true, mode: 0o755 })
  // Anybody can create a folder of this name. We run nothing from a folder that another user owns or may write to.
  const { uid: owner, mode } = await lstat(shared)
  if (owner !== uid || mode & 0o022) throw new NoBrowser(`${shared} belongs to somebody else`)
  return unpacked(carrier, join(shared, carrier.version))
}

interface Carrier {
  version: string
  folder: string
}

async function carried(): Promise<Carrier> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new NoBrowser(
      `No browser comes with this service on ${process.platform} ${process.arch}; BROWSER can name one`,
    )
  try {
    const home = join(dirname(createRequire(import.meta.url).resolve(packageName)), '..')
    const { version } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
    return { version, folder: join(home, 'bin') }
  } catch {
    throw new NoBrowser(
      `${packageName} is not installed (npm leaves it out with --omit=optional); BROWSER can name a Chromium`,
    )
  }
}

async function isOpenToOthers(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode } = await stat(at).catch(() => ({ mode: 0o755 }))
    if (!(mode & 0o001)) return false
    if (at === dirname(at)) return true
  }
}

const unpackings = new Map<string, Promise<Binary>>()

/** Once per machine: it takes some seconds and 200 MB. */
function unpacked(carrier: Carrier, folder: string): Promise<Binary> {
  const unpacking = unpackings.get(folder) ?? unpack(carrier, folder)
  unpackings.set(folder, unpacking)
  // A full disk may have space later.
  unpacking.catch(() => unpackings.delete(folder))
  return unpacking
}

async function unpack({ folder: archives }: Carrier, folder: string): Promise<Binary> {
  const binary = {
    executable: join(folder, 'chromium'),
    libraries: join(folder, 'lib'),
    fonts: join(folder, 'fonts'),
  }
  if (await exists(binary.executable)) return binary
  const part = `${folder}.${randomUUID()}.part`
  try {
    await mkdir(join(part, 'fonts'), { recursive: true, mode: 0o755 })
    const into = (name: string, cwd: string) => extract({ file: join(archives, name), cwd, brotli: true })
    await Promise.all([
      pipeline(
        createReadStream(join(archives, 'chromium.br')),
        createBrotliDecompress(),
        createWriteStream(join(part, 'chromium'), { mode: 0o755 }),
      ),
      into('al2023.tar.br', part),
      into('fonts.tar.br', join(part, 'fonts')),
      into('swiftshader.tar.br', part),
    ])
    await rename(part, folder).catch(async error => {
      // Another process of this machine was first.
      if (!(await exists(binary.executable))) throw error
    })
  } catch (error) {
    throw new NoBrowser(`The browser cannot be unpacked into ${folder}: ${(error as Error).message}`, {
      cause: error,
    })
  } finally {
    await rm(part, { recursive: true, force: true })
  }
  return binary
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
