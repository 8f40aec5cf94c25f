/** Our own facilitator in a process of its own, which a test kills. It says its address. */
import { EvmSettler } from '../../../../services/till/settle/evm-settler.ts'
import { serveSettling } from '../../../../services/till/settle/server.ts'
import { OwnTerms } from '../../../../services/till/settle/terms.ts'

const [rpcUrl, key, payTo] = process.argv.slice(2) as [string, string, string]
const settler = await EvmSettler.open('base', {
  rpcUrls: [rpcUrl],
  keys: [key],
  mostFee: 100n * 10n ** 9n,
  alone: (_duty, open) => open({} as never),
  now: Date.now,
  spent: () => {},
  onError: console.error,
})
const { url } = await serveSettling({
  ...{ host: '127.0.0.1', port: 0, token: undefined, settlers: [settler], onError: console.error },
  terms: new OwnTerms(
    [{ name: 'base', address: payTo }],
    [{ origin: 'testing', path: '/echo', price: '0.002' }],
  ),
})
console.log(url)
