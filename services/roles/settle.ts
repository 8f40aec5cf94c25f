/** The role settle is a facilitator of our own. It alone holds the keys that pay fees. */
import type { SettleCost } from '../../schemas/settle-costs.ts'
import { isEvm } from '../../schemas/tables/networks.ts'
import type { SettleConfig } from '../config/settle-config.ts'
import type { Tariff } from '../offer/tariff.ts'
import { EvmSettler } from '../till/settle/evm-settler.ts'
import { type SettleServer, serveSettling } from '../till/settle/server.ts'
import type { Settler } from '../till/settle/settler.ts'
import { Spent } from '../till/settle/spent.ts'
import { SvmSettler } from '../till/settle/svm-settler.ts'
import { OwnTerms } from '../till/settle/terms.ts'
import type { RoleProcess } from './process.ts'

export async function openSettling(
  process: RoleProcess,
  settle: SettleConfig,
  prices?: Tariff,
): Promise<SettleServer> {
  const { config, lifecycle, log, now, alone, warn } = process
  const onError = (error: unknown) => warn('settle')('settle', error)
  const spent = await lifecycle.open(
    'costs of settling',
    () => new Spent({ log, onError }),
    opened => opened.close(),
  )
  const settlers: Settler[] = []
  for (const { name, keys, rpcUrls, mostFee } of settle.networks) {
    const hears = { spent: (cost: SettleCost) => spent.add(cost), onError }
    const options = { rpcUrls, keys, mostFee, alone, now, ...hears }
    settlers.push(
      await lifecycle.use<Settler>(`settling on ${name}`, () =>
        isEvm(name) ? EvmSettler.open(name, options) : SvmSettler.open(name, options),
      ),
    )
  }
  const payTo = settle.networks.map(({ name, payTo }) => ({ name, address: payTo }))
  const sold = config.origins.flatMap(({ name: origin, operations }) =>
    operations.map(({ path, price }) => ({ origin, path, price })),
  )
  const terms = new OwnTerms(payTo, sold, { prices, now })
  const { host, port, token } = settle
  return lifecycle.use('settle', () => serveSettling({ host, port, token, settlers, terms, onError }))
}
