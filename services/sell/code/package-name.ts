/** `farebox`, and what it has under further names. It is found here, wherever the code that names it lies. */
export const isOfPackage = (specifier: string): boolean => /^farebox(?:\/|$)/.test(specifier)
