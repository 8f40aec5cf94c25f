/** Texts from strangers on a chain: names and symbols of tokens. */

import { normalised } from '../../../schemas/values/unicode.ts'

const mostCharacters = 100
/** Control, format (including bidirectional), private and unassigned characters, and lone surrogates. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/gu

/** `odd`: the text was empty, too long, or had invisible characters. */
export function cleaned(text: string): { text: string | null; odd: boolean } {
  const plain = text.replace(hidden, '').trim()
  const short = Array.from(plain).slice(0, mostCharacters).join('')
  return { text: short === '' ? null : short, odd: short !== text.trim() || short === '' }
}

/** Letters of other alphabets that look like Latin ones. Tokens use them to copy the names of others. */
const latin: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
  ...{ і: 'i', ј: 'j', ѕ: 's', ԁ: 'd', ԛ: 'q', ԝ: 'w', һ: 'h', ӏ: 'l', г: 'r' },
  ...{
    α: 'a',
    β: 'b',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ζ: 'z',
    η: 'n',
    μ: 'm',
  },
}

/** Two names with one likeness look the same to a hurried reader. */
export const likeness = (name: string): string =>
  Array.from(normalised(name, 'NFKD').toLowerCase())
    .map(letter => latin[letter] ?? letter)
    .join('')
    .replace(/[\p{M}\p{P}\p{S}\s]/gu, '')
