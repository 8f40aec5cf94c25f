/** Builds the package as it is published: JavaScript and types, nothing that must be compiled. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { packageFolder, runCommand } from './command-line.ts'

const root = resolve(import.meta.dirname, '../..')
const here = join(root, 'services/client')
const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')

const usage = `npm run client -- [FOLDER]

  Builds the package farebox-client in FOLDER (data/farebox-client), as it is published. An earlier build there is replaced.`

function build(folder: string): void {
  execFileSync(process.execPath, [join(root, 'services/commands/client-shapes.ts')], { stdio: 'inherit' })
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sources = globSync('*.ts', { cwd: here })
  execFileSync(
    process.execPath,
    [
      tsc,
      ...sources.map(name => join(here, name)),
      ...['--ignoreConfig', '--outDir', folder, '--rootDir', here, '--declaration', '--types', 'node'],
      ...['--target', 'es2022', '--module', 'nodenext', '--rewriteRelativeImportExtensions'],
      ...['--strict', '--skipLibCheck', '--verbatimModuleSyntax'],
    ],
    { stdio: 'inherit', cwd: root },
  )
  // tsc would look for the .ts file that a declaration names.
  for (const name of globSync('*.d.ts', { cwd: folder })) {
    const file = join(folder, name)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"))
  }
  const manifest = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Record<string, unknown>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  cpSync(join(here, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  chmodSync(join(folder, 'main.js'), 0o755)
}

if (import.meta.main)
  runCommand(usage, async args =>
    build(resolve(packageFolder(args, { usage, usual: join(root, 'data/farebox-client'), mark: 'main.js' }))),
  )
