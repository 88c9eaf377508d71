/** The key of the one provider that version 1 had. */
export const legacyProvider = 'stripe'
