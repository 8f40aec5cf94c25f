/** Builds the package as it is published: JavaScript and types, nothing that must be compiled. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { addressIn, packageFolder, runCommand } from './command-line.ts'
import type { DocumentedSeller } from './seller-document.ts'

const root = resolve(import.meta.dirname, '../..')
const here = join(root, 'services/client')
const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')
/** The types of a stranger are bounded, and so is the time of their compiler. */
const compileMs = 300_000

const usage = `npm run client -- [https://HOST] [FOLDER]

  Builds the package farebox-client in FOLDER (data/farebox-client), as it is published. An earlier build there is replaced.
  With an address the client has what the seller there describes in its openapi.json. Of a document at most 4 MB are read, 500
  operations, and 4,000 parts of the types of one.`

function compile(sources: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync(
    process.execPath,
    [
      tsc,
      ...globSync('*.ts', { cwd: sources }).map(name => join(sources, name)),
      ...['--ignoreConfig', '--outDir', folder, '--rootDir', sources, '--declaration', '--types', 'node'],
      ...['--target', 'es2022', '--module', 'nodenext', '--rewriteRelativeImportExtensions'],
      ...['--strict', '--skipLibCheck', '--verbatimModuleSyntax'],
    ],
    { stdio: 'inherit', cwd: root, timeout: compileMs, killSignal: 'SIGKILL' },
  )
  // tsc would look for the .ts file that a declaration names.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
}

function describe(folder: string, seller: DocumentedSeller | undefined): void {
  const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Record<string, unknown>
  const own = seller && {
    name: `farebox-client-${seller.name}`,
    description: `Typed client of ${seller.address}: ask, pay in USDC over x402, get the answer and a receipt.`,
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...own }, null, 2)}\n`)
  cpSync(join(here, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  chmodSync(join(folder, 'main.js'), 0o755)
}

async function build(folder: string): Promise<void> {
  const { writeClientShapes } = await import('./client-shapes.ts')
  writeClientShapes()
  compile(here, folder)
  describe(folder, undefined)
}

/** The same sources, with the operations and types of another seller. */
async function buildFor(address: string, folder: string): Promise<void> {
  const { sellerAt } = await import('./seller-document.ts')
  const { clientOperations, clientShapes } = await import('../query/catalog/typescript.ts')
  const seller = await sellerAt(address)
  mkdirSync(join(root, 'data'), { recursive: true })
  // Its imports are found from here.
  const sources = mkdtempSync(join(root, 'data/client-'))
  try {
    for (const name of globSync('*.ts', { cwd: here })) cpSync(join(here, name), join(sources, name))
    writeFileSync(join(sources, 'shapes.ts'), clientShapes(seller.calls))
    writeFileSync(join(sources, 'operations.ts'), clientOperations(seller.calls))
    compile(sources, folder)
  } finally {
    rmSync(sources, { recursive: true, force: true })
  }
  describe(folder, seller)
  console.log(`farebox-client-${seller.name}: ${seller.calls.length} operations of ${seller.address}`)
}

if (import.meta.main)
  runCommand(usage, async args => {
    const { address, rest } = addressIn(args)
    const folder = resolve(
      packageFolder(rest, { usage, usual: join(root, 'data/farebox-client'), mark: 'main.js' }),
    )
    await (address === undefined ? build(folder) : buildFor(address, folder))
  })
