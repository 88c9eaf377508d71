import type { Fault, Trial } from '../model/without.ts'

function change(file: string, lines: string, without: string): Fault['fix'] {
  return [{ file, lines, without }]
}
function inHistory(argument: string): Trial['plays'] {
  return [{ script: 'model/replay.ts', argument }]
}
function inBooks(members: number, months: number): Trial['plays'] {
  return [{ script: 'stores/replay.ts', argument: JSON.stringify({ seed: '2026', members, months }) }]
}

/** One fault for each law of apps, and a history or the books of the stores that have to find it. */
export const storeTrials: readonly Trial[] = [
  {
    name: 'an end in one place closes nothing that another paid',
    fix: change(
      'src/core/access/decide-gate.ts',
      'for (const s of holdings.subscriptions) {',
      'for (const s of holdings.subscriptions.slice(-1)) {',
    ),
    plays: inHistory('an app’s purchase that expires closes nothing that the web pays'),
  },
  {
    name: 'a refund closes what it paid',
    // The status, the end and the payment each close it.
    fix: [
      ...change(
        'src/providers/apple/subscription.ts',
        "besideWord('incomplete', null) : besideWord('canceled', word)",
        "besideWord('incomplete', null) : besideWord('active', word)",
      ),
      ...change(
        'src/providers/apple/subscription.ts',
        "if (word === 'revoked' || word === 'expired') {",
        "if (word === 'expired') {",
      ),
      ...change(
        'src/providers/apple/money.ts',
        'amount_refunded: refundedOf(raw, paid.amount)',
        'amount_refunded: 0 * refundedOf(raw, paid.amount)',
      ),
    ],
    plays: inHistory('a refund in one store closes nothing that the web and another store pay'),
  },
  {
    name: 'a purchase of a tester opens nothing',
    fix: change(
      'src/providers/apple/facts.ts',
      "environment === 'Production'\n    ? true",
      "environment === 'Production' || environment === 'Sandbox'\n    ? true",
    ),
    plays: inHistory('a purchase of a tester opens nothing beside one that was paid'),
  },
  {
    name: 'a pause closes, and a recovery opens',
    fix: [
      ...change('src/providers/google/subscription.ts', "['paused', 'paused'],", "['paused', 'active'],"),
      ...change('src/providers/google/subscription.ts', "word === 'paused' ? expiry : null", 'null'),
    ],
    plays: inHistory(
      'a hold, a pause and a recovery whose messages are late end as the store says, and a login changes nothing',
    ),
  },
  {
    name: 'every payment is known as the store kept it',
    fix: change(
      'src/providers/apple/money.ts',
      'amount_refunded: refundedOf(raw, paid.amount)',
      'amount_refunded: 0 * refundedOf(raw, paid.amount)',
    ),
    plays: inBooks(8, 3),
  },
  {
    name: 'each purchase in Google Play is acknowledged',
    fix: change(
      'src/memberships/sync/acknowledging.ts',
      'for (const { boughtAt, ...purchase } of purchases) {',
      'for (const { boughtAt, ...purchase } of purchases.slice(1)) {',
    ),
    plays: inBooks(4, 1),
  },
]
