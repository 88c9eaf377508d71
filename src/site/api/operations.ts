import { z } from 'zod'
import { invoicePreviewSchema, isoTime, priceSchema, subscriptionSchema } from '../../core/dto/index.ts'
import { leavingReasons } from '../../memberships/checkout/index.ts'
import { accountOperations } from './account-operations.ts'
import { offerOperations } from './offer-operations.ts'
import {
  auditOperations,
  downloadOperations,
  type Operation,
  passOperations,
  redirect,
  shownOperations,
} from './shown-operations.ts'

export type { Operation }

const text = z.string()
const whole = z.string().regex(/^[0-9]+$/)
const shown = text
  .optional()
  .describe('The token of what the buyer saw. If the outcome would differ now, nothing is done.')
const buying = {
  quantity: whole.optional(),
  currency: text.optional().describe('Such as EUR.'),
  code: text.optional().describe('A promotion code.'),
  provider: text.optional().describe('The provider, if the site lets forms choose.'),
  consent: text
    .optional()
    .describe('The consent that the order page asked for. `none` if it asked for nothing.'),
  shown,
  redirect,
}
const changing = {
  plan: text.optional(),
  price: text.optional(),
  quantity: whole.optional(),
  proration: z.enum(['now', 'next', 'none']).optional().describe('Only if the site lets forms choose.'),
  proration_at: isoTime.optional().describe('The moment that a preview gave.'),
  shown,
  redirect,
}
const begun = z.object({ url: text.describe('Where the buyer pays.'), intent_id: text })
const elsewhere = z.object({ url: text.describe('The next page, at the provider or the bank.') })
const done = z.union([z.object({ subscription: subscriptionSchema }), elsewhere])
const returned = z.object({
  status: z.enum(['open', 'declined', 'processing', 'paid', 'failed', 'expired']),
  redirect: text,
  url: text.optional().describe('The page to try a declined payment again.'),
})
const health = z.looseObject({ status: z.enum(['ok', 'trouble']), at: isoTime })

/** Every route below /membership, by method and path as the router has it. */
export const operations: Readonly<Record<string, Operation>> = {
  ...shownOperations,
  ...passOperations,
  ...downloadOperations,
  ...auditOperations,
  ...offerOperations,
  'POST /membership/subscribe/:plan': {
    id: 'subscribe',
    summary: 'Starts a subscription',
    fields: z.object({
      price: text.optional(),
      ...buying,
      swap: z.literal('1').optional().describe('Changes a subscription that lives instead.'),
    }),
    answers: { 200: done, 201: begun },
  },
  'POST /membership/payment': {
    id: 'pay',
    summary: 'Starts the purchase of something that is paid once',
    fields: z.object({ product: text.describe('A price id.'), ...buying }),
    answers: { 201: begun },
  },
  'GET /membership/order': {
    id: 'orderPage',
    summary: 'What would be bought; the query is the form of the purchase',
    answers: {
      200: z.object({
        price: priceSchema,
        plan: text,
        trial_days: z.number().int().nullable(),
        quantity: z.number().int(),
        starts_at: isoTime.nullable(),
        shown: text.describe('Sent with the purchase, it confirms this.'),
        consent: z
          .object({
            supply: z.enum(['service', 'content']),
            version: text.describe('Sent as `consent`, it says that the buyer agreed.'),
            text,
          })
          .nullable(),
      }),
    },
  },
  'GET /membership/subscribe/:token': {
    id: 'subscribed',
    summary: 'How a checkout of a subscription ended',
    answers: { 200: returned },
  },
  'GET /membership/payment/:token': {
    id: 'paid',
    summary: 'How a checkout of something paid once ended',
    answers: { 200: returned },
  },
  'POST /membership/change/:subscription': {
    id: 'change',
    summary: 'Changes the price or the quantity: dearer now and paid, cheaper at the end of what is paid',
    fields: z.object(changing),
    answers: { 200: done },
  },
  'POST /membership/invoice/:subscription': {
    id: 'preview',
    summary: 'What a change would cost',
    fields: z.object(changing),
    answers: { 200: invoicePreviewSchema },
  },
  'POST /membership/cancel/:subscription': {
    id: 'cancel',
    summary: 'Cancels',
    fields: z.object({
      when: z.enum(['period_end', 'now']).optional(),
      reason: z.enum(leavingReasons).optional(),
      shown,
      redirect,
    }),
    answers: { 200: done },
  },
  'POST /membership/resume/:subscription': {
    id: 'resume',
    summary: 'Takes back a cancellation, ends a pause',
    fields: z.object({ shown, redirect }),
    answers: { 200: done },
  },
  'POST /membership/pause/:subscription': {
    id: 'pause',
    summary: 'Pauses from the end of what is paid, where the site allows it',
    fields: z.object({ until: text.optional().describe('A day such as 2027-01-31.'), shown, redirect }),
    answers: { 200: done },
  },
  'POST /membership/discount/:subscription': {
    id: 'discount',
    summary: 'Takes the site’s discount on the next payment, once per person',
    fields: z.object({ shown, redirect }),
    answers: { 200: done },
  },
  'POST /membership/renew/:subscription': {
    id: 'renew',
    summary: 'Makes it go on: takes back the cancellation, leads to the open invoice, or buys again',
    fields: z.object({ shown, redirect }),
    answers: { 200: done, 201: begun },
  },
  'POST /membership/portal': {
    id: 'portal',
    summary: 'The provider’s own page for cards and invoices',
    fields: z.object({ provider: text.optional(), subscription: text.optional(), redirect }),
    answers: { 201: elsewhere },
  },
  ...accountOperations,
  'GET /membership/switch': {
    id: 'switchPage',
    summary: 'What a member has to buy again since the site changes its payment provider, and until when',
    answers: {
      200: z.object({
        memberships: z.array(
          z.object({
            subscription_id: text,
            provider: text,
            plan: text,
            price: text.nullable(),
            until: text,
            sold_now: z.boolean(),
            bought: z.boolean(),
          }),
        ),
      }),
    },
  },
  'GET /membership/cancel': {
    id: 'cancelPage',
    summary: 'Where membership.shop.country asks for it: a cancellation without a login',
    answers: { 200: null },
  },
  'POST /membership/cancel': {
    id: 'declareCancellation',
    summary: 'Receives a cancellation, and confirms it at once to the address that is named',
    fields: z.object({
      name: text,
      contract: text,
      email: text,
      nature: text.optional(),
      ends_on: text.optional().describe('A day such as 2027-01-31; as early as possible unless given.'),
      reason: text.optional(),
    }),
    answers: { 200: z.object({ id: text, received_at: text }) },
  },
  'GET /membership/withdraw': {
    id: 'withdrawPage',
    summary: 'Where membership.shop.country asks for it: a withdrawal without a login',
    answers: { 200: null },
  },
  'POST /membership/withdraw': {
    id: 'declareWithdrawal',
    summary: 'Receives a withdrawal, and confirms it at once to the address that is named',
    fields: z.object({ name: text, contract: text, email: text }),
    answers: { 200: z.object({ id: text, received_at: text }) },
  },
  'GET /membership/pay/:token': {
    id: 'payLink',
    summary: 'The link in the mail about a failed payment: what is owed, and a button',
    answers: { 200: null },
  },
  'POST /membership/pay/:token': {
    id: 'payOwed',
    summary: 'The provider’s page on which it is paid; null where nothing is owed any more',
    fields: z.object({}),
    answers: { 200: z.object({ url: text.nullable() }) },
  },
  'GET /membership/price/:token': {
    id: 'priceLink',
    summary: 'The link in the notice of a new price: both prices, the day, and the buttons',
    answers: { 200: null },
  },
  'POST /membership/price/:token': {
    id: 'answerPrice',
    summary: 'Cancels the membership before the new price, or agrees to it',
    fields: z.object({ does: z.enum(['cancel', 'agree']) }),
    answers: { 200: z.object({ done: text }) },
  },
  'GET /membership/unsubscribe/:token': {
    id: 'unsubscribeLink',
    summary: 'The link in the head of a mail that its member may do without: a page with a button',
    answers: { 200: null },
  },
  'POST /membership/unsubscribe/:token': {
    id: 'unsubscribe',
    summary: 'Switches such mails off, by one click of a mail program (RFC 8058)',
    answers: { 200: null },
  },
  'GET /membership/health': {
    id: 'health',
    summary: 'How it stands between the site and its providers, for monitors',
    answers: { 200: health },
  },
  'POST /membership/webhooks/:provider': {
    id: 'receive',
    summary: 'A provider’s signed message',
    answers: {
      200: z.object({ status: z.enum(['processed', 'duplicate', 'ignored', 'held', 'queued']) }),
      202: z.object({ status: z.literal('kept') }),
    },
  },
  'GET /membership/assets/:file': {
    id: 'asset',
    summary: 'Style sheets and pictures',
    answers: { 200: null },
  },
  'GET /membership/errors/:code': {
    id: 'errorText',
    summary: 'What an error’s code means, and what to do',
    answers: { 200: null },
  },
  'GET /membership/openapi.json': {
    id: 'describe',
    summary: 'This document',
    answers: { 200: z.looseObject({ openapi: text }) },
  },
}
