/** Writes the Python client as a project that pip builds: what is in the tree, and what follows from the operations. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { ClientCall } from '../query/catalog/client-calls.ts'
import { addressIn, packageFolder, runCommand } from './command-line.ts'

const root = resolve(import.meta.dirname, '../..')

async function callsOf(address: string | undefined): Promise<readonly ClientCall[]> {
  if (address === undefined) return (await import('./client-shapes.ts')).soldCalls
  const { sellerAt } = await import('./seller-document.ts')
  return (await sellerAt(address)).calls
}

async function writePythonClient(folder: string, address: string | undefined): Promise<void> {
  const { pythonModules } = await import('../query/catalog/python.ts')
  const calls = await callsOf(address)
  const source = join(root, 'services/client/python')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['farebox', 'README.md', 'pyproject.toml'])
    cpSync(join(source, name), join(folder, name), {
      recursive: true,
      filter: file => !file.endsWith('__pycache__'),
    })
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const written = { ...pythonModules(calls), 'version.py': `VERSION = ${JSON.stringify(manifest.version)}\n` }
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, 'farebox', name), text)
}

const usage = `npm run client:python -- [https://HOST] [FOLDER]

  Builds the package farebox for Python in FOLDER (data/farebox-python), which pip installs. An earlier build there is replaced.
  With an address the client has what the seller there describes in its openapi.json.`

if (import.meta.main)
  runCommand(usage, async args => {
    const { address, rest } = addressIn(args)
    const usual = join(root, 'data/farebox-python')
    const folder = packageFolder(rest, { usage, usual, mark: 'farebox/__init__.py' })
    await writePythonClient(resolve(folder), address)
  })
