/** A role is what a process does for a deployment. A process has all roles, or some. */
export const roles = ['ingest', 'sink', 'meter', 'query', 'render', 'settle'] as const
export type Role = (typeof roles)[number]
