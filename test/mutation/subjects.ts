/** The files that guard money and access, each with the tests that hold its rules: the quickest first. */
export const subjects: Readonly<Record<string, readonly string[]>> = {
  'src/memberships/ledger/payment-fold.ts': [
    'test/memberships/ledger/payment-fold.test.ts',
    'test/memberships/ledger/payments.test.ts',
  ],
}
