import type { Outline } from '../../core/words/index.ts'
import type { MailKind } from './kinds.ts'

/** Every text of a language, with the placeholders that it may hold beside `{site}`. */
export const texts = {
  common: {
    greeting: ['name'],
    greeting_plain: [],
    link_hint: [],
    closing: [],
    ordered: ['moment'],
    agreed: [],
    per_day: ['amount'],
    per_week: ['amount'],
    per_month: ['amount'],
    per_year: ['amount'],
    per_many: ['amount', 'duration'],
  },
  'magic-link': {
    subject: [],
    subject_signup: [],
    intro: [],
    intro_signup: [],
    validity: ['duration'],
    not_you: [],
    button: [],
    button_signup: [],
  },
  welcome: { subject: ['plan'], intro: ['plan'], trial: ['plan', 'date'], account: [], button: [] },
  receipt: {
    subject: ['title', 'amount'],
    intro: ['title', 'amount', 'date'],
    renews: ['title', 'date'],
    ends: ['title', 'date'],
    button: [],
  },
  'payment-failed': {
    subject: ['title', 'amount'],
    intro: ['title', 'amount'],
    retry: ['date'],
    access: ['title', 'date'],
    closed: ['title'],
    pay: [],
    check: [],
    button_pay: ['amount'],
    button_account: [],
  },
  'trial-ending': {
    subject: ['title', 'date'],
    intro: ['title', 'date'],
    cost: ['cost'],
    cancel: ['date'],
    button: [],
  },
  'renewal-ahead': {
    subject: ['title', 'date'],
    intro: ['title', 'date'],
    cost: ['cost'],
    cancel: ['date'],
    button: [],
  },
  refund: {
    subject: ['title', 'amount'],
    whole: ['title', 'amount'],
    part: ['title', 'amount', 'paid'],
    way: [],
    closed: ['title'],
  },
  changed: {
    subject: ['title'],
    intro: ['before', 'title'],
    cost: ['cost'],
    next: ['date'],
    button: [],
  },
  granted: {
    subject: ['title'],
    intro: ['title'],
    from: ['date'],
    until: ['date'],
    free: [],
    button: [],
  },
  'payment-pending': { subject: ['title'], intro: ['title'], wait: [], button: [] },
  'purchase-failed': { subject: ['title'], intro: ['title'], again: [], button: [] },
  'payment-unassigned': { subject: ['amount'], intro: ['amount', 'date'], wait: [], button: [] },
  'bought-twice': { subject: ['title'], intro: ['title'], back: [], button: [] },
  'trial-ended': { subject: ['title'], intro: ['title'], offer: [], button: [] },
  switching: {
    subject: ['title'],
    subject_back: ['title'],
    intro: ['title', 'date'],
    now: ['date'],
    later: ['date'],
    nothing: [],
    back: ['title'],
    button: [],
    button_account: [],
  },
  'email-change': { subject: [], intro: [], validity: ['duration'], not_you: [], button: [] },
  'email-changed': { subject: [], intro: [], not_you: [], validity: ['duration'], button_undo: [] },
  cancellation: {
    subject: ['title'],
    subject_ended: ['title'],
    paid_until: ['title', 'date'],
    charged_until: ['title', 'date', 'next'],
    ended: ['title'],
    owed: ['title'],
    trial_until: ['title', 'date'],
    trial_ended: ['title'],
    ended_unpaid: ['title'],
    ended_refunded: ['title'],
    ended_disputed: ['title'],
    resume: ['title'],
    button_resume: [],
    button_account: [],
  },
  'merge-own': { subject: [], intro: ['other'], validity: ['duration'], not_you: [], button: [] },
  'merge-other': {
    subject: [],
    intro: ['email'],
    how: ['email'],
    validity: ['duration'],
    not_you: [],
    button: [],
  },
  merged: { subject: [], intro: ['email', 'other'], not_you: [], validity: ['duration'], button_back: [] },
  'account-deleted': { subject: [], intro: [], records: [] },
  declaration: {
    subject_cancellation: [],
    subject_withdrawal: [],
    cancellation: ['moment', 'number'],
    withdrawal: ['moment', 'number'],
    said: ['name', 'contract'],
    reason: ['reason'],
    ends_on: ['date'],
    ends_soonest: [],
    next_ordinary: [],
    next_extraordinary: [],
    next_withdrawal: [],
    not_you: [],
    undo: [],
  },
  'operator-deadline': {
    subject_dispute: ['number'],
    subject_cancellation: ['number'],
    subject_withdrawal: ['number'],
    dispute: ['number'],
    cancellation: ['number'],
    withdrawal: ['number'],
    due: ['date'],
    button: [],
  },
  'operator-alert': {
    subject: ['provider'],
    subject_over: ['provider'],
    begun: ['message'],
    over: ['message'],
    action: ['action'],
  },
} as const satisfies Record<MailKind | 'common', Record<string, readonly string[]>>

type Groups = typeof texts
/** A part of a language file: one kind of mail, or what all share. */
export type Group = keyof Groups

/** `receipt.intro`: a group of a language file and one of its texts. */
export type TextKey = { [G in Group]: `${G}.${keyof Groups[G] & string}` }[Group]

/** What a text's placeholders are filled with, apart from `{site}`. */
export type Values<K extends TextKey> = K extends `${infer G extends Group}.${infer T}`
  ? T extends keyof Groups[G]
    ? Groups[G][T] extends readonly (infer P extends string)[]
      ? Record<P, string>
      : never
    : never
  : never

/** What a language file of mails may say, in the order of {@link texts}. A mail without a subject, or a button without a
 *  word, is none; any other text may be empty and is left out then. */
export const outline: Outline = {
  keys: Object.entries(texts).flatMap(([group, of]) => Object.keys(of).map((text) => `${group}.${text}`)),
  placeholdersOf: (key) => {
    const [group, text] = key.split('.') as [Group, string]
    const own = (texts[group] as Record<string, readonly string[]>)[text] ?? []
    return [...own, 'site']
  },
  isNeeded: (key) => /\.(subject|button)/.test(key),
}
