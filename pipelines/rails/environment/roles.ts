/** The parts of a service. One process has all of them, or several processes share them. */
export const serviceRoles = ['ingest', 'sink', 'meter', 'query', 'render', 'settle'] as const
/** A role is what a process does for a deployment. The canary is a customer: it has a process of its own, and is no part of `all`. */
export const roles = [...serviceRoles, 'canary'] as const
export type Role = (typeof roles)[number]
