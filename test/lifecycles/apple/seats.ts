import { from, type Lifecycle } from '../lifecycle.ts'
import {
  added,
  additions,
  eightSeats,
  groups,
  march,
  ms,
  plans,
  renewal,
  says,
  seats,
  today,
  transaction,
} from './objects.ts'

export const appleSeats: readonly Lifecycle[] = [
  {
    provider: 'apple',
    situation: 'A group buys five seats in one purchase, and a refund takes two of them',
    plays: ['quantity', 'refund-part'],
    fact: {
      says: 'The price of a multiseat purchase is the average per seat, and its tiers give the total. A refund of seats revokes some, and the transaction stays valid for the others.',
      source: seats,
    },
    setting: 'multiseat purchases are on, as Apple set them on 16 September 2026',
    help: 'Decide in App Store Connect for each subscription if groups may buy seats of it.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'five seats bought',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('1000', march, {
              quantity: 5,
              multiSeatInfo: { priceTiers: [{ price: 9990, quantity: 5 }] },
            }),
            renewal(march, { renewalQuantity: 5 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['4995 paid'] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'two seats refunded',
        sends: [
          says(
            '2026-03-05T00:00:10Z',
            ['REFUND'],
            'active',
            transaction('1000', march, {
              quantity: 5,
              revocationDate: ms('2026-03-05T00:00:00Z'),
              revocationPercentage: 40_000,
              multiSeatInfo: { priceTiers: [{ price: 9990, quantity: 5 }], revokedSeatQuantity: 2 },
            }),
            renewal(march, { renewalQuantity: 3 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['4995 partially_refunded'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A person who was assigned a seat of a group has a transaction without a price of their own',
    plays: ['quantity'],
    fact: {
      says: 'With invitations by Apple, each person who joins gets an own transaction with the ownership type ASSIGNED, which states the purchaser’s price.',
      source: from(
        'https://developer.apple.com/documentation/storekit/transaction/multiseatinfo-swift.struct/invitationmanagement-swift.struct/apple',
        '2026-11-29',
      ),
    },
    help: 'Nothing: the seat opens the plan, and counts as no revenue.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'joined the group',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('1000', march, { quantity: 5, inAppOwnershipType: 'ASSIGNED' }),
            renewal(march),
          ),
        ],
        sees: { open: { pro: true }, payments: [] },
      },
      {
        at: '2026-03-06T00:00:00Z',
        happens: 'the seat was taken back',
        sends: [
          says(
            '2026-03-05T00:00:10Z',
            ['REVOKE'],
            'revoked',
            transaction('1000', march, {
              quantity: 5,
              inAppOwnershipType: 'ASSIGNED',
              revocationDate: ms('2026-03-05T00:00:00Z'),
              revocationReason: 0,
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
        ],
        sees: { open: { pro: false } },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A group of five adds three seats within the month, and these are refunded',
    plays: ['quantity', 'refund-part'],
    fact: {
      says: 'Added seats have a transaction of their own beside the first one, and the seats of the period are their sum. The purchaser loses access only when every transaction of the period is revoked.',
      source: additions,
    },
    help: 'Nothing: the group keeps its five seats.',
    plans,
    steps: [
      ...eightSeats,
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'the added seats were refunded',
        sends: [
          says(
            '2026-03-15T00:00:10Z',
            ['REFUND'],
            'active',
            transaction('1001', '2026-03-11T00:00:00Z', {
              quantity: 3,
              expiresDate: ms('2026-04-01T00:00:00Z'),
              transactionReason: 'PURCHASE',
              price: 6700,
              multiSeatInfo: { priceTiers: [{ price: 6700, quantity: 3 }] },
              revocationDate: ms('2026-03-15T00:00:00Z'),
              revocationReason: 0,
              revocationPercentage: 100_000,
              ...added,
            }),
            renewal(march, { renewalQuantity: 5 }),
          ),
        ],
        sees: { open: { pro: true }, payments: ['2010 refunded', '4995 paid'] },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'A group that grew within the month plans fewer seats for the next one',
    plays: ['quantity'],
    fact: {
      says: 'Seats that are added count at once. A lower number counts from the next renewal on, and outside of a refund no seat goes within a period.',
      source: from(
        'https://developer.apple.com/documentation/appstoreservernotifications/renewalquantity',
        today,
      ),
    },
    help: 'Give the group its seats by hand until the renewal, or wait: they are back when the number of the next month is known.',
    fails: 'the seats of a period are in several transactions, and a message carries one of them',
    plans,
    steps: [
      ...eightSeats,
      {
        at: '2026-03-16T00:00:00Z',
        happens: 'four seats from the next month on',
        sends: [
          says(
            '2026-03-15T00:00:10Z',
            ['DID_CHANGE_RENEWAL_PREF', 'DECREASE_QUANTITY'],
            'active',
            transaction('1001', '2026-03-11T00:00:00Z', {
              quantity: 3,
              expiresDate: ms('2026-04-01T00:00:00Z'),
              transactionReason: 'PURCHASE',
              price: 6700,
              multiSeatInfo: { priceTiers: [{ price: 6700, quantity: 3 }] },
              ...added,
            }),
            renewal(march, { renewalQuantity: 4 }),
          ),
        ],
        sees: { open: { pro: true }, quantity: 8 },
      },
    ],
  },
  {
    provider: 'apple',
    situation: 'An organization assigns a seat that it bought in Apple Business, and reassigns it',
    plays: ['own', 'quantity'],
    fact: {
      says: 'With a volume purchase the transaction of each assignee records that person’s access. An organization can take a seat back and assign it to somebody else.',
      source: groups,
    },
    setting: 'volume purchases are allowed in App Store Connect, as they are by default',
    help: 'Nothing: each assigned seat opens the plan for its person. Turn volume purchases off in App Store Connect if your prices do not fit them.',
    plans,
    steps: [
      {
        at: '2026-03-02T00:00:00Z',
        happens: 'assigned to Ann',
        sends: [
          says(
            '2026-03-01T00:00:10Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('1000', march, { quantity: 200, inAppOwnershipType: 'ASSIGNED' }),
            renewal(march),
          ),
        ],
        sees: { open: { pro: true }, openForBob: { pro: false }, quantity: 1, payments: [] },
      },
      {
        at: '2026-03-12T00:00:00Z',
        happens: 'reassigned to Bob',
        sends: [
          says(
            '2026-03-11T00:00:10Z',
            ['REVOKE'],
            'revoked',
            transaction('1000', march, {
              quantity: 200,
              inAppOwnershipType: 'ASSIGNED',
              revocationDate: ms('2026-03-11T00:00:00Z'),
            }),
            renewal(march, { autoRenewStatus: 0 }),
          ),
          says(
            '2026-03-11T00:00:20Z',
            ['SUBSCRIBED', 'INITIAL_BUY'],
            'active',
            transaction('2000', '2026-03-11T00:00:00Z', {
              originalTransactionId: '2000',
              originalPurchaseDate: ms('2026-03-11T00:00:00Z'),
              expiresDate: ms('2026-04-01T00:00:00Z'),
              appAccountToken: '$BOB',
              quantity: 200,
              inAppOwnershipType: 'ASSIGNED',
            }),
            renewal(march, { originalTransactionId: '2000' }),
          ),
        ],
        sees: { open: { pro: false }, openForBob: { pro: true } },
      },
    ],
  },
]
