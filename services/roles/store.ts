/** The store of this process. With the sink role it opens at the start, otherwise at the first question. */
import { openStore } from '../../pipelines/rails/store/open-store.ts'
import type { Store } from '../../pipelines/rails/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import { usesStore } from '../config/config.ts'
import type { RoleProcess } from './process.ts'

export async function storeOf({
  config,
  lifecycle,
  warn,
  parts,
}: Pick<RoleProcess, 'config' | 'lifecycle' | 'warn' | 'parts'>): Promise<() => Promise<Store>> {
  if (!usesStore(config))
    return () => Promise.reject(new Error(`the roles ${config.ROLES.join(',')} have no store`))
  const open = () =>
    openStore(config.STORE_URL, {
      cluster: config.STORE_CLUSTER,
      httpPort: config.STORE_PORT,
      tcpPort: config.STORE_TCP_PORT,
      onProblem: warn('store'),
    })
  if (config.ROLES.includes('sink')) {
    const store = await lifecycle.open('store', open, opened => opened.close())
    await store.apply(datasets)
    parts.store = store
    return async () => store
  }
  // Views in memory are sold without the store, so a store that is down must not stop the start.
  let opening: Promise<Store> | undefined
  await lifecycle.open(
    'store looked into',
    () => {},
    async () => (await opening?.catch(() => undefined))?.close(),
  )
  return () => {
    opening ??= opened(open()).catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
}

async function opened(opening: Promise<Store>): Promise<Store> {
  const store = await opening
  await store.apply(datasets)
  return store
}
