/** LONG_FORM=1: the published package in an empty project. What sells is typed against it, and it is JavaScript that runs. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../scratch.ts'
import { moveOut } from './sold-examples.ts'

const run = promisify(execFile)
const readme = readFileSync('services/sell/README.md', 'utf8')
const tsc = join(dirname(createRequire(import.meta.url).resolve('tsc/package.json')), 'bin/tsc')

const wrong = `import { defineOperation, z } from 'farebox'
const shared = { id: 'a', path: '/a', price: '1', costs: 'held', title: 'A', about: 'A.', tags: [],
  request: z.strictObject({ q: z.string() }), response: z.strictObject({ n: z.number() }),
  refusals: { none: { status: 422, about: 'None' } }, example: { request: { q: 'a' }, response: { n: 1 } } } as const
export const right = defineOperation({ ...shared, answer: ({ q }, _, refuse) => (q ? { n: q.length } : refuse('none', 'None')) })
// @ts-expect-error a field that is not in the response
export const more = defineOperation({ ...shared, answer: () => ({ n: 1, m: 2 }) })
// @ts-expect-error a text is no number
export const other = defineOperation({ ...shared, answer: () => ({ n: '1' }) })
`

it.skipIf(!process.env.LONG_FORM)(
  'types what sells, in a project that has installed it, and runs',
  async () => {
    const folder = scratchFolder()
    const [built, project] = [join(folder, 'built'), join(folder, 'project')]
    await run(process.execPath, [resolve('services/commands/sell.ts'), 'package', built])
    await run('npm', ['pack', '--pack-destination', folder], { cwd: built })
    const tarball = join(folder, readdirSync(folder).find(name => name.endsWith('.tgz')) as string)
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }')
    const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
    await run('npm', ['install', ...quiet, tarball], { cwd: project })
    const installed = join(project, 'node_modules/farebox')
    const files = readdirSync(installed, { recursive: true }).map(String)
    expect(files.filter(name => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([])

    mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
    symlinkSync(resolve('node_modules/@types/node'), join(project, 'node_modules/@types/node'))
    moveOut(join(project, 'moved'))
    cpSync('services/sell/examples/sunrise.ts', join(project, 'sunrise.ts'))
    writeFileSync(join(project, 'wrong.ts'), wrong)
    for (const [i, [, text = '']] of [...readme.matchAll(/```ts\n([\s\S]+?)```/g)].entries())
      writeFileSync(join(project, `page-${i}.ts`), text)
    const pages = readdirSync(project).filter(name => name.endsWith('.ts'))
    expect(pages).toEqual(['page-0.ts', 'page-1.ts', 'sunrise.ts', 'wrong.ts'])
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'esnext', '--types', 'node']
    const args = [
      tsc,
      ...strict,
      '--allowImportingTsExtensions',
      '--skipLibCheck',
      ...pages,
      'moved/origin.ts',
    ]
    const { stdout } = await run(process.execPath, args, { cwd: project }).catch(failed => failed)
    expect(stdout).toBe('')

    const program =
      "const { default: { operations } } = await import('./moved/origin.ts'); console.log(operations.length)"
    expect(
      (await run(process.execPath, ['--input-type=module', '-e', program], { cwd: project })).stdout,
    ).toBe('2\n')
  },
)
