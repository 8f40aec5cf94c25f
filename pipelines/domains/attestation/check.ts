/** One check. `ok` is null if the part to check is missing. */
export interface AttestationCheck {
  name: string
  ok: boolean | null
  detail: string
}

export const check = (name: string, ok: boolean | null, detail: string): AttestationCheck => ({
  name,
  ok,
  detail: ok === null ? `skipped: ${detail}` : detail,
})
