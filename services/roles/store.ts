/** The store of this process: opened with it where the sink role fills it, else when it is first asked. */
import { openStore } from '../../pipelines/store/open.ts'
import type { Store } from '../../pipelines/store/store.ts'
import { datasets } from '../../schemas/index.ts'
import type { Process } from './process.ts'

export async function storeOf({
  config,
  lifecycle,
  warn,
  parts,
}: Omit<Process, 'store'>): Promise<() => Promise<Store>> {
  const open = () =>
    openStore(config.STORE_URL, {
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
  // What is held sells without it, so a store that is away must not keep this process from starting.
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
