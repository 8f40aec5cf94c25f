/** Opens the store that a URL names. */
import { fileURLToPath } from 'node:url'
import { connect } from './clickhouse.ts'
import { engineOf, startEngine } from './embedded.ts'
import { type Store, StoreError } from './store.ts'

interface StoreOptions {
  /** The name in ClickHouse of the cluster that shares the rows. If absent, the server has them all. */
  cluster?: string | undefined
  /** The port of the embedded engine. 0 means any free port. */
  httpPort?: number
  tcpPort?: number
  /** The users and their rights. Absent: the file of deploy/clickhouse. */
  usersFile?: string
  /** The password of the user analyst on the embedded engine, which only this machine can reach. */
  analystPassword?: string
  onProblem?: (name: string, error: unknown) => void
}

const usersFile = fileURLToPath(new URL('../../../deploy/clickhouse/users.xml', import.meta.url))

export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  if (!url.startsWith('embedded:')) return connect({ ...server(new URL(url)), cluster: options.cluster })
  const engine = await startEngine({
    folder: url.slice('embedded:'.length),
    httpPort: options.httpPort ?? 0,
    tcpPort: options.tcpPort ?? 0,
    usersFile: options.usersFile ?? usersFile,
    analystPassword: options.analystPassword ?? '',
    onProblem: options.onProblem ?? (() => {}),
  })
  const { address, password, close } = engine
  try {
    const store = await connect({
      url: address.http,
      username: 'farebox',
      password,
      database: 'farebox',
      address,
      release: close,
    })
    await checkFilesAreShut(store)
    return store
  } catch (error) {
    await close()
    throw error
  }
}

/** For tools: opens a store while another process may run its engine. */
export async function attachStore(
  url: string,
  { cluster }: Pick<StoreOptions, 'cluster'> = {},
): Promise<Store> {
  const running = url.startsWith('embedded:') ? await engineOf(url.slice('embedded:'.length)) : undefined
  if (!running) return openStore(url, { cluster })
  return connect({ ...running, database: 'farebox', address: { http: running.url } })
}

/** The function file() of the engine ignores grants. If our replacement were missing, analysts could read the disk. */
async function checkFilesAreShut(store: Store): Promise<void> {
  const answer = await store.query("select file('/dev/null')").then(() => 'its content', String)
  if (!answer.includes('file() reads nothing here'))
    throw new StoreError(`the embedded store would let analysts read files: file() gave ${answer}`)
}

function server({ origin, username, password, pathname }: URL) {
  return {
    url: origin,
    username: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database: pathname.slice(1) || 'farebox',
    address: { http: origin },
  }
}
