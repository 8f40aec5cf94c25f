/** Which store a URL means. */
import { fileURLToPath } from 'node:url'
import { connect } from './clickhouse.ts'
import { startEngine } from './embedded.ts'
import { type Store, StoreError } from './store.ts'

export interface StoreOptions {
  /** Of the embedded engine; 0 means any free port. */
  httpPort?: number
  tcpPort?: number
  /** Who may do what; the users of deploy/clickhouse unless told otherwise. */
  usersFile?: string
  /** Of the user analyst on the embedded engine, which only this machine can reach. */
  analystPassword?: string
  onProblem?: (name: string, error: unknown) => void
}

const usersFile = fileURLToPath(new URL('../../deploy/clickhouse/users.xml', import.meta.url))

export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  if (!url.startsWith('embedded:')) return connect(server(new URL(url)))
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

/** The engine's function file() knows no grants: without what stands in front of it, analysts would read the disk. */
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
