import { declarationLetter } from './declaration-letter.ts'
import type { MailData, MailKind } from './kinds.ts'
import type { Letter } from './letter.ts'
import { aheadLetter, endWords, orderedWords } from './letter-parts.ts'
import { mergeLetters } from './merge-letters.ts'
import { findInvoice, findLink, findOwnLink, toLink } from './safe.ts'
import type { Speaker } from './speaker.ts'

/** One writer for each kind of mail. */
export const letters: { readonly [K in MailKind]: (speaker: Speaker, data: MailData[K]) => Letter } = {
  'magic-link': ({ say, duration }, { url, minutes, isSignup }) => ({
    subject: isSignup ? say('magic-link.subject_signup', {}) : say('magic-link.subject', {}),
    paragraphs: [
      isSignup ? say('magic-link.intro_signup', {}) : say('magic-link.intro', {}),
      say('magic-link.validity', { duration: duration(minutes) }),
      say('magic-link.not_you', {}),
    ],
    link: {
      url: toLink(url, 'The link'),
      label: isSignup ? say('magic-link.button_signup', {}) : say('magic-link.button', {}),
    },
  }),

  welcome: (speaker, { plan_title: plan, account_url, trial_until = null, ordered }) => ({
    subject: speaker.say('welcome.subject', { plan }),
    paragraphs: [
      speaker.say('welcome.intro', { plan }),
      trial_until === null ? '' : speaker.say('welcome.trial', { plan, date: speaker.day(trial_until) }),
      ...orderedWords(speaker, ordered),
      speaker.say('welcome.account', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: speaker.say('welcome.button', {}) },
  }),

  receipt: (speaker, { title, paid_at, invoice_url, renews_at, ends_at = null, ordered, ...sum }) => {
    const { say, day, money } = speaker
    const paid = money(sum)
    const invoice = findInvoice(invoice_url, speaker.siteUrl)
    return {
      subject: say('receipt.subject', { title, amount: paid }),
      paragraphs: [
        say('receipt.intro', { title, amount: paid, date: day(paid_at) }),
        renews_at === null ? '' : say('receipt.renews', { title, date: day(renews_at) }),
        ends_at === null ? '' : say('receipt.ends', { title, date: day(ends_at) }),
        ...orderedWords(speaker, ordered),
      ],
      link: invoice === null ? null : { url: invoice, label: say('receipt.button', {}) },
    }
  },

  'payment-failed': ({ say, day, money }, data) => {
    const { title, access_until, is_closed = false, retry_at = null, pay_url, account_url, ...due } = data
    const amount = money(due)
    const pay = findOwnLink(pay_url)
    return {
      subject: say('payment-failed.subject', { title, amount }),
      paragraphs: [
        say('payment-failed.intro', { title, amount }),
        is_closed
          ? say('payment-failed.closed', { title })
          : access_until === null
            ? ''
            : say('payment-failed.access', { title, date: day(access_until) }),
        retry_at === null ? '' : say('payment-failed.retry', { date: day(retry_at) }),
        pay === null ? say('payment-failed.check', {}) : say('payment-failed.pay', {}),
      ],
      link:
        pay === null
          ? { url: toLink(account_url, 'account_url'), label: say('payment-failed.button_account', {}) }
          : { url: pay, label: say('payment-failed.button_pay', { amount }) },
    }
  },

  cancellation: (speaker, data) => {
    const { title, paid_until, charged_until = null, reason = null, resume_url, account_url } = data
    const { say } = speaker
    const resume = findLink(resume_url)
    return {
      subject:
        paid_until === null
          ? say('cancellation.subject_ended', { title })
          : say('cancellation.subject', { title }),
      paragraphs: [
        endWords(speaker, { title, paid_until, charged_until, reason }),
        resume === null ? '' : say('cancellation.resume', { title }),
      ],
      link:
        resume === null
          ? { url: toLink(account_url, 'account_url'), label: say('cancellation.button_account', {}) }
          : { url: resume, label: say('cancellation.button_resume', {}) },
    }
  },

  switching: ({ say, day }, { title, ends_at, isSoldNow, isBack, account_url }) => {
    const account = toLink(account_url, 'account_url')
    if (isBack)
      return {
        subject: say('switching.subject_back', { title }),
        paragraphs: [say('switching.back', { title })],
        link: { url: account, label: say('switching.button_account', {}) },
      }
    const date = day(ends_at)
    return {
      subject: say('switching.subject', { title }),
      paragraphs: [
        say('switching.intro', { title, date }),
        isSoldNow ? say('switching.now', { date }) : say('switching.later', { date }),
        say('switching.nothing', {}),
      ],
      link: { url: new URL('/membership/switch', account).href, label: say('switching.button', {}) },
    }
  },

  'trial-ending': (speaker, data) => aheadLetter(speaker, 'trial-ending', data),
  'renewal-ahead': (speaker, data) => aheadLetter(speaker, 'renewal-ahead', data),

  refund: ({ say, money }, { title, amount, paid, currency, provider, has_closed }) => {
    const back = money({ amount, currency, provider })
    return {
      subject: say('refund.subject', { title, amount: back }),
      paragraphs: [
        amount === paid
          ? say('refund.whole', { title, amount: back })
          : say('refund.part', { title, amount: back, paid: money({ amount: paid, currency, provider }) }),
        say('refund.way', {}),
        has_closed ? say('refund.closed', { title }) : '',
      ],
      link: null,
    }
  },

  changed: ({ say, day, cost: costWords }, { before, title, cost, next_at, account_url }) => ({
    subject: say('changed.subject', { title }),
    paragraphs: [
      say('changed.intro', { before, title }),
      cost === null ? '' : say('changed.cost', { cost: costWords(cost) }),
      next_at === null ? '' : say('changed.next', { date: day(next_at) }),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('changed.button', {}) },
  }),

  granted: ({ say, day }, { title, from, until, account_url }) => ({
    subject: say('granted.subject', { title }),
    paragraphs: [
      say('granted.intro', { title }),
      from === null ? '' : say('granted.from', { date: day(from) }),
      until === null ? '' : say('granted.until', { date: day(until) }),
      say('granted.free', {}),
    ],
    link: { url: toLink(account_url, 'account_url'), label: say('granted.button', {}) },
  }),

  'payment-pending': ({ say }, { title, account_url }) => ({
    subject: say('payment-pending.subject', { title }),
    paragraphs: [say('payment-pending.intro', { title }), say('payment-pending.wait', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('payment-pending.button', {}) },
  }),

  'purchase-failed': ({ say }, { title, account_url }) => ({
    subject: say('purchase-failed.subject', { title }),
    paragraphs: [say('purchase-failed.intro', { title }), say('purchase-failed.again', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('purchase-failed.button', {}) },
  }),

  'payment-unassigned': ({ say, day, money }, { paid_at, account_url, ...sum }) => {
    const amount = money(sum)
    return {
      subject: say('payment-unassigned.subject', { amount }),
      paragraphs: [
        say('payment-unassigned.intro', { amount, date: day(paid_at) }),
        say('payment-unassigned.wait', {}),
      ],
      link: { url: toLink(account_url, 'account_url'), label: say('payment-unassigned.button', {}) },
    }
  },

  'bought-twice': ({ say }, { title, account_url }) => ({
    subject: say('bought-twice.subject', { title }),
    paragraphs: [say('bought-twice.intro', { title }), say('bought-twice.back', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('bought-twice.button', {}) },
  }),
  'trial-ended': ({ say }, { title, account_url }) => ({
    subject: say('trial-ended.subject', { title }),
    paragraphs: [say('trial-ended.intro', { title }), say('trial-ended.offer', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('trial-ended.button', {}) },
  }),

  'email-change': ({ say, duration }, { url, minutes }) => ({
    subject: say('email-change.subject', {}),
    paragraphs: [
      say('email-change.intro', {}),
      say('email-change.validity', { duration: duration(minutes) }),
      say('email-change.not_you', {}),
    ],
    link: { url: toLink(url, 'The link'), label: say('email-change.button', {}) },
  }),

  'email-changed': ({ say, duration }, { url, days }) => ({
    subject: say('email-changed.subject', {}),
    paragraphs: [
      say('email-changed.intro', {}),
      say('email-changed.not_you', {}),
      say('email-changed.validity', { duration: duration(days * 1440) }),
    ],
    link: { url: toLink(url, 'The link'), label: say('email-changed.button_undo', {}) },
  }),

  ...mergeLetters,
  'account-deleted': ({ say }) => ({
    subject: say('account-deleted.subject', {}),
    paragraphs: [say('account-deleted.intro', {}), say('account-deleted.records', {})],
    link: null,
  }),

  declaration: declarationLetter,

  'operator-deadline': ({ say, day }, { about, number, due_on, url }) => ({
    subject: say(`operator-deadline.subject_${about}`, { number }),
    paragraphs: [
      say(`operator-deadline.${about}`, { number }),
      due_on === null ? '' : say('operator-deadline.due', { date: day(due_on) }),
    ],
    link: { url: toLink(url, 'url'), label: say('operator-deadline.button', {}) },
  }),

  'operator-alert': ({ say }, { isOver, provider, message, action }) => ({
    subject: isOver
      ? say('operator-alert.subject_over', { provider })
      : say('operator-alert.subject', { provider }),
    paragraphs: isOver
      ? [say('operator-alert.over', { message })]
      : [say('operator-alert.begun', { message }), say('operator-alert.action', { action })],
    link: null,
  }),
}
