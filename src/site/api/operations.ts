import { z } from 'zod'
import { invoicePreviewSchema, isoTime, subscriptionSchema } from '../../core/dto/index.ts'
import { type Operation, shownOperations } from './shown-operations.ts'

export type { Operation }

const text = z.string()
const whole = z.string().regex(/^[0-9]+$/)
const redirect = text.optional().describe('A path on this site: where a browser goes on.')
const shown = text
  .optional()
  .describe('What was shown before: where that is no longer what would happen, nothing is done.')
const buying = {
  quantity: whole.optional(),
  currency: text.optional().describe('Such as EUR.'),
  code: text.optional().describe('A promotion code.'),
  provider: text.optional().describe('Who sells, where the site lets forms choose.'),
  shown,
  redirect,
}
const changing = {
  plan: text.optional(),
  price: text.optional(),
  quantity: whole.optional(),
  proration: z.enum(['now', 'next', 'none']).optional().describe('Where the site lets forms choose.'),
  proration_at: isoTime.optional().describe('The moment that a preview gave.'),
  shown,
  redirect,
}
const begun = z.object({ url: text.describe('Where the buyer pays.'), intent_id: text })
const elsewhere = z.object({ url: text.describe('Where it goes on, at the provider or the bank.') })
const done = z.union([z.object({ subscription: subscriptionSchema }), elsewhere])
const returned = z.object({
  status: z.enum(['open', 'declined', 'processing', 'paid', 'failed', 'expired']),
  redirect: text,
  url: text.optional().describe('Where a declined payment is tried again.'),
})
const health = z.looseObject({ status: z.enum(['ok', 'trouble']), at: isoTime })

/** Every route below /membership, by method and path as the router has it. */
export const operations: Readonly<Record<string, Operation>> = {
  ...shownOperations,
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
    fields: z.object({ when: z.enum(['period_end', 'now']).optional(), shown, redirect }),
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
  'GET /membership/login': { id: 'loginPage', summary: 'Asks for an address', answers: { 200: null } },
  'POST /membership/login': {
    id: 'askForLink',
    summary: 'Sends a login link; the answer is the same whether the address is somebody’s or not',
    fields: z.object({ email: text, redirect }),
    answers: { 202: z.object({ status: text }) },
  },
  'GET /membership/login/:token': {
    id: 'loginLink',
    summary: 'The link of the mail: a page with a button',
    answers: { 200: null },
  },
  'POST /membership/login/:token': {
    id: 'login',
    summary: 'Logs in, once',
    fields: z.object({}),
    answers: { 200: z.object({ member_id: text, redirect: text }) },
  },
  'POST /membership/logout': {
    id: 'logout',
    summary: 'Ends this session, or all of the member’s',
    fields: z.object({ everywhere: z.literal('1').optional(), redirect }),
    answers: { 200: z.object({ status: text }) },
  },
  'POST /membership/account': {
    id: 'updateAccount',
    summary: 'Changes fields of one’s own account, as the blueprint allows',
    fields: z.looseObject({ redirect }),
    answers: {
      200: z.object({
        changed: z.array(text),
        email_change: z.object({ to: text, status: text }).nullable(),
      }),
    },
  },
  'POST /membership/account/compare': {
    id: 'compareAccount',
    summary: '“I paid and cannot read this”: asks the providers for what this member has, once a minute',
    fields: z.object({}),
    answers: { 200: z.object({ status: text }) },
  },
  'POST /membership/language': {
    id: 'chooseLanguage',
    summary: 'The language of pages for this browser, and of the account’s mails',
    fields: z.object({ language: text, redirect }),
    answers: { 200: z.object({ language: text }) },
  },
  'GET /membership/account/email/:token': {
    id: 'emailLink',
    summary: 'The link that confirms another address: a page with a button',
    answers: { 200: null },
  },
  'POST /membership/account/email/:token': {
    id: 'confirmEmail',
    summary: 'Confirms another address',
    fields: z.object({}),
    answers: { 200: z.object({ email: text }) },
  },
  'GET /membership/account/email-undo/:token': {
    id: 'emailUndoLink',
    summary: 'The link in the mail to the old address: a page with a button',
    answers: { 200: null },
  },
  'POST /membership/account/email-undo/:token': {
    id: 'undoEmail',
    summary: 'Takes a change of address back and ends every session',
    fields: z.object({}),
    answers: { 200: z.object({ email: text }) },
  },
  'GET /membership/account/export': {
    id: 'exportAccount',
    summary: 'Everything that is kept about the member',
    answers: { 200: z.looseObject({ format: z.literal('membership-account') }) },
  },
  'POST /membership/account/delete': {
    id: 'deleteAccount',
    summary: 'Cancels at the providers, then deletes',
    fields: z.object({ confirm: z.literal('delete'), redirect }),
    answers: {
      200: z.object({ status: text, waits_for: text.nullable() }),
      202: z.object({ status: text, waits_for: text.nullable() }),
    },
  },
  'GET /membership/switch': {
    id: 'switchPage',
    summary: 'What a member has to buy again since the site changes its payment provider, and until when',
    answers: {
      200: z.object({
        memberships: z.array(
          z.object({
            ...{ subscription_id: text, provider: text, plan: text, price: text.nullable(), until: text },
            ...{ sold_now: z.boolean(), bought: z.boolean() },
          }),
        ),
      }),
    },
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
