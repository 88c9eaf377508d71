import { z } from 'zod'
import { type Operation, redirect } from './shown-operations.ts'

const text = z.string()
const leaving = z.object({ title: text, paid_until: text.nullable() })

const nullable = text.nullable()
const form = z.object({
  method: z.enum(['get', 'post']),
  url: text,
  fields: z.record(text, text),
  label: text,
})
const visitor = z.object({
  member: z.object({ id: text, email: nullable, name: nullable, app_user_id: nullable }).nullable(),
  authentication: z.enum(['none', 'unverified', 'verified']),
  gates: z.array(text),
  features: z.array(text),
  plans: z.array(
    z.object({
      id: text,
      name: text,
      description: nullable,
      recommended: z.boolean(),
      lines: z.array(text),
      features: z.array(text),
      prices: z.array(
        z.object({
          id: text,
          label: text,
          amount: text,
          was: nullable,
          per: text,
          notes: z.array(text),
          owned: z.boolean(),
          action: z.object({ url: text, label: text }).nullable(),
        }),
      ),
    }),
  ),
  cards: z.array(
    z.object({
      id: text,
      title: text,
      price: nullable,
      sentence: text,
      url: nullable,
      state: z.enum(['good', 'due', 'waits', 'over']),
      actions: z.array(form),
    }),
  ),
  language: text,
  words: z.object({ login: text, account: text, prices: text, yours: text }),
  pages: z.object({ account: text, prices: text, login: text }),
  token: text,
})

/** Operations of login, logout, and the member's own account. */
export const accountOperations: Readonly<Record<string, Operation>> = {
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
  'GET /membership/account': {
    id: 'accountPage',
    summary: 'What a member has, what was paid, and what they can do about it; leads to the site’s own page',
    answers: { 200: null, 302: null },
  },
  'GET /membership/prices': {
    id: 'pricesPage',
    summary: 'What is sold, as this visitor may buy it; leads to the site’s own page',
    answers: { 200: null, 302: null },
  },
  'GET /membership/me': {
    id: 'visitor',
    summary:
      'The visitor as JSON for a site’s own components: what is open, what is sold, and what they have',
    answers: { 200: visitor },
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
    summary: '“I paid but don’t have access”: asks the providers for what this member has, once a minute',
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
  'POST /membership/account/merge': {
    id: 'askToMerge',
    summary: 'Another account is to become a part of this one: a link goes to one’s own address first',
    fields: z.object({ email: text, redirect }),
    answers: { 202: z.object({ status: text }) },
  },
  'GET /membership/account/merge/:token': {
    id: 'mergeLink',
    summary: 'The link of either mail: a page that says what its button does',
    answers: { 200: null },
  },
  'POST /membership/account/merge/:token': {
    id: 'confirmMerge',
    summary: 'Confirms for one address; the second makes one account of both',
    fields: z.object({}),
    answers: { 200: z.object({ status: text }) },
  },
  'GET /membership/account/merge-back/:token': {
    id: 'mergeBackLink',
    summary: 'The link in the mail to both addresses: a page with a button',
    answers: { 200: null },
  },
  'POST /membership/account/merge-back/:token': {
    id: 'takeMergeBack',
    summary: 'Makes two accounts of one again and ends every session of both',
    fields: z.object({}),
    answers: { 200: z.object({ email: text, other_email: text }) },
  },
  'GET /membership/account/export': {
    id: 'exportAccount',
    summary: 'Everything that is kept about the member',
    answers: { 200: z.looseObject({ format: z.literal('membership-account') }) },
  },
  'GET /membership/account/delete': {
    id: 'leaving',
    summary: 'What ends with the account and what is not refunded: the page that asks again',
    answers: {
      200: z.object({ email: text.nullable(), memberships: z.array(leaving), purchases: z.array(leaving) }),
    },
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
}
