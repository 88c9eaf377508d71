import type { MailData, MailKind } from './kinds.ts'
import { findLink, toLink } from './safe.ts'
import type { Speaker } from './speaker.ts'

/** What a mail says, before it is laid out. An empty paragraph is left out. */
export interface Letter {
  readonly subject: string
  readonly paragraphs: readonly string[]
  readonly link: { readonly url: string; readonly label: string } | null
}

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

  welcome: ({ say }, { plan_title: plan, account_url }) => ({
    subject: say('welcome.subject', { plan }),
    paragraphs: [say('welcome.intro', { plan }), say('welcome.account', {})],
    link: { url: toLink(account_url, 'account_url'), label: say('welcome.button', {}) },
  }),

  receipt: ({ say, day, money }, { title, paid_at, invoice_url, renews_at, ...sum }) => {
    const paid = money(sum)
    const invoice = findLink(invoice_url)
    return {
      subject: say('receipt.subject', { title, amount: paid }),
      paragraphs: [
        say('receipt.intro', { title, amount: paid, date: day(paid_at) }),
        renews_at === null ? '' : say('receipt.renews', { title, date: day(renews_at) }),
      ],
      link: invoice === null ? null : { url: invoice, label: say('receipt.button', {}) },
    }
  },

  'payment-failed': ({ say, day, money }, { title, access_until, pay_url, account_url, ...due }) => {
    const amount = money(due)
    const pay = findLink(pay_url)
    return {
      subject: say('payment-failed.subject', { title, amount }),
      paragraphs: [
        say('payment-failed.intro', { title, amount }),
        access_until === null ? '' : say('payment-failed.access', { title, date: day(access_until) }),
        pay === null ? say('payment-failed.check', {}) : say('payment-failed.pay', {}),
      ],
      link:
        pay === null
          ? { url: toLink(account_url, 'account_url'), label: say('payment-failed.button_account', {}) }
          : { url: pay, label: say('payment-failed.button_pay', { amount }) },
    }
  },

  cancellation: ({ say, day }, { title, paid_until, resume_url, account_url }) => {
    const resume = findLink(resume_url)
    const hasEnded = paid_until === null
    return {
      subject: hasEnded
        ? say('cancellation.subject_ended', { title })
        : say('cancellation.subject', { title }),
      paragraphs: [
        hasEnded
          ? say('cancellation.ended', { title })
          : say('cancellation.paid_until', { title, date: day(paid_until) }),
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

  'account-deleted': ({ say }) => ({
    subject: say('account-deleted.subject', {}),
    paragraphs: [say('account-deleted.intro', {}), say('account-deleted.records', {})],
    link: null,
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
