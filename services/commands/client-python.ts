/** Writes the Python client as a project that pip builds: what is in the tree, and what follows from the operations. */
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { pythonModules } from '../query/catalog/python.ts'
import { sold } from './client-shapes.ts'
import { packageFolder, runCommand } from './command-line.ts'

const root = resolve(import.meta.dirname, '../..')

function writePythonClient(folder: string): void {
  const source = join(root, 'services/client/python')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const name of ['farebox', 'README.md', 'pyproject.toml'])
    cpSync(join(source, name), join(folder, name), {
      recursive: true,
      filter: file => !file.endsWith('__pycache__'),
    })
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  const written = { ...pythonModules(sold), 'version.py': `VERSION = ${JSON.stringify(manifest.version)}\n` }
  for (const [name, text] of Object.entries(written)) writeFileSync(join(folder, 'farebox', name), text)
}

const usage = `npm run client:python -- [FOLDER]

  Builds the package farebox for Python in FOLDER (data/farebox-python), which pip installs. An earlier build there is replaced.`

if (import.meta.main)
  runCommand(usage, async args =>
    writePythonClient(
      resolve(
        packageFolder(args, { usage, usual: join(root, 'data/farebox-python'), mark: 'farebox/__init__.py' }),
      ),
    ),
  )
