import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { createRender } from '../../../src/core/pages/index.ts'
import {
  createMails,
  loadMailTexts,
  type MailData,
  type MailKind,
} from '../../../src/memberships/mails/index.ts'

export interface Given {
  root?: string | false
  defaultLanguage?: string
  site?: { name: string; url: string }
}

export function openMails({ root = false, defaultLanguage = 'en', site }: Given = {}) {
  return createMails({
    render: createRender(root === false ? null : root, true),
    languages: loadMailTexts(root, defaultLanguage),
    site: site ?? { name: 'Neap', url: 'https://neap.example' },
  })
}

/** A site's folder with these files below `templates/mails/`. */
export function siteWith(t: ExecutionContext, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'membership-mails-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    const file = join(root, 'templates', 'mails', name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return root
}

const account_url = 'https://neap.example/account'

/** One sample of each kind. */
export const samples: { [K in MailKind]: MailData[K] } = {
  'magic-link': {
    url: 'https://neap.example/membership/login/a1b2?redirect=%2Faccount&x=1',
    minutes: 15,
    isSignup: false,
  },
  welcome: { plan_title: 'Pro, yearly', account_url },
  receipt: {
    title: 'Pro, yearly',
    amount: 5000,
    currency: 'EUR',
    paid_at: '2026-11-21T09:30:00.000Z',
    invoice_url: 'https://pay.example/invoice/7',
    renews_at: '2027-11-21T09:30:00.000Z',
  },
  'payment-failed': {
    title: 'Pro, monthly',
    amount: 550,
    currency: 'EUR',
    access_until: '2026-12-01T00:00:00.000Z',
    pay_url: 'https://pay.example/pay/7',
    account_url,
  },
  'access-ending': {
    title: 'Pro, monthly',
    amount: 550,
    currency: 'EUR',
    access_until: '2026-12-01T00:00:00.000Z',
    pay_url: 'https://pay.example/pay/7',
    account_url,
  },
  'card-expiring': {
    title: 'Pro, monthly',
    works_until: '2026-11-30T00:00:00.000Z',
    renews_at: '2026-12-03T09:30:00.000Z',
    account_url,
  },
  'trial-ending': {
    title: 'Pro, yearly',
    at: '2026-12-20T00:00:00.000Z',
    cost: { amount: 900, currency: 'EUR', interval: 'month', interval_count: 3 },
    account_url,
  },
  'yearly-reminder': {
    title: 'Pro, monthly',
    cost: { amount: 900, currency: 'EUR', provider: 'stripe', interval: 'month', interval_count: 1 },
    next_at: '2026-12-15T12:00:00.000Z',
    account_url,
  },
  'renewal-ahead': {
    title: 'Pro, yearly',
    at: '2026-12-20T00:00:00.000Z',
    cost: { amount: 5000, currency: 'EUR', interval: 'year', interval_count: 1 },
    account_url,
  },
  refund: { title: 'Pro, yearly', amount: 500, paid: 5000, currency: 'EUR', has_closed: false },
  changed: {
    before: 'Pro, monthly',
    title: 'Pro, yearly',
    cost: { amount: 5000, currency: 'EUR', interval: 'year', interval_count: 1 },
    next_at: '2026-12-20T00:00:00.000Z',
    account_url,
  },
  granted: { title: 'Pro', from: null, until: '2026-12-20T00:00:00.000Z', account_url },
  'group-invitation': { title: 'Team', from: 'Ann', days: 14, url: 'https://neap.example/membership/join/1' },
  'group-fewer': {
    title: 'Team',
    date: '2026-12-24T06:00:00.000Z',
    url: 'https://neap.example/membership/group/1',
  },
  'group-takeover': { title: 'Team', date: '2026-12-24T06:00:00.000Z', url: account_url },
  'group-reminder': { title: 'Team', date: '2026-12-24T06:00:00.000Z', url: account_url },
  'group-disputed': { title: 'Team', url: account_url },
  'group-ended': { title: 'Team', account_url },
  gift: {
    title: 'Pro',
    months: 12,
    from: 'Ann',
    message: 'Happy birthday!',
    code: '01234-56789-ABCDE-FGHJK',
    url: 'https://neap.example/membership/redeem/01234',
  },
  'gift-bought': {
    title: 'Pro',
    months: 12,
    to: 'ben@example.com',
    on: '2026-12-24T06:00:00.000Z',
    url: 'https://neap.example/membership/gifts/1',
  },
  'gift-redeemed': { title: 'Pro', to: 'ben@example.com', account_url },
  'gift-begun': { title: 'Pro', until: '2026-12-24T06:00:00.000Z', account_url },
  'gift-closed': { title: 'Pro', reason: 'refunded', isBuyer: true, account_url },
  'price-raise': {
    title: 'Pro, monthly',
    before: { amount: 900, currency: 'EUR', interval: 'month', interval_count: 1 },
    after: { amount: 1200, currency: 'EUR', interval: 'month', interval_count: 1 },
    at: '2027-03-15T09:30:00.000Z',
    needs_consent: false,
    url: 'https://neap.example/membership/price/a1b2',
  },
  'price-raise-off': {
    title: 'Pro, monthly',
    cost: { amount: 900, currency: 'EUR', interval: 'month', interval_count: 1 },
    account_url,
  },
  'payment-pending': { title: 'Pro, yearly', account_url },
  'purchase-failed': { title: 'Pro, yearly', account_url },
  'payment-unassigned': {
    amount: 5000,
    currency: 'EUR',
    paid_at: '2026-11-21T09:30:00.000Z',
    account_url,
  },
  'bought-twice': { title: 'Pro, yearly', account_url },
  'trial-ended': { title: 'Pro, yearly', account_url },
  switching: {
    title: 'Pro, yearly',
    ends_at: '2026-12-20T00:00:00.000Z',
    isSoldNow: true,
    isBack: false,
    account_url,
  },
  'email-change': { url: 'https://neap.example/membership/account/email/a1b2', minutes: 60 },
  'merge-own': {
    url: 'https://neap.example/membership/account/merge/a1b2',
    minutes: 60,
    other_email: 'ann@work.example',
  },
  'merge-other': {
    url: 'https://neap.example/membership/account/merge/a1b2',
    minutes: 60,
    email: 'ann@example.com',
  },
  merged: {
    url: 'https://neap.example/membership/account/merge-back/a1b2',
    days: 30,
    email: 'ann@example.com',
    other_email: 'ann@work.example',
  },
  'email-changed': { url: 'https://neap.example/membership/account/email-undo/a1b2', days: 7 },
  cancellation: {
    title: 'Pro, yearly',
    paid_until: '2026-12-20T00:00:00.000Z',
    resume_url: 'https://neap.example/account/resume',
    account_url,
  },
  declaration: {
    number: '20261121093000-a1b2',
    kind: 'cancellation',
    nature: 'extraordinary',
    received_at: '2026-11-21T09:30:00.000Z',
    name: 'Ann Example',
    contract: 'Pro, yearly',
    reason: 'I was ill',
  },
  'operator-deadline': {
    about: 'withdrawal',
    number: '20261121093000-a1b2c3d4',
    due_on: '2026-12-05',
    url: 'https://neap.example/membership/office/deadlines',
  },
  'operator-alert': {
    isOver: false,
    provider: 'stripe',
    message: 'No message of stripe has come for 5 hours.',
    action: 'See at stripe whether it sends to this site.',
  },
  'account-deleted': {},
}
export const kinds = Object.keys(samples) as MailKind[]

/** Paragraphs of the plain text, each on one line, with plain spaces. */
export function paragraphsOf(text: string): string[] {
  return text
    .trim()
    .split('\n\n')
    .map((paragraph) => paragraph.replace(/\s+/g, ' '))
}
