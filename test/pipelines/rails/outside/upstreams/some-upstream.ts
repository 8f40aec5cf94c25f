import type { Upstream } from '../../../../../pipelines/rails/outside/upstreams/upstream.ts'

/** An upstream that only tests know. */
export const someUpstream = (variable: Upstream['variable'], more: Partial<Upstream> = {}): Upstream => ({
  variable,
  live: 'https://example.org',
  title: 'something',
  credit: 'somebody',
  sample: async () => ({ sample: () => undefined }),
  ...more,
})
