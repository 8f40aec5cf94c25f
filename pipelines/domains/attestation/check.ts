/** One thing that was checked. `ok` is null for what is not there to be checked. */
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
