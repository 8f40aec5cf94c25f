/**
 * `npm run release -- <version>`: writes the version wherever it stands, commits it, and tags the commit. The tag, once it is pushed,
 * becomes images and a release (.github/workflows/release.yaml).
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const usage = `npm run release -- <version>

  CHANGELOG.md says what is new, under "## Next" or already under "## <version>, <day>". The tree must be clean. It ends with a commit and
  the tag v<version> here; "git push --follow-tags" publishes them.
  --check <version>: says whether the tree is that version. --notes <version>: prints its part of CHANGELOG.md.`

const changelog = 'CHANGELOG.md'
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const read = (file: string) => readFileSync(file, 'utf8')
const versionIn = (file: string) => (JSON.parse(read(file)) as { version: string }).version

/** Where the version stands. Everything else reads it there. */
const places: readonly { file: string; pattern: RegExp }[] = [
  { file: 'package.json', pattern: /(?<=^ {2}"version": ")[^"]+/m },
  {
    file: 'package-lock.json',
    pattern: /(?<=^ {2}"version": "|"name": "farebox",\n {6}"version": ")[^"]+/gm,
  },
  { file: 'services/client/package.json', pattern: /(?<=^ {2}"version": ")[^"]+/m },
  { file: 'deploy/kubernetes/base/kustomization.yaml', pattern: /(?<=newTag: ")[^"]+/g },
  { file: 'deploy/README.md', pattern: /(?<=FAREBOX_VERSION=|\/farebox(?:-render|-all)?:)\d+\.\d+\.\d+/g },
]

function fail(words: string): never {
  console.error(words)
  process.exit(1)
}

/** The part of CHANGELOG.md under this heading. */
function notesOf(version: string): string | undefined {
  const [, ...parts] = read(changelog).split(/^## /m)
  const part = parts.find(each => each.startsWith(`${version},`))
  return part?.slice(part.indexOf('\n')).trim()
}

const numbers = (version: string) => version.split('.').map(Number) as [number, number, number]
function isNewer(version: string, than: string): boolean {
  const [a, b] = [numbers(version), numbers(than)]
  const at = a.findIndex((n, i) => n !== b[i])
  return at >= 0 && (a[at] as number) > (b[at] as number)
}

function check(version: string): void {
  for (const { file, pattern } of places)
    for (const found of read(file).match(pattern) ?? []) if (found !== version) fail(`${file} says ${found}`)
  if (!notesOf(version)) fail(`${changelog} says nothing of ${version}`)
}

function release(version: string): void {
  if (git('status', '--porcelain') !== '') fail('the tree is not clean: commit first')
  const before = versionIn('package.json')
  const isFirst = version === before && git('tag', '--list', `v${version}`) === ''
  if (!isFirst && !isNewer(version, before)) fail(`${version} is not newer than ${before}`)
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(changelog, read(changelog).replace(/^## Next$/m, `## ${version}, ${today}`))
  const notes = notesOf(version)
  if (!notes) {
    git('checkout', '--', changelog)
    fail(`${changelog} has no "## Next" and no "## ${version}, <day>"`)
  }
  for (const { file, pattern } of places) writeFileSync(file, read(file).replace(pattern, version))
  check(version)
  if (git('status', '--porcelain') !== '') git('commit', '--all', '--message', `release: ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `Farebox ${version}\n\n${notes}`, '--cleanup=verbatim')
  console.log(`v${version} is tagged: git push --follow-tags`)
}

const [first = '', second = ''] = process.argv.slice(2)
const version = first.startsWith('--') ? second : first
if (!/^\d+\.\d+\.\d+$/.test(version)) fail(usage)
if (first === '--check') check(version)
else if (first === '--notes') console.log(notesOf(version) ?? fail(`${changelog} says nothing of ${version}`))
else release(version)
