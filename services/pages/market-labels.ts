/** The labels of a seller in words, each a link to its rule. */
import { method } from '../../pipelines/domains/market/method.ts'
import { escaped, words } from '../query/face/text.ts'

const abouts = new Map(method.labels.map(({ code, about }) => [code as string, about]))

export const labelTags = (codes: readonly string[]): string =>
  codes
    .map(
      code =>
        `<a href="/market#${escaped(code)}" title="${escaped(abouts.get(code) ?? '')}">${escaped(words(code))}</a>`,
    )
    .join(', ')
