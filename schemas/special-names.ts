/** Host names that public DNS has no answer for: the IANA registry of special-use names, and what is kept for private use. */
const special = /(^|\.)(localhost|local|internal|test|example|invalid|onion|alt|home\.arpa)$/

export const isSpecialName = (host: string): boolean => special.test(host)
