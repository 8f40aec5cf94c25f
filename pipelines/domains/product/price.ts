/** Reads prices as people write them. A price is decimal text with its original digits, never a float. */
import { type Currency, currencyOf, signPattern } from './currency.ts'
import type { Locale } from './locale.ts'

export interface PagePrice {
  value: string
  currency: Currency | undefined
  /** `from 12 €`: the lowest of several. */
  isLowest: boolean
  /** Its place in the text. */
  at: number
  end: number
}

const group = "[ \\u00a0\\u2009\\u202f'’٬]"
const amount = `(?:\\d{1,3}(?:${group}\\d{3})+(?!\\d)|\\d+)(?:[.,٫·]\\d+)*`
const space = '[ \\u00a0\\u2009\\u202f]{0,2}'
/** `19€99` */
const split = `(?<whole>\\d+)${space}(?<within>€|£)${space}(?<cents>\\d{2})(?![\\d.,])`
const usual = `(?:(?<![\\p{L}\\p{N}])(?<before>${signPattern}))?${space}(?<!\\d[.,]?)(?<amount>${amount})(?:[.,][-–—]{1,2}|:-)?(?:${space}(?<after>${signPattern})(?!\\p{N}))?`
const pattern = new RegExp(`${split}|${usual}`, 'giu')

const lowest =
  /(?:\bfrom|\bstarting (?:at|from)|\bab|à partir de|dès|\bdesde|\ba partir de|\bda|\ba partire da|\bod|(?<!\p{L})от|\bvanaf|\bfra|\bfrån|\balkaen|\bstarts?)[\s:]*$/iu
const tooLong = 60

/** Every amount with a currency next to it. With `bare`, also amounts without one. */
export function pricesIn(
  text: string,
  locale: Locale,
  { bare = false, code }: { bare?: boolean; code?: string } = {},
): PagePrice[] {
  const found: PagePrice[] = []
  const ascii = withAsciiDigits(text)
  for (const match of ascii.matchAll(pattern)) {
    const {
      whole,
      within,
      cents,
      before,
      amount = '',
      after,
    } = match.groups as Record<string, string | undefined>
    const currency = [within, before, after].map(sign => sign && currencyOf(sign, locale)).find(Boolean) as
      | Currency
      | undefined
    if ((!currency && !bare) || amount.length > tooLong) continue
    const value = whole ? normal(`${whole}.${cents}`) : decimalOf(amount, locale, currency?.code ?? code)
    if (value === undefined) continue
    const isLowest = lowest.test(ascii.slice(Math.max(0, match.index - 24), match.index))
    found.push({ value, currency, isLowest, at: match.index, end: match.index + match[0].length })
    if (found.length >= 50) break
  }
  return found
}

/** The amount in a field of a product, such as `1,299.00`, `EUR 12,50` or `12.50`. */
export function statedPrice(text: string | undefined, locale: Locale, code?: string): PagePrice | undefined {
  if (text === undefined || text.length > 200) return undefined
  const prices = pricesIn(text, locale, { bare: true, ...(code && { code }) })
  return prices.find(({ currency }) => currency) ?? prices[0]
}

export const isZero = (decimal: string): boolean => /^0(\.0*)?$/.test(decimal)

/** Equal as numbers: `12.5` and `12.50`. */
export const isSameAmount = (a: string, b: string): boolean => shortest(a) === shortest(b)
export const shortest = (decimal: string): string =>
  decimal.includes('.') ? decimal.replace(/\.?(?<!0)0+$/, '') : decimal

/** Compares decimals of at most 18 digits, which covers every real price. */
export function compare(a: string, b: string): number {
  const [left, right] = [a, b].map(each => {
    const [whole = '', part = ''] = each.split('.')
    return BigInt(`${whole}${part.slice(0, 8).padEnd(8, '0')}`)
  }) as [bigint, bigint]
  return left < right ? -1 : left > right ? 1 : 0
}

const normal = (decimal: string): string | undefined => {
  const bare = decimal.replace(/^0+(?=\d)/, '')
  return /^\d{1,12}(\.\d{1,8})?$/.test(bare) ? bare : undefined
}

/** The text itself decides the meaning of points and commas. If it does not, currency and language decide. */
function decimalOf(written: string, locale: Locale, code?: string): string | undefined {
  const text = written.replace(new RegExp(group, 'g'), '').replace(/[٫·]/g, '.')
  const marks = text.replace(/\d/g, '')
  if (marks === '') return normal(text)
  const [first = '', ...rest] = text.split(/[.,]/)
  const last = rest.at(-1) as string
  const asDecimal = normal(`${first}${rest.slice(0, -1).join('')}.${last}`)
  const asWhole = normal(first + rest.join(''))
  if (new Set(marks).size > 1) {
    const mark = marks.at(-1) as string
    return marks.indexOf(mark) === marks.length - 1 && rest.slice(0, -1).every(isGroup)
      ? asDecimal
      : undefined
  }
  if (marks.length > 1) {
    if (last.length === 3 && rest.every(isGroup)) return asWhole
    return last.length === 2 && rest.slice(0, -1).every(isGroup) ? asDecimal : undefined
  }
  if (last.length !== 3 || first.length > 3 || /^0*$/.test(first)) return asDecimal
  return isDecimalMark(marks, locale, code) ? asDecimal : asWhole
}

/** India writes `1,29,999`. */
const isGroup = (digits: string): boolean => digits.length === 3 || digits.length === 2

/** Nobody writes fractions of these. */
const whole = new Set([
  'CLP',
  'COP',
  'CRC',
  'HUF',
  'IDR',
  'IRR',
  'ISK',
  'JPY',
  'KRW',
  'KZT',
  'PYG',
  'RSD',
  'TWD',
  'UZS',
  'VND',
])
const withPoint = new Set(['en', 'ja', 'ko', 'zh', 'th', 'he', 'hi', 'ar', 'fa', 'ur', 'ms'])
const pointInCountry = new Set([
  'CH',
  'LI',
  'MX',
  'PE',
  'GT',
  'DO',
  'HN',
  'NI',
  'PA',
  'PR',
  'SV',
  'GB',
  'IE',
  'US',
  'CA',
])
const commaInCountry = new Set(['ZA', 'AR', 'BR', 'CL', 'DE', 'ES', 'IT', 'NL', 'TR', 'ID'])

/** Whether `mark`, with three digits after it, begins the decimals. */
function isDecimalMark(mark: string, { language, country }: Locale, code: string | undefined): boolean {
  if (code && whole.has(code)) return false
  const point =
    country && pointInCountry.has(country)
      ? !(country === 'CA' && language === 'fr')
      : country && commaInCountry.has(country)
        ? language === 'en' && country !== 'ZA' && country !== 'AR'
        : language === undefined
          ? code !== 'EUR'
          : withPoint.has(language)
  return mark === (point ? '.' : ',')
}

/** Replaces Arabic and Persian digits. The text keeps its length. */
const withAsciiDigits = (text: string): string =>
  text.replace(/[٠-٩۰-۹]/g, digit => String((digit.charCodeAt(0) & 0xf) % 10))
