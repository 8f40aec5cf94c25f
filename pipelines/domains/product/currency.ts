/** The currency that a sign or a word means. If several countries share it, the country of the site decides. */
import type { Locale } from './locale.ts'

/** ISO 4217, without funds and metals. */
const codes = new Set(
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL'.split(
    ' ',
  ),
)

/** Former codes that were replaced one for one, and codes that shops invented. */
const former: Record<string, string> = { RUR: 'RUB', RMB: 'CNY', NTD: 'TWD', BYR: 'BYN', STG: 'GBP' }

const dollars: Record<string, string> = {
  US: 'USD', CA: 'CAD', AU: 'AUD', NZ: 'NZD', SG: 'SGD', HK: 'HKD', TW: 'TWD', MX: 'MXN', AR: 'ARS', CL: 'CLP', CO: 'COP', UY: 'UYU', BR: 'BRL', PR: 'USD', EC: 'USD', SV: 'USD', DO: 'DOP',
} // biome-ignore format: a table
const crowns: Record<string, string> = { SE: 'SEK', NO: 'NOK', DK: 'DKK', IS: 'ISK', FO: 'DKK', GL: 'DKK' }
const rupees: Record<string, string> = { IN: 'INR', PK: 'PKR', LK: 'LKR', NP: 'NPR', MU: 'MUR' }
const yens: Record<string, string> = { JP: 'JPY', CN: 'CNY' }
const yuans: Record<string, string> = { CN: 'CNY', TW: 'TWD', HK: 'HKD' }
const pounds: Record<string, string> = { EG: 'EGP', LB: 'LBP', SY: 'SYP' }
const roubles: Record<string, string> = { BY: 'BYN', RU: 'RUB' }
const leis: Record<string, string> = { RO: 'RON', MD: 'MDL' }
const francs: Record<string, string> = { CH: 'CHF', LI: 'CHF' }
const dinars: Record<string, string> = { RS: 'RSD', MK: 'MKD', TN: 'TND', DZ: 'DZD', KW: 'KWD' }

type Meaning = string | Readonly<Record<string, string>>

/** The longest first, because `R$` is not a dollar. */
const signs: readonly (readonly [sign: string, meaning: Meaning])[] = (
  [
    ['us$', 'USD'], ['us $', 'USD'], ['ca$', 'CAD'], ['c$', 'CAD'], ['c $', 'CAD'], ['au$', 'AUD'], ['au $', 'AUD'], ['a$', 'AUD'], ['nz$', 'NZD'], ['hk$', 'HKD'], ['nt$', 'TWD'], ['s$', 'SGD'], ['r$', 'BRL'], ['mx$', 'MXN'], ['mex$', 'MXN'], ['ar$', 'ARS'], ['cop$', 'COP'], ['$u', 'UYU'],
    ['€', 'EUR'], ['euros', 'EUR'], ['euro', 'EUR'], ['£', { ...pounds, '': 'GBP' }], ['₹', 'INR'], ['₽', 'RUB'], ['₴', 'UAH'], ['₸', 'KZT'], ['₺', 'TRY'], ['₩', 'KRW'], ['₪', 'ILS'], ['₫', 'VND'], ['฿', 'THB'], ['₱', 'PHP'], ['₦', 'NGN'], ['₼', 'AZN'], ['₾', 'GEL'], ['¥', yens], ['￥', yens], ['円', 'JPY'], ['元', yuans], ['원', 'KRW'],
    ['zł', 'PLN'], ['kč', 'CZK'], ['ft', 'HUF'], ['kn', 'HRK'], ['лв', 'BGN'], ['грн', 'UAH'], ['тг', 'KZT'], ['тенге', 'KZT'], ['руб', { ...roubles, '': 'RUB' }], ['р.', { ...roubles, '': 'RUB' }], ['ден', 'MKD'], ['дин', 'RSD'], ['din', dinars], ['lei', { ...leis, '': 'RON' }], ['ر.س', 'SAR'], ['د.إ', 'AED'], ['د.ك', 'KWD'], ['ج.م', 'EGP'],
    ['rs.', rupees], ['rs', rupees], ['rp', 'IDR'], ['rm', 'MYR'], ['kr', crowns], ['tl', 'TRY'], ['đ', 'VND'], ['fr.', francs], ['sfr', 'CHF'], ['sfr.', 'CHF'], ['s/', 'PEN'], ['br', { BY: 'BYN', ET: 'ETB' }], ['r', { ZA: 'ZAR' }], ['$', dollars],
  ] as [string, Meaning][]
).sort(([a], [b]) => b.length - a.length) // biome-ignore format: a table

const escapedForm = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
/** Letters must be a word of their own: `tl` must not be a part of a word. */
const bounded = (sign: string): string =>
  `${/^\p{L}/u.test(sign) ? '(?<!\\p{L})' : ''}${escapedForm(sign)}${/\p{L}$/u.test(sign) ? '(?!\\p{L})' : ''}`

/** A sign of a currency, or its code. */
export const signPattern = `(?:${[...signs.map(([sign]) => bounded(sign)), '(?<![A-Za-z])[A-Za-z]{3}(?![A-Za-z])'].join('|')})`

/** `all`, `top` and `try` are codes of currencies too, so a code in lower case counts only if it is a common one. */
const inLowerCase = /^(eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|aud|cad)$/i

export interface Currency {
  /** Undefined if several currencies have this sign, and the site does not tell which. */
  code: string | undefined
  /** Whether only the sign decided. */
  bySign: boolean
}

export const currencyCode = (text: string | undefined): string | undefined => {
  const code = text?.trim().toUpperCase() ?? ''
  return codes.has(code) ? code : former[code]
}

/** Undefined if the text means no currency. */
export function currencyOf(sign: string, { country }: Locale): Currency | undefined {
  const written = sign.trim()
  const text = written.toLowerCase()
  const found = signs.find(([each]) => each === text)?.[1]
  if (found === undefined) {
    if (written !== written.toUpperCase() && !inLowerCase.test(written)) return undefined
    const code = currencyCode(text)
    return code === undefined ? undefined : { code, bySign: false }
  }
  return { code: typeof found === 'string' ? found : (found[country ?? ''] ?? found['']), bySign: true }
}
