/** Part of `npm run check`: the time of each regular expression that strangers reach grows as their text does. */
import { harmless, ourOwn } from './harmless.ts'
import { judge, keep } from './judge.ts'
import { made, readSource } from './source.ts'

const [how] = process.argv.slice(2)
const { literals, making } = readSource()
const isReached = (file: string): boolean => !ourOwn.some(({ files }) => files.test(file))
const patterns = [
  ...literals.filter(({ file }) => isReached(file)),
  ...(await made(making.filter(isReached))),
]
const judged = await judge(patterns, how === '--anew')

const faulty = judged.filter(({ fault }) => fault !== undefined)
const excused = (one: (typeof faulty)[number]) =>
  harmless.find(({ file, start }) => file === one.file && one.source.startsWith(start))
const wrong = [
  ...faulty
    .filter(one => !excused(one))
    .map(({ file, source, flags, fault }) => `${file}: ${fault}: /${source}/${flags}`),
  // Some are tried by chance or in vain within the time, so that one that is judged anew may pass.
  ...(how === '--anew' ? [] : harmless)
    .filter(({ file, start }) => !faulty.some(one => one.file === file && one.source.startsWith(start)))
    .map(({ file, start }) => `test/patterns/harmless.ts: ${file} has no fault at /${start}`),
]
if (wrong.length) {
  process.stderr.write(`${wrong.join('\n')}\nRegular expressions: see test/patterns/README.md\n`)
  process.exit(1)
}
if (how === '--keep') keep(judged)
process.exit(0)
