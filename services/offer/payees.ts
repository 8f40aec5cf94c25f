/** Who is paid on which network. */
import type { NetworkName } from '../../schemas/tables/networks.ts'

export type ByNetwork = Readonly<Partial<Record<NetworkName, string | undefined>>>

/** The payees that files that sell name. */
export const payeesOf = (origins: readonly { name: string; payTo?: ByNetwork }[]) =>
  Object.fromEntries(origins.flatMap(({ name, payTo }) => (payTo ? [[name, payTo]] : [])))
