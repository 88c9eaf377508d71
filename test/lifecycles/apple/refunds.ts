import type { Lifecycle } from '../lifecycle.ts'
import { march, ms, plans, renewal, says, subscribed, transaction, types } from './objects.ts'

export const appleRefunds: readonly Lifecycle[] = [
  {
    provider: 'apple',
    situation: 'The member turns the renewal off, and Apple refunds the month',
    plays: ['cancel-credited', 'refund-full'],
    fact: {
      says: 'Turning the renewal off leaves the paid period. REFUND says that Apple refunded it, and the revocation date is the end.',
      source: types,
    },
    help: 'Nothing: Apple refunded the month, and access ended.',
    plans,
    steps: [
      {
        at: '2026-03-05T00:00:00Z',
        happens: 'the renewal is off',
        sends: [
          subscribed,
          says(
            '2026-03-04T00:00:10Z',
            ['DID_CHANGE_RENEWAL_STATUS', 'AUTO_RENEW_DISABLED'],
            'active',
            transaction('1000', march),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: true }, ends: '2026-04-01T00:00:00.000Z' },
      },
      {
        at: '2026-03-11T00:00:00Z',
        happens: 'refunded',
        sends: [
          says(
            '2026-03-10T00:00:10Z',
            ['REFUND'],
            'revoked',
            transaction('1000', march, {
              revocationDate: ms('2026-03-10T00:00:00Z'),
              revocationReason: 0,
              revocationType: 'REFUND_FULL',
              revocationPercentage: 100_000,
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: false }, payments: ['999 refunded'] },
      },
    ],
  },
]
