/** Builds the package farebox as it is published: what an origin in code is written against, as JavaScript and its types. */
import { execFileSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '../..')
const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')
const entries = Object.entries(manifest.exports)

export function buildPackage(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  execFileSync(
    process.execPath,
    [
      ...[tsc, ...entries.map(([, file]) => join(root, file))],
      ...['--ignoreConfig', '--outDir', folder, '--rootDir', root, '--declaration', '--types', 'node'],
      ...['--target', 'esnext', '--module', 'nodenext', '--rewriteRelativeImportExtensions'],
      ...['--strict', '--skipLibCheck', '--verbatimModuleSyntax', '--resolveJsonModule'],
    ],
    { stdio: 'inherit', cwd: root },
  )
  const imported = new Set<string>()
  for (const name of globSync('**/*.{js,d.ts}', { cwd: folder })) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    for (const [, from = ''] of text.matchAll(/from '([^.'][^']*)'/g)) imported.add(nameOf(from))
    // tsc would look for the .ts file that a declaration names.
    if (name.endsWith('.d.ts')) writeFileSync(file, text.replace(/(['"]\.[^'"]+)\.ts(['"])/g, '$1.js$2'))
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(described(imported), null, 2)}\n`)
  cpSync(join(root, 'services/sell/README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
}

const nameOf = (from: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] as string

function described(imported: ReadonlySet<string>): object {
  const { name, version, license, type, engines, dependencies } = manifest
  return {
    ...{ name, version, description: 'What Farebox sells, written elsewhere.', license, type, engines },
    exports: Object.fromEntries(
      entries.map(([at, file]) => [
        at,
        { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') },
      ]),
    ),
    dependencies: Object.fromEntries(Object.entries(dependencies).filter(([each]) => imported.has(each))),
  }
}
