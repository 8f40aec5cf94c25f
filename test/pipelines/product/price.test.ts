import { describe, expect, it } from 'vitest'
import type { Locale } from '../../../pipelines/product/locale.ts'
import { pricesIn, statedPrice } from '../../../pipelines/product/price.ts'

/** `en-US` is a page in English of a site in the United States. `-` is unknown. */
const localeOf = (tag: string): Locale => {
  const [language, country] = tag.split('-')
  return { language: language || undefined, country: country || undefined }
}

/** A text as a page shows it, the site, the amount, and its currency: `?` where the sign could mean several. */
const shown: readonly [text: string, site: string, value: string, code: string][] = [
  ['$1,299.99', 'en-US', '1299.99', 'USD'],
  ['$1299.99', 'en-US', '1299.99', 'USD'],
  ['$0.99', 'en-US', '0.99', 'USD'],
  ['$ 19', 'en-US', '19', 'USD'],
  ['19.99 USD', 'en-', '19.99', 'USD'],
  ['USD 19.99', 'en-', '19.99', 'USD'],
  ['US$19.99', 'en-', '19.99', 'USD'],
  ['US $19.99', 'en-CN', '19.99', 'USD'],
  ['C $24.50', 'en-', '24.50', 'CAD'],
  ['CA$24.50', 'en-', '24.50', 'CAD'],
  ['$24.50', 'en-CA', '24.50', 'CAD'],
  ['24,50 $', 'fr-CA', '24.50', 'CAD'],
  ['1 299,99 $', 'fr-CA', '1299.99', 'CAD'],
  ['A$45', 'en-', '45', 'AUD'],
  ['AU $45.00', 'en-', '45.00', 'AUD'],
  ['$45.00', 'en-AU', '45.00', 'AUD'],
  ['$45', 'en-NZ', '45', 'NZD'],
  ['NZ$45', 'en-', '45', 'NZD'],
  ['HK$388', 'zh-', '388', 'HKD'],
  ['NT$1,280', 'zh-', '1280', 'TWD'],
  ['S$29.90', 'en-', '29.90', 'SGD'],
  ['R$ 1.299,90', 'pt-BR', '1299.90', 'BRL'],
  ['R$ 19,90', 'pt-BR', '19.90', 'BRL'],
  ['$3.499', 'es-AR', '3499', 'ARS'],
  ['$ 2.449,00', 'es-AR', '2449.00', 'ARS'],
  ['$5.000', 'es-CL', '5000', 'CLP'],
  ['$19.990', 'es-CL', '19990', 'CLP'],
  ['$ 1,299.00', 'es-MX', '1299.00', 'MXN'],
  ['MX$349', 'es-', '349', 'MXN'],
  ['$129.900', 'es-CO', '129900', 'COP'],
  ['$19.99', 'en-', '19.99', '?'],
  ['$15', '-', '15', '?'],
  ['€ 49,99', 'de-DE', '49.99', 'EUR'],
  ['49,99 €', 'de-DE', '49.99', 'EUR'],
  ['49,99€', 'fr-FR', '49.99', 'EUR'],
  ['1.299,00 €', 'de-DE', '1299.00', 'EUR'],
  ['1.299 €', 'de-DE', '1299', 'EUR'],
  ['1 299,00 €', 'fr-FR', '1299.00', 'EUR'],
  ['1 299,00 €', 'fr-FR', '1299.00', 'EUR'],
  ['1 299 €', 'fr-FR', '1299', 'EUR'],
  ['19€99', 'fr-FR', '19.99', 'EUR'],
  ['19 € 99', 'fr-FR', '19.99', 'EUR'],
  ['129€00', 'fr-FR', '129.00', 'EUR'],
  ['€49.99', 'en-IE', '49.99', 'EUR'],
  ['€1,299', 'en-IE', '1299', 'EUR'],
  ['EUR 12,50', 'de-DE', '12.50', 'EUR'],
  ['12,50 EUR', 'it-IT', '12.50', 'EUR'],
  ['12,50 euro', 'it-IT', '12.50', 'EUR'],
  ['12.5 euros', 'es-ES', '12.5', 'EUR'],
  ['€ 12,-', 'nl-NL', '12', 'EUR'],
  ['€ 1.249,-', 'nl-NL', '1249', 'EUR'],
  ['12,– €', 'de-AT', '12', 'EUR'],
  ['34.000 €', 'es-ES', '34000', 'EUR'],
  ['34.000 €', 'de-DE', '34000', 'EUR'],
  ['34,000 €', 'en-IE', '34000', 'EUR'],
  ['€34.000', 'en-IE', '34.000', 'EUR'],
  ['£1,299.00', 'en-GB', '1299.00', 'GBP'],
  ['£49', 'en-GB', '49', 'GBP'],
  ['GBP 11.19', 'en-CA', '11.19', 'GBP'],
  ['£0.85', 'en-', '0.85', 'GBP'],
  ['CHF 19.50', 'de-CH', '19.50', 'CHF'],
  ["CHF 1'299.00", 'de-CH', '1299.00', 'CHF'],
  ['CHF 1’299.–', 'de-CH', '1299', 'CHF'],
  ['19.50 CHF', 'fr-CH', '19.50', 'CHF'],
  ['Fr. 19.50', 'de-CH', '19.50', 'CHF'],
  ['SFr. 1299', 'de-CH', '1299', 'CHF'],
  ['1 299 kr', 'sv-SE', '1299', 'SEK'],
  ['1 299,00 kr', 'nb-NO', '1299.00', 'NOK'],
  ['1.299,00 kr.', 'da-DK', '1299.00', 'DKK'],
  ['kr 299,-', 'nb-NO', '299', 'NOK'],
  ['299 SEK', 'en-SE', '299', 'SEK'],
  ['299 kr', 'en-', '299', '?'],
  ['12.990 kr.', 'is-IS', '12990', 'ISK'],
  ['997,00 zł', 'pl-PL', '997.00', 'PLN'],
  ['1 148 zł', 'pl-PL', '1148', 'PLN'],
  ['19,99 PLN', 'pl-PL', '19.99', 'PLN'],
  ['1 299 Kč', 'cs-CZ', '1299', 'CZK'],
  ['1.299,50 Kč', 'cs-CZ', '1299.50', 'CZK'],
  ['12 990 Ft', 'hu-HU', '12990', 'HUF'],
  ['12.990 Ft', 'hu-HU', '12990', 'HUF'],
  ['270,00 Kn', 'hr-HR', '270.00', 'HRK'],
  ['129,90 lei', 'ro-RO', '129.90', 'RON'],
  ['1.299,00 lei', 'ro-RO', '1299.00', 'RON'],
  ['49,90 лв', 'bg-BG', '49.90', 'BGN'],
  ['5.990 RSD', 'sr-RS', '5990', 'RSD'],
  ['2.490 ден', 'mk-MK', '2490', 'MKD'],
  ['1 299 ₽', 'ru-RU', '1299', 'RUB'],
  ['899 ₽', 'ru-RU', '899', 'RUB'],
  ['1 299 руб.', 'ru-RU', '1299', 'RUB'],
  ['352,00 руб.', 'ru-BY', '352.00', 'BYN'],
  ['131 990 тг.', 'ru-KZ', '131990', 'KZT'],
  ['44 890 ₸', 'kk-KZ', '44890', 'KZT'],
  ['1 299 грн', 'uk-UA', '1299', 'UAH'],
  ['₴ 1299', 'uk-UA', '1299', 'UAH'],
  ['1.299,90 TL', 'tr-TR', '1299.90', 'TRY'],
  ['₺1.299,90', 'tr-TR', '1299.90', 'TRY'],
  ['₪ 129.90', 'he-IL', '129.90', 'ILS'],
  ['99 ر.س', 'ar-SA', '99', 'SAR'],
  ['٩٩ ر.س', 'ar-SA', '99', 'SAR'],
  ['SAR 1,299.00', 'en-SA', '1299.00', 'SAR'],
  ['AED 250', 'en-AE', '250', 'AED'],
  ['250 د.إ', 'ar-AE', '250', 'AED'],
  ['KWD 34.000', 'en-KW', '34.000', 'KWD'],
  ['KWD 1,250.500', 'en-KW', '1250.500', 'KWD'],
  ['12.750 BHD', 'en-BH', '12.750', 'BHD'],
  ['34,000 TND', 'fr-TN', '34.000', 'TND'],
  ['EGP 1,299', 'en-EG', '1299', 'EGP'],
  ['₹1,29,999', 'en-IN', '129999', 'INR'],
  ['₹949', 'en-IN', '949', 'INR'],
  ['Rs. 1,29,999.00', 'en-IN', '129999.00', 'INR'],
  ['₹ 12,34,567.50', 'en-IN', '1234567.50', 'INR'],
  ['Rs 23,450', 'en-PK', '23450', 'PKR'],
  ['Rs. 4,500', 'en-LK', '4500', 'LKR'],
  ['Rs 999', 'en-', '999', '?'],
  ['¥1,980', 'ja-JP', '1980', 'JPY'],
  ['￥1,980', 'ja-JP', '1980', 'JPY'],
  ['1,980円', 'ja-JP', '1980', 'JPY'],
  ['¥199.00', 'zh-CN', '199.00', 'CNY'],
  ['199元', 'zh-CN', '199', 'CNY'],
  ['294 元', 'zh-TW', '294', 'TWD'],
  ['¥199', 'en-', '199', '?'],
  ['30,000원', 'ko-KR', '30000', 'KRW'],
  ['₩12,900', 'ko-KR', '12900', 'KRW'],
  ['1.290.000 ₫', 'vi-VN', '1290000', 'VND'],
  ['290.000đ', 'vi-VN', '290000', 'VND'],
  ['฿1,290.00', 'th-TH', '1290.00', 'THB'],
  ['₱1,299.75', 'en-PH', '1299.75', 'PHP'],
  ['Rp 1.299.000', 'id-ID', '1299000', 'IDR'],
  ['Rp149.000', 'id-ID', '149000', 'IDR'],
  ['RM 129.90', 'ms-MY', '129.90', 'MYR'],
  ['R 1 299.00', 'en-ZA', '1299.00', 'ZAR'],
  ['R1 299,00', 'en-ZA', '1299.00', 'ZAR'],
  ['₦12,500', 'en-NG', '12500', 'NGN'],
  ['S/ 129.90', 'es-PE', '129.90', 'PEN'],
  ['12,50 €/kg', 'de-DE', '12.50', 'EUR'],
  ['Price: $12.50 each', 'en-US', '12.50', 'USD'],
  ['Now only £9.99!', 'en-GB', '9.99', 'GBP'],
  ['10.1400 EUR', 'pt-PT', '10.1400', 'EUR'],
  ['EUR 0,500', 'de-DE', '0.500', 'EUR'],
  ['$1.5', 'en-US', '1.5', 'USD'],
  ['$007.50', 'en-US', '7.50', 'USD'],
  ['1.234.567,89 €', 'de-DE', '1234567.89', 'EUR'],
  ['$1,234,567.89', 'en-US', '1234567.89', 'USD'],
  ["1'234'567.89 CHF", 'de-CH', '1234567.89', 'CHF'],
  ['€ 1.299.00', 'it-IT', '1299.00', 'EUR'],
  ['$1,299,00', 'en-US', '1299.00', 'USD'],
  ['ab 12,99 €', 'de-DE', '12.99', 'EUR'],
  ['from $12.99', 'en-US', '12.99', 'USD'],
]

/** Texts in which no price stands. */
const none = [
  '',
  'out of stock',
  '4.5 of 5 stars',
  '12 reviews',
  'iPhone 15',
  'all 5',
  'top 10',
  '+1 555 0100',
  'B08FC1R8C9',
  'cup 3',
  '50 %',
]

describe('a price', () => {
  it('has a table of 150 texts and more', () =>
    expect(shown.length + none.length).toBeGreaterThanOrEqual(150))

  it.each(shown)('%s on a site in %s is %s %s', (text, site, value, code) => {
    const [price] = pricesIn(text, localeOf(site))
    expect(price?.value).toBe(value)
    expect(price?.currency?.code ?? '?').toBe(code)
  })

  it.each(none)('stands not in "%s"', text => {
    expect(pricesIn(text, localeOf('en-US'))).toEqual([])
  })

  it('that is the lowest of several is known by the word before it', () => {
    for (const text of [
      'from $12',
      'ab 12 €',
      'à partir de 12 €',
      'desde 12 €',
      'da 12 €',
      'vanaf € 12',
      'od 12 zł',
      'от 12 ₽',
    ])
      expect(pricesIn(text, localeOf('en-'))[0]?.isLowest).toBe(true)
    expect(pricesIn('only $12', localeOf('en-US'))[0]?.isLowest).toBe(false)
  })

  it('is found twice in a range', () => {
    expect(pricesIn('$10.00 - $20.00', localeOf('en-US')).map(({ value }) => value)).toEqual([
      '10.00',
      '20.00',
    ])
  })

  it('needs no currency where a field states it', () => {
    expect(statedPrice('12.50', localeOf('en-'))?.value).toBe('12.50')
    expect(statedPrice('12,50', localeOf('de-DE'))?.value).toBe('12.50')
    expect(statedPrice('free', localeOf('en-'))).toBeUndefined()
  })

  it('is looked for in anything', () => {
    for (const text of ['9'.repeat(100_000), '1,'.repeat(50_000), '1 '.repeat(50_000), '$'.repeat(100_000)])
      expect(pricesIn(text, localeOf('en-US')).length).toBeLessThanOrEqual(50)
  })
})
