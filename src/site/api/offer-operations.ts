import { z } from 'zod'
import { isoTime } from '../../core/dto/index.ts'
import type { Operation } from './shown-operations.ts'

const text = z.string()
const nullable = text.nullable()
const gift = z.object({
  id: text,
  status: z.enum(['ordered', 'ready', 'redeemed', 'closed']),
  plan: text,
  months: z.number().int(),
  to: nullable,
  message: nullable,
  batch: nullable,
  label: nullable,
  send_at: isoTime.nullable(),
  sent_at: isoTime.nullable(),
  created_at: isoTime,
  expires_at: isoTime.nullable(),
  redeemed_at: isoTime.nullable(),
  member_id: nullable,
  starts_at: isoTime.nullable(),
  ends_at: isoTime.nullable(),
  closed_for: nullable,
  put_off: z.object({ from: isoTime, until: isoTime }).nullable(),
})
const giving = {
  price: text.optional().describe('A price id; left out where the plan is given by one price.'),
  to: text
    .optional()
    .describe('The address that the gift is sent to; left out, its buyer hands the code over.'),
  on: text.optional().describe('The day of its mail, such as 2026-12-24.'),
  message: text.max(1000).optional(),
  provider: text.optional(),
  currency: text.optional(),
  code: text.optional(),
  shown: text.optional(),
  consent: text.optional(),
}
const begins = z.object({
  kind: z.enum(['now', 'put_off', 'after']),
  from: isoTime.optional(),
  until: isoTime.optional(),
})

const seat = z.object({
  id: text,
  email: nullable,
  member_id: nullable,
  role: z.enum(['member', 'manager']),
  status: z.enum(['invited', 'joined', 'ended']),
  created_at: isoTime,
  expires_at: isoTime.nullable(),
  joined_at: isoTime.nullable(),
  ended_for: nullable,
})
const group = z.object({
  subscription_id: text,
  provider: text,
  plan: nullable,
  owner_id: nullable,
  seats: z.number().int(),
  free: z.number().int(),
  shrinks_at: isoTime.nullable(),
  members: z.array(seat),
})
function ofGroup(id: string, summary: string, fields: z.ZodType): Operation {
  return {
    id,
    summary,
    fields,
    answers: { 200: group },
  }
}

/** Gifts: ordered, shown to their buyers, redeemed. */
export const offerOperations: Readonly<Record<string, Operation>> = {
  'GET /membership/gift/:plan': {
    id: 'giftForm',
    summary: 'The form of a gift: the prices that give a plan',
    answers: {
      200: z.object({
        plan: text,
        prices: z.array(z.object({ id: text, months: z.number().int(), amount: nullable })),
      }),
    },
  },
  'POST /membership/gift/:plan': {
    id: 'give',
    summary: 'Starts the purchase of a gift',
    fields: z.object(giving),
    answers: { 201: z.object({ url: text.describe('Where the buyer pays.'), intent_id: text }) },
  },
  'GET /membership/gift/:plan/order': {
    id: 'giftOrder',
    summary: 'What would be bought; the query is the form of the gift',
    answers: { 200: z.looseObject({ plan: text, quantity: z.number().int(), shown: text }) },
  },
  'GET /membership/gifts/:gift': {
    id: 'boughtGift',
    summary: 'A gift with its code, for its buyer',
    answers: { 200: gift.extend({ code: nullable }) },
  },
  'POST /membership/gifts/:gift': {
    id: 'sendGift',
    summary: 'Sends a gift by mail, now or again',
    fields: z.object({ to: text.optional() }),
    answers: { 200: gift },
  },
  'GET /membership/redeem': {
    id: 'redeemForm',
    summary: 'The page on which a code is typed',
    answers: { 200: z.object({ url: text }) },
  },
  'POST /membership/redeem': {
    id: 'redeemTyped',
    summary: 'Redeems a gift by its code',
    fields: z.object({ code: text }),
    answers: { 200: gift },
  },
  'GET /membership/redeem/:code': {
    id: 'lookAtGift',
    summary: 'What a code gives, and when it would begin; nothing is redeemed',
    answers: {
      200: z.object({
        status: text,
        plan: text,
        months: z.number().int(),
        expires_at: isoTime.nullable(),
        begins: begins.nullable(),
      }),
    },
  },
  'POST /membership/redeem/:code': {
    id: 'redeem',
    summary: 'Gives a gift to the member who is logged in, once',
    fields: z.object({}),
    answers: { 200: gift },
  },
  'GET /membership/group/:subscription': {
    id: 'group',
    summary: 'The seats of a group, for its buyer and its managers',
    answers: { 200: group },
  },
  'POST /membership/group/:subscription': ofGroup(
    'invite',
    'Invites addresses to seats',
    z.object({
      email: text.optional(),
      emails: text.optional().describe('Several, as lines or as CSV.'),
      role: z.enum(['member', 'manager']).optional(),
    }),
  ),
  'POST /membership/group/:subscription/remove': ofGroup(
    'removeSeat',
    'Ends a seat, or withdraws its invitation',
    z.object({ seat: text }),
  ),
  'POST /membership/group/:subscription/transfer': ofGroup(
    'transferGroup',
    'Makes a member of the group its manager',
    z.object({ member: text }),
  ),
  'POST /membership/group/:subscription/leave': {
    id: 'leaveGroup',
    summary: 'Gives up one’s own seat',
    fields: z.object({}),
    answers: { 200: z.object({ status: text }) },
  },
  'GET /membership/join/:token': {
    id: 'invitation',
    summary: 'The link of an invitation; nothing is taken',
    answers: { 200: z.object({ status: text, plan: nullable }) },
  },
  'POST /membership/join/:token': {
    id: 'join',
    summary: 'Takes the seat, once',
    fields: z.object({}),
    answers: { 200: z.object({ status: text, plan: nullable }) },
  },
}
