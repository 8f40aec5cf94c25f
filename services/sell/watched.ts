/** What subscribers hear of an operation of a file: that its answer, or the part that the file names, has changed. */
import type { Operation } from '../offer/operation.ts'
import type { OperationForm } from './form.ts'

/** Behind what the operation says of itself: with 400 letters before, a quote has room for it. */
export const watchedWords = ' Its changes: /watch/subscribe.'

export const watchedOf = ({
  every,
  only,
}: NonNullable<OperationForm['watch']>): NonNullable<Operation['watched']> => ({
  everyMs: every,
  told: sold => {
    const { answer } = sold as { answer: unknown }
    if (!only) return answer
    return Array.isArray(answer) ? answer.map(row => partOf(row, only)) : partOf(answer, only)
  },
})

const partOf = (value: unknown, names: readonly string[]): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
    : value
