/** The key of the one provider that version 1 had. */
export const legacyProvider = 'stripe'

/** Which of several providers a site has: the one that it names, else that of the contract, else the first. */
export const inUse = (found: readonly string[], named: string | null): string | null => {
  if (named !== null && found.includes(named)) return named
  return found.includes(legacyProvider) ? legacyProvider : (found[0] ?? null)
}
