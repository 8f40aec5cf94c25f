/** The store of this process, opened with it or when it is first asked. */
import { openStore } from '../../pipelines/store/open.ts'
import type { Store } from '../../pipelines/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import type { Config } from '../config.ts'
import type { Process } from './process.ts'

export const openedStore = (config: Config, warn: Process['warn']): Promise<Store> =>
  openStore(config.STORE_URL, {
    httpPort: config.STORE_PORT,
    tcpPort: config.STORE_TCP_PORT,
    onProblem: warn('store'),
  })

/** That of this process; or opened when first looked into, for what is held sells without it. */
export async function storeAtHand({
  config,
  lifecycle,
  warn,
  parts,
}: Pick<Process, 'config' | 'lifecycle' | 'warn' | 'parts'>): Promise<() => Promise<Store>> {
  const { store } = parts
  if (store) return async () => store
  let opening: Promise<Store> | undefined
  const open = async () => {
    const store = await openedStore(config, warn)
    await store.apply(datasets)
    return store
  }
  await lifecycle.open(
    'store looked into',
    () => {},
    async () => (await opening?.catch(() => undefined))?.close(),
  )
  return () => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
}
