import { expect, it } from 'vitest'
import { isThin } from '../../../../../pipelines/rails/outside/pages/thin.ts'

const words = (n: number) => `<p>${'word '.repeat(n)}</p>`

it.each<[string, string, boolean]>([
  ['an empty root', '<div id="root"></div><script src="/app.js"></script>', true],
  ['an empty root under a menu', `${words(60)}<div id="__next"></div><script src="/app.js"></script>`, true],
  ['an Angular root', `${words(60)}<app-root></app-root><script src="/main.js"></script>`, true],
  [
    'a request for scripts',
    `${words(60)}<noscript>Please enable JavaScript.</noscript><script></script>`,
    true,
  ],
  ['little text and a script', `${words(10)}<script>1</script>`, true],
  ['little text and no script', words(10), false],
  ['enough text and a script', `${words(60)}<script>1</script>`, false],
  ['much text and an empty root', `${words(400)}<div id="app"></div><script>1</script>`, false],
])('a page with %s is thin or not', (_, html, thin) => {
  expect(isThin(html)).toBe(thin)
})
