import { expect, it } from 'vitest'
import { contentType } from '../../../../../pipelines/rails/outside/fetching/content-type.ts'

const bytes = (start: string) => Buffer.from(start, 'latin1')

it.each([
  ['text/html; charset=utf-8', '<p>', 'text/html', 'utf-8'],
  ['TEXT/HTML;charset="Shift_JIS"; x=y', '<p>', 'text/html', 'shift_jis'],
  ['text/html', '%PDF-1.4', 'application/pdf', undefined],
  ['text/html', '\n\n%PDF-1.4', 'application/pdf', undefined],
  ['application/json', '{}', 'application/json', undefined],
  ['image/jpeg', '\x89PNG\r\n\x1a\n', 'image/png', undefined],
  ['image/png', '\xff\xd8\xff\xe0', 'image/jpeg', undefined],
  ['text/plain', 'GIF89a', 'image/gif', undefined],
  ['text/plain', 'RIFF\x01\x02\x03\x04WEBP', 'image/webp', undefined],
  ['text/html', 'PK\x03\x04', 'application/zip', undefined],
  ['text/html', '\x1f\x8b\x08', 'application/gzip', undefined],
  [undefined, '\xef\xbb\xbf <!DOCTYPE HTML>', 'text/html', undefined],
  [undefined, '<html lang="en">', 'text/html', undefined],
  [undefined, '<htmlish>', 'text/plain', undefined],
  ['nonsense', 'hello', 'text/plain', undefined],
  ['*/*', 'a\0b', 'application/octet-stream', undefined],
  ['', '', 'text/plain', undefined],
])('%s, %j', (header, start, essence, charset) => {
  expect(contentType(header, bytes(start))).toEqual({ essence, charset })
})
