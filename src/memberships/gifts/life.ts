import { type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { giftLifeStatements } from './life-statements.ts'
import { type GiftRow, giftStatements } from './statements.ts'

/** Gifts in the life of a member. */
export function giftLife(storage: Storage) {
  const gifts = giftStatements(storage)
  const statements = giftLifeStatements(storage)
  return {
    name: 'gifts',
    tables: ['gifts'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id: member_id, email }) => [
      step(gifts.forgetBuyer, { member_id }),
      step(gifts.forgetMember, { member_id }),
      step(gifts.forgetOrders, { member_id }),
      ...(email === null ? [] : [step(statements.forgetAddress, { email })]),
    ],
    export: async ({ id }) => {
      const [bought, owned] = await Promise.all([
        storage.all(gifts.ofBuyer, { buyer_id: id }),
        storage.all(gifts.ofMember, { member_id: id }),
      ])
      return {
        gifts: [
          ...bought.filter(({ code_hash }) => code_hash !== null).map((gift) => copyOf(gift, 'buyer')),
          // The buyer typed the words and the address.
          ...owned.map((gift) => ({ ...copyOf(gift, 'owner'), to: null })),
        ],
      }
    },
    // They are found through the accounts that were merged. The time of each depends on what else opens its plan.
    merge: ({ kept, merged, at }) => [step(statements.giftsDue, { kept: kept.id, merged: merged.id, at })],
    unmerge: ({ kept, merged, at }) => {
      const pair = { kept: kept.id, merged: merged.id }
      return [
        step(statements.giftsBack, pair),
        step(statements.ownGiftsBack, pair),
        step(statements.giftsDue, { ...pair, at }),
      ]
    },
    restore: async ({ at }) => {
      const [held] = await storage.all(statements.heldCount, { at })
      return {
        ended: { gifts: Number(held?.n ?? 0) },
        steps: [step(statements.hold, { at })],
        afterwards: [],
      }
    },
  } as const satisfies MemberLife
}

function copyOf(gift: GiftRow, role: 'buyer' | 'owner') {
  const { id, status, plan, months, to_email: to, message } = gift
  const { created_at, sent_at, redeemed_at, closed_at } = gift
  return { id, role, status, plan, months, to, message, created_at, sent_at, redeemed_at, closed_at }
}
