/** Addresses as callers type them: their keys, and the wordings of our questions. */

import { usStates, zipFits } from '../../../schemas/tables/us-states.ts'
import { normalised as inForm } from '../../../schemas/values/unicode.ts'
import { sha256 } from '../../rails/signing/sha256.ts'

/** One line, no control characters. */
export const oneLine = (typed: string): string =>
  typed
    .replace(/[\r\n\u2028\u2029]+/g, ', ')
    .replace(/\p{Cc}|\p{Cf}/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/( ?,)+ ?/g, ', ')
    .replace(/^[, ]+|[, ]+$/g, '')

const withoutAccents = (text: string): string => inForm(text, 'NFKD').replace(/\p{M}/gu, '')

/** In upper case, without accents and punctuation. Two texts that are equal in this form are one address. */
export const normalised = (address: string): string =>
  withoutAccents(address)
    .toUpperCase()
    .replace(/[^\p{L}\p{N}#/-]+/gu, ' ')
    .trim()

export const addressHash = (address: string): string => sha256(normalised(address))

/** FL before a small number is a floor. Before a ZIP it is Florida. */
const unit = /[, ]*(?:\b(?:APT|UNIT|STE|SUITE|BLDG|RM)\b\.?\s*[^\s,]+|\bFL\b\.?\s*\d{1,3}\b|#\s*[^\s,]+)/gi
const zipAtEnd = /[, ]*\b\d{5}(?:-\d{4})?$/

/** The address as typed; then without unit and accents; then without the ZIP too. */
export function wordings(address: string): string[] {
  const plain = withoutAccents(oneLine(address.replace(unit, '')))
  return [...new Set([address, plain, plain.replace(zipAtEnd, '')])].filter(text => text !== '')
}

/** Splits a Puerto Rican address in an urbanization into the parts for the endpoint of such addresses. */
export function urbanization(address: string): Record<string, string> | undefined {
  const parts = withoutAccents(address)
    .split(',')
    .map(part => part.trim())
  const urb = parts.find(part => /^URB(ANIZACION)?\b/i.test(part))
  const place = parts.findIndex(part => /^(PR|PUERTO RICO)?\s*(00[679]\d\d(-\d{4})?)?$/i.test(part))
  const street = parts.find(part => part !== urb && /^[A-Z]?-?\d/i.test(part))
  if (!urb || !street || place < 1) return undefined
  const municipio = parts[place - 1] as string
  const zip = address.match(/\b00[679]\d\d\b/)?.[0]
  return {
    street,
    urb: urb.replace(/^URB(ANIZACION)?\.?\s*/i, ''),
    municipio,
    state: 'PR',
    ...(zip && { zip }),
  }
}

export interface Typed {
  house: string | undefined
  zip: string | undefined
  /** Only in the position of a state: the NE of "100 5TH AVE NE" is not Nebraska. */
  state: string | undefined
  words: string
}

const codes = new Map(
  Object.entries(usStates).flatMap(
    ([code, name]) =>
      [
        [code, code],
        [normalised(name), code],
      ] as const,
  ),
)
/** Codes of states that also end the names of streets. */
const streetEndings = new Set(['NE', 'CT', 'AL', 'LA', 'CR', 'PR'])

/** Reads the parts of an address that are beyond doubt. */
export function readTyped(typed: string): Typed {
  const address = typed.replace(/[, ]*\b(?:USA|U\.S\.A\.|United States)$/i, '')
  const words = normalised(address)
  const zip = words.match(/\b(\d{5})(?:-\d{4})?$/)?.[1]
  const parts = address
    .replace(zipAtEnd, '')
    .split(',')
    .map(normalised)
    .filter(part => part !== '')
  const last = parts.at(-1) ?? ''
  const named = [...codes.keys()].find(
    name => name.length > 2 && (last === name || last.endsWith(` ${name}`)),
  )
  const code = last.match(/\b[A-Z]{2}$/)?.[0] ?? ''
  const standsAlone = last === code || parts.length > 1
  // Washington, Indiana and Delaware are cities too, so a ZIP of another state shows that the name means a city.
  const nameOf = parts.length > 1 && named === last ? codes.get(named) : undefined
  const isCity = nameOf !== undefined && zip !== undefined && !zipFits(zip, nameOf)
  const state =
    codes.get(code) && (standsAlone || !streetEndings.has(code)) ? code : isCity ? undefined : nameOf
  return { house: words.match(/^[\dA-Z-]*\d[\dA-Z-]*/)?.[0], zip, state, words }
}
