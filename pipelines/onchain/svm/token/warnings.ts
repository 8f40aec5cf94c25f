/** What a mint lets others do to its holders. Each is a fact with the field that shows it; none is a score. */
import type { Warning } from '../../reader.ts'
import { type Extension, transferFeeAt } from './extensions.ts'
import type { TokenMetadata } from './metadata.ts'
import type { Mint } from './mint.ts'

export function mintWarnings(mint: Mint, metadata: TokenMetadata | undefined, epoch: bigint): Warning[] {
  const { mintAuthority, freezeAuthority, extensions } = mint
  const found: Warning[] = []
  if (mintAuthority)
    found.push(warning('can_mint', 'medium', `mint_authority is ${mintAuthority}: it can make more of the token`))
  if (freezeAuthority)
    found.push(
      warning('can_freeze', 'medium', `freeze_authority is ${freezeAuthority}: it can freeze the account of a holder`),
    )
  for (const one of extensions) {
    const said = ofExtension(one, mint, epoch)
    if (said) found.push(said)
  }
  if (metadata?.isMutable)
    found.push(
      warning('mutable_metadata', 'low', `update_authority ${metadata.updateAuthority} can change name, symbol and uri`),
    )
  return found
}

function ofExtension(one: Extension, { extensions }: Mint, epoch: bigint): Warning | undefined {
  switch (one.name) {
    case 'transfer_fee': {
      const now = transferFeeAt(extensions, epoch)
      const later = epoch < one.newer.epoch ? `, ${one.newer.bps / 100} % from epoch ${one.newer.epoch}` : ''
      const changes = one.authority ? `; ${one.authority} can change it` : ''
      const said = `each transfer withholds ${(now?.bps ?? 0) / 100} %, at most ${now?.most} atoms${later}${changes}`
      return now?.bps || one.authority || one.newer.bps
        ? warning('transfer_fee', (now?.bps ?? 0) > 0 ? 'high' : 'medium', said)
        : undefined
    }
    case 'permanent_delegate':
      return one.delegate
        ? warning('permanent_delegate', 'high', `${one.delegate} can move or burn the tokens of every holder`)
        : undefined
    case 'non_transferable':
      return warning('non_transferable', 'high', 'extension non_transferable: a holder cannot send or sell the token')
    case 'transfer_hook':
      return one.program
        ? warning('transfer_hook', 'high', `each transfer runs program ${one.program}, which can refuse it`)
        : one.authority
          ? warning('transfer_hook', 'medium', `no hook now; ${one.authority} can set a program that refuses transfers`)
          : undefined
    case 'default_account_state':
      return one.frozen
        ? warning('default_frozen', 'high', 'new accounts begin frozen: a buyer cannot sell until somebody thaws them')
        : undefined
    case 'confidential_transfer':
    case 'confidential_mint_burn':
      return warning('confidential', 'medium', `extension ${one.name}: amounts can be hidden, so supply and holdings may not be whole`)
    case 'pausable':
      return one.paused
        ? warning('paused', 'high', 'all transfers are paused')
        : one.authority
          ? warning('can_pause', 'medium', `${one.authority} can pause all transfers`)
          : undefined
    case 'mint_close_authority':
      return one.authority
        ? warning('can_close_mint', 'low', `${one.authority} can close the mint when the supply is zero`)
        : undefined
    case 'interest_bearing':
    case 'scaled_ui_amount':
      return warning('scaled_amount', 'low', `extension ${one.name}: wallets show other amounts than the atoms here`)
    default:
      return one.name.startsWith('unknown_')
        ? warning('unknown_extension', 'medium', `extension of type ${one.name.slice(8)}: its rules are not known here`)
        : undefined
  }
}

const warning = (code: string, severity: Warning['severity'], evidence: string): Warning => ({
  code,
  severity,
  evidence,
})
