/** The icon shows a coin slot. */
const drawn =
  '<rect width="32" height="32" rx="7" fill="#0b5"/><rect x="14" y="7" width="4" height="18" rx="2" fill="#fff"/>'
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawn}</svg>`
export const brand = `<svg aria-hidden="true" viewBox="0 0 32 32">${drawn}</svg>`
