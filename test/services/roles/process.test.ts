/** How a process opens its parts. */
import { expect, it } from 'vitest'
import { type Given, given, Opened, type Part } from '../../../pipelines/rails/process.ts'
import type { Running } from '../../../pipelines/rails/running.ts'
import { Lifecycle } from '../../../services/roles/lifecycle.ts'
import { opening } from '../../../services/roles/process.ts'
import { processOf } from '../../a-process.ts'

const happened: string[] = []
const part = (
  name: string,
  uses: readonly Part[] = [],
  ended: Promise<unknown> = new Promise(() => {}),
): Part<Running> => ({
  name,
  async open({ use }) {
    for (const each of uses) await use(each)
    happened.push(`opens ${name}`)
    return { ended, close: async () => void happened.push(`closes ${name}`) }
  },
})

function start(...instead: Given[]) {
  happened.length = 0
  const lifecycle = new Lifecycle(() => {})
  const process = processOf({ use: asked => use(asked) })
  const use = opening(lifecycle, () => process, instead)
  return { lifecycle, use }
}

it('opens a part once, and closes it after all who use it', async () => {
  const { lifecycle, use } = start()
  const ground = part('ground')
  const [first, second] = [part('first', [ground]), part('second', [ground])]
  await Promise.all([use(first), use(second), use(first)])
  await lifecycle.close()
  expect(happened[0]).toBe('opens ground')
  expect(happened.toSorted()).toEqual(
    ['first', 'ground', 'second'].flatMap(name => [`closes ${name}`, `opens ${name}`]).toSorted(),
  )
  expect(happened.at(-1)).toBe('closes ground')
})

it('ends with a part that ends', async () => {
  const { lifecycle, use } = start()
  await use(part('reader', [], Promise.reject(new Error('gone'))))
  await expect(lifecycle.ended).rejects.toThrow('reader has ended: gone')
  await lifecycle.close()
})

it('takes a given replacement for a part, and leaves it open', async () => {
  const rhythm: Part<number> = { name: 'rhythm', open: () => 900 }
  const { lifecycle, use } = start(given(rhythm, 5))
  expect(await use(rhythm)).toBe(5)
  await lifecycle.close()
  expect(await start().use(rhythm)).toBe(900)
})

it('gives operations the parts that their origin lists, and names a missing one', () => {
  const known: Part<number> = { name: 'known', open: () => 1 }
  const opened = new Opened([given(known, 1)])
  expect(opened.of(known)).toBe(1)
  expect(() => opened.of(part('unknown'))).toThrow('unknown is not open in this process')
})
