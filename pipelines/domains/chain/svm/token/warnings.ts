/** The powers over holders that a mint gives to others. Each is a fact with the field that shows it; none is a score. */
import type { ChainWarning } from '../../reader.ts'
import { type Extension, transferFeeAt } from './extensions.ts'
import type { TokenMetadata } from './metadata.ts'
import type { Mint } from './mint.ts'

export function mintWarnings(mint: Mint, metadata: TokenMetadata | undefined, epoch: bigint): ChainWarning[] {
  const { mintAuthority, freezeAuthority, extensions } = mint
  const all = [
    mintAuthority && caution('owner_can_mint', `mint_authority ${mintAuthority} can create more`),
    freezeAuthority && caution('can_freeze', `freeze_authority ${freezeAuthority} can freeze any holder`),
    ...extensions.map(one => ofExtension(one, mint, epoch)),
    metadata?.isMutable &&
      info(
        'mutable_metadata',
        `update_authority ${metadata.updateAuthority} can change name, symbol and uri`,
      ),
  ]
  return all.filter(one => one !== null && one !== undefined && one !== false && one !== '')
}

function ofExtension(one: Extension, mint: Mint, epoch: bigint): ChainWarning | undefined {
  switch (one.name) {
    case 'transfer_fee':
      return transferFeeWarning(one, mint, epoch)
    case 'permanent_delegate':
      return one.delegate === null
        ? undefined
        : danger('permanent_delegate', `${one.delegate} can move or burn the tokens of every holder`)
    case 'non_transferable':
      return danger('non_transferable', 'extension non_transferable: a holder can neither send nor sell it')
    case 'transfer_hook':
      return hookWarning(one)
    case 'default_account_state':
      return one.frozen
        ? danger('default_frozen', 'new accounts begin frozen: a buyer cannot sell until somebody thaws them')
        : undefined
    case 'confidential_transfer':
    case 'confidential_mint_burn':
      return caution(
        'confidential',
        `extension ${one.name}: amounts of holders, and changes of the supply, can be hidden`,
      )
    case 'pausable':
      if (one.paused) return danger('owner_can_pause', 'all transfers are paused now')
      return one.authority === null
        ? undefined
        : caution('owner_can_pause', `${one.authority} can pause all transfers`)
    case 'interest_bearing':
    case 'scaled_ui_amount':
      return caution('rebasing', `extension ${one.name}: wallets show other amounts than the atoms here`)
    default:
      return one.name.startsWith('unknown_')
        ? caution(
            'unknown_extension',
            `extension of type ${one.name.slice('unknown_'.length)}: its rules are not known here`,
          )
        : undefined
  }
}

function transferFeeWarning(
  { authority, newer }: Extract<Extension, { name: 'transfer_fee' }>,
  { extensions }: Mint,
  epoch: bigint,
): ChainWarning | undefined {
  const now = transferFeeAt(extensions, epoch)
  if (!now?.bps && !newer.bps && authority === null) return undefined
  const taken = `${(now?.bps ?? 0) / 100} % of each transfer is withheld, at most ${now?.most ?? 0} atoms`
  const later = epoch < newer.epoch ? `; from epoch ${newer.epoch} on ${newer.bps / 100} %` : ''
  const changes = authority === null ? '' : `; ${authority} can change it`
  return (now?.bps ? danger : caution)('transfer_fee', `${taken}${later}${changes}`)
}

function hookWarning({
  program,
  authority,
}: Extract<Extension, { name: 'transfer_hook' }>): ChainWarning | undefined {
  if (program !== null)
    return danger('transfer_hook', `each transfer runs program ${program}, which can refuse it`)
  return authority === null
    ? undefined
    : caution('transfer_hook', `no program runs now; ${authority} can set one that refuses transfers`)
}

const said =
  (severity: ChainWarning['severity']) =>
  (code: ChainWarning['code'], evidence: string): ChainWarning => ({ code, severity, evidence })
const info = said('info')
const caution = said('caution')
const danger = said('danger')
