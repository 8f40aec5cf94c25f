import { describe, expect, it } from 'vitest'
import { textOf } from '../../../../pipelines/rails/formats/charset.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const page = (bytes: Buffer, charset?: string) => textOf({ bytes, charset })
const meta = (charset: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`<meta http-equiv="content-type" content="text/html; charset=${charset}">`),
    bytes,
  ])

describe('the text of a document', () => {
  it.each([
    ['windows-1251', 'cf f0 e8 e2 e5 f2', 'Привет'],
    ['shift_jis', '93 fa 96 7b', '日本'],
    ['gb18030', 'c4 e3 ba c3', '你好'],
    ['euc-kr', 'c7 d1 b1 db', '한글'],
    ['big5', 'a4 a4 a4 e5', '中文'],
    ['iso-8859-1', '63 61 66 e9', 'café'],
  ])('is read in %s, as the header or the document says', (charset, bytes, text) => {
    expect(page(hex(bytes), charset)).toBe(text)
    expect(page(meta(charset, hex(bytes)))).toContain(text)
  })

  it('is read by its byte order mark before anything else', () => {
    expect(page(hex('ef bb bf c3 a9'), 'windows-1251')).toBe('é')
    expect(page(hex('ff fe e9 00'), 'utf-8')).toBe('é')
    expect(page(hex('fe ff 00 e9'))).toBe('é')
  })

  it('is UTF-8 if the header is wrong and the bytes can be nothing else', () => {
    expect(page(Buffer.from('Привет, мир'), 'iso-8859-1')).toBe('Привет, мир')
    expect(page(Buffer.from('Grüße'))).toBe('Grüße')
  })

  it('is what the document says if the header says UTF-8 and is wrong', () => {
    expect(page(meta('windows-1251', hex('cf f0 e8 e2 e5 f2')), 'utf-8')).toContain('Привет')
  })

  it('is windows-1252 if nothing names a charset', () => {
    expect(page(hex('80 20 63 61 66 e9'))).toBe('€ café')
    expect(page(hex('63 61 66 e9'), 'no-such-charset')).toBe('café')
  })

  it('keeps the text before a cut letter', () => {
    expect(page(Buffer.from('naïve café').subarray(0, -1), 'utf-8')).toBe('naïve caf\uFFFD')
    expect(page(Buffer.from('naïve café').subarray(0, -1))).toBe('naïve caf\uFFFD')
  })

  it('is the text of a hundred scripts', () => {
    const text = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x100 + i * 0x1ff))
      .join(' ')
      .toWellFormed()
    expect(page(Buffer.from(text))).toBe(text)
  })
})
