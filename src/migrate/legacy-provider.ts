/** Key of the only provider of version 1. */
export const legacyProvider = 'stripe'

/**
 * Chooses a site's provider among several: the one that it names, else that of the contract, else the first.
 */
export function inUse(found: readonly string[], named: string | null): string | null {
  if (named !== null && found.includes(named)) return named
  return found.includes(legacyProvider) ? legacyProvider : (found[0] ?? null)
}
