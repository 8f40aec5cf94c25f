/** Builds the package as it is published: JavaScript and types, nothing that must be compiled. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

const here = import.meta.dirname
const root = resolve(here, '../..')
const folder = resolve(process.argv[2] ?? join(root, 'data/farebox-client'))
const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')

execFileSync(process.execPath, [join(root, 'services/commands/client-shapes.ts')], { stdio: 'inherit' })
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const sources = globSync('*.ts', { cwd: here }).filter(name => name !== 'build.ts')
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
