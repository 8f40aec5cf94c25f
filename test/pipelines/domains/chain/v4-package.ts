/** Fetches the contracts of Uniswap v4 from the npm registry: at 17 MB they are too large for a development package. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { extract } from 'tar'
import type { Abi, Hex } from 'viem'

export const v4Package = '@uniswap/v4-core@1.0.2'

const names = ['PoolManager', 'PoolModifyLiquidityTest', 'PoolSwapTest'] as const
export type V4Contracts = Record<(typeof names)[number], { abi: Abi; bytecode: { object: Hex } }>

/** Rejects if the registry cannot be reached. */
export async function fetchV4(folder: string): Promise<V4Contracts> {
  const options = ['--silent', '--fetch-retries=0', '--pack-destination', folder]
  await promisify(execFile)('npm', ['pack', v4Package, ...options], { timeout: 120_000 })
  const wanted = new Map(names.map(name => [`package/out/${name}.sol/${name}.json`, name]))
  await extract({
    cwd: folder,
    file: join(folder, 'uniswap-v4-core-1.0.2.tgz'),
    filter: path => wanted.has(path),
  })
  return Object.fromEntries(
    [...wanted].map(([path, name]) => [name, JSON.parse(readFileSync(join(folder, path), 'utf8'))]),
  ) as V4Contracts
}
