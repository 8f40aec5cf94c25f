import type { Upstream } from '../../../pipelines/outside/upstream.ts'

/** One that nothing of the service knows. */
export const someUpstream = (variable: Upstream['variable'], more: Partial<Upstream> = {}): Upstream => ({
  variable,
  live: 'https://example.org',
  title: 'something',
  credit: 'somebody',
  sample: async () => ({ sample: () => undefined }),
  ...more,
})
