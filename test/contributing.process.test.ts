/** Follows each checklist of CONTRIBUTING.md in a copy of the project. In the long form, it leaves out each step once. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addedParts } from './added-parts.ts'
import { scratchTree } from './scratch-tree.ts'

const run = promisify(execFile)
const text = readFileSync(new URL('../CONTRIBUTING.md', import.meta.url), 'utf8')
const [, ...sections] = text.slice(text.indexOf('## Checklists')).split('\n### ')
const checklists = sections.map(section => ({
  part: section.split('\n', 1)[0] as string,
  rows: [
    ...section.matchAll(
      /^\| `([^`]+)`[^|]* \| (`npm run check`|the parts|the alerts|the compose file): (.+) \|$/gm,
    ),
  ].map(([, what = '', asked = '', words = '']) => ({ what, asked, words })),
}))

let tree: string
beforeAll(() => {
  tree = scratchTree(mkdtempSync(join(tmpdir(), 'farebox-')))
  // What `npm run check` has judged is not judged again, so only the parts that are added here are.
  const known = new URL('../node_modules/.cache/tsc.tsbuildinfo', import.meta.url)
  if (existsSync(known)) cpSync(known, at(checked))
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))

const at = (path: string) => join(tree, path)
const contentOf = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined)
function put(path: string, content: string | undefined): void {
  if (content === undefined) rmSync(at(path))
  else {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
  }
}

/** The output of a program that fails. Undefined if it succeeds. */
async function complaint(...args: string[]): Promise<string | undefined> {
  // One worker loads the modules once; the tests beside this one use the other cores.
  const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0', VITEST_MAX_WORKERS: '1' }
  const said = (error: { stdout: string; stderr: string }) => `${error.stdout}${error.stderr}`
  return run(process.execPath, args, { cwd: tree, env }).then(() => undefined, said)
}
const vitest = (...files: string[]) => complaint('node_modules/vitest/vitest.mjs', 'run', ...files)
const ofAll = ['every-part', 'architecture', 'services/config/config'].map(name => `test/${name}.test.ts`)
const docs = (...args: string[]) => complaint('services/commands/docs.ts', ...args)
/** As deep in its tree as the one of the project, because the paths in it are relative. */
const checked = '.checked/cache/tsc.tsbuildinfo'
const types = () => complaint('node_modules/tsc/bin/tsc', '--tsBuildInfoFile', checked)
const asks: Record<string, (() => Promise<string | undefined>)[]> = {
  'the parts': [() => vitest('test/every-part.test.ts')],
  'the alerts': [() => vitest('test/deploy/alerts.process.test.ts')],
  'the compose file': [() => vitest('test/deploy/compose.process.test.ts')],
  // Without the look at style, and the quick program first.
  '`npm run check`': [() => docs('--check'), types],
}
/** The complaints of these checks, until one contains the words. */
async function heard(asked: string, words: string): Promise<string> {
  let said = ''
  for (const ask of asks[asked] ?? []) if (!said.includes(words)) said += (await ask()) ?? ''
  return said
}

it('there is a list for each kind of part, and a part that tries it', () => {
  expect(checklists.map(({ part }) => part)).toEqual(Object.keys(addedParts))
})

/** Each step that is left out, and each list on its own, takes the compiler or a run of tests: minutes in all. */
const isLong = process.env.LONG_FORM !== undefined
const added: string[] = []
const derivedFiles: [file: string, words: RegExp][] = []

it.each(checklists.map(each => [each.part, each.rows] as const))(
  '%s: together the steps are enough, and every step is needed',
  async (part, rows) => {
    const { names, steps, shown } = addedParts[part] as (typeof addedParts)[string]
    const named = (words: string) => words.replaceAll(/<(\w+)>/g, (_, name) => names[name] ?? `<${name}>`)
    const files = rows.filter(({ what }) => what !== 'npm run docs')
    expect(files.map(({ what }) => what)).toEqual(Object.keys(steps))

    const before = new Map(files.map(({ what }) => [what, contentOf(named(what))]))
    for (const { what } of files) {
      const step = steps[what] as (typeof steps)[string]
      const content = before.get(what)
      put(named(what), typeof step === 'string' ? step : step(content as string))
      expect(contentOf(named(what))).not.toBe(content)
    }
    const derived = rows.find(({ what }) => what === 'npm run docs')
    if (derived && isLong) expect(await heard(derived.asked, derived.words)).toContain(derived.words)
    if (derived && isLong) expect(await docs()).toBeUndefined()
    derivedFiles.push(...Object.entries(shown))
    const tests = files.map(({ what }) => named(what)).filter(file => file.endsWith('.test.ts'))
    added.push(...tests)
    if (!isLong) return
    expect(await vitest(...ofAll, ...tests)).toBeUndefined()
    for (const { what, asked, words } of files) {
      const whole = contentOf(named(what))
      put(named(what), before.get(what))
      expect(await heard(asked, named(words)), `without ${what}`).toContain(named(words))
      put(named(what), whole)
    }
  },
)

it(`with all of them the types and the compose file are whole${isLong ? ', and the alerts, the catalog and the sandbox' : ''}`, async () => {
  expect(await docs()).toBeUndefined()
  for (const [file, words] of derivedFiles) expect(contentOf(file)).toMatch(words)
  expect(await types()).toBeUndefined()
  const whole = ['services/query/catalog', 'services/query/origins', 'services/sandbox/upstreams']
  const more = ['deploy/compose.process', ...(isLong ? ['deploy/alerts.process', ...whole] : [])].map(
    name => `test/${name}.test.ts`,
  )
  expect(await vitest(...ofAll, ...added, ...more)).toBeUndefined()
})
