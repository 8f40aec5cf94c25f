/** The browser of the package, unpacked once for all tests of this machine. */
import { resolve } from 'node:path'
import { findBinary } from '../pipelines/rails/outside/browser/binary.ts'
import { runsAsRoot } from '../pipelines/rails/outside/browser/chromium.ts'

/** As DATA_DIR, it has a browser. */
export const browserFolder = resolve('node_modules/.cache')

/** Why there is none. */
export const noBrowser = (): Promise<string | undefined> =>
  findBinary({ dataDir: browserFolder, forOthers: runsAsRoot() }).then(
    () => undefined,
    (error: Error) => error.message,
  )
