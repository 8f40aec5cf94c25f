/** What a process can do for a deployment. It has all roles, or some. */
export const roles = ['ingest', 'sink', 'meter', 'query', 'render'] as const
export type Role = (typeof roles)[number]
