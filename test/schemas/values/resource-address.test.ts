import { expect, test } from 'vitest'
import { isRouteTemplate, readAddress, sellerOf } from '../../../schemas/values/resource-address.ts'

test.each([
  ['http and https', 'http://a-shop.io/x', 'https://a-shop.io/x'],
  ['a default port', 'https://a-shop.io:443/x', 'https://a-shop.io/x'],
  ['a slash at the end', 'https://a-shop.io/x/', 'https://a-shop.io/x'],
  ['a query and a fragment', 'https://a-shop.io/x?q=1#top', 'https://a-shop.io/x'],
  ['the case of the host', 'https://A-Shop.IO/x', 'https://a-shop.io/x'],
  ['a dot at the end of the host', 'https://a-shop.io./x', 'https://a-shop.io/x'],
  ['dot segments and double slashes', 'https://a-shop.io//y/../x', 'https://a-shop.io/x'],
  ['needless escapes', 'https://a-shop.io/%78%2d1', 'https://a-shop.io/x-1'],
  ['an umlaut', 'https://bücher.io/x', 'https://xn--bcher-kva.io/x'],
])('%s makes no other product', (_, a, b) => {
  expect(readAddress(a)?.path).toBe(readAddress(b)?.path)
})

test.each([
  ['the case of the path', 'https://a-shop.io/X', 'https://a-shop.io/x'],
  ['a port', 'https://a-shop.io:8443/x', 'https://a-shop.io/x'],
  ['an escaped slash', 'https://a-shop.io/a%2fb', 'https://a-shop.io/a/b'],
  ['www', 'https://www.a-shop.io/x', 'https://a-shop.io/x'],
])('%s does', (_, a, b) => {
  expect(readAddress(a)?.path).not.toBe(readAddress(b)?.path)
})

test.each([
  '',
  'a-shop.io/x',
  'mcp://tool/x',
  'https://user:secret@a-shop.io',
  `https://a-shop.io/${'x'.repeat(2048)}`,
])('%.30s is no address', text => {
  expect(readAddress(text)).toBeUndefined()
})

test.each([
  ['https://192.168.1.7/x', 'private_host'],
  ['https://[::1]:4021/x', 'private_host'],
  ['https://intranet/x', 'private_host'],
  ['https://api.test/x', 'reserved_host'],
  ['https://router.home.arpa/x', 'reserved_host'],
  ['https://api.example.com/x', 'reserved_host'],
  ['https://abc.trycloudflare.com/x', 'tunnel'],
  ['https://shop-git-main-somebody.vercel.app/x', 'preview_host'],
  ['https://shop-qwc7go4tk-somebody.vercel.app/x', 'preview_host'],
  ['https://x402-demo-discovery-endpoint.vercel.app/x', undefined],
  ['https://contest.io/x', undefined],
  ['https://8.8.8.8/x', undefined],
])('%s: %s', (url, unreachable) => {
  expect(readAddress(url)?.unreachable).toBe(unreachable)
})

test('a placeholder is recognised in every spelling', () => {
  const seen = (url: string) => readAddress(url)?.placeholder
  expect(
    ['/:var1', '/a/:var/b', '/%3Avar1', '/{id}/x'].map(path => seen(`https://a-shop.io${path}`)),
  ).toEqual([true, true, true, true])
  expect(['/a:b', '/12:30', '/'].map(path => seen(`https://a-shop.io${path}`))).toEqual([false, false, false])
})

test('a template is a path and nothing else', () => {
  expect(['/price/:symbol', '/a%20b'].every(isRouteTemplate)).toBe(true)
  expect(['', 'price', '/a/../b', '/%2e%2e/b', 'https://a-shop.io/', '/a?b=c'].some(isRouteTemplate)).toBe(
    false,
  )
  expect(readAddress('https://a-shop.io/price/BTC', '/price/:symbol')?.path).toBe('a-shop.io/price/:symbol')
})

test('any URL of a seller names him, and so does his host alone', () => {
  for (const typed of ['a-shop.io', 'www.a-shop.io', 'https://www.A-shop.io:8443/x?y=1', ' a-shop.io/x '])
    expect(sellerOf(typed)).toBe('a-shop.io')
  expect(sellerOf('two words')).toBeUndefined()
})
