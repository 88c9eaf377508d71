import { boughtTwice, endsAt, isPaid, type Plan, type Subscription, titleOf } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { Consumer, Happening, News } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import type { Mails, Recipient } from './compose.ts'
import type { MailData, MailKind, Transport } from './kinds.ts'

/** A mail whose recipient is found out when it is written. */
export interface LinkOf {
  readonly email: string
  readonly user: User | null
  readonly url: string
  readonly minutes: number
}

export interface NoticesDeps {
  /** Made with the site's address; throws where that is not known yet. */
  readonly mails: () => Mails
  readonly transport: Transport
  /** Which kinds are sent; a login link always is. */
  readonly kinds: ReadonlySet<MailKind>
  readonly findMember: (id: string) => Promise<User | null>
  readonly linkOf: (linkId: string) => Promise<LinkOf | null>
  /** Whether it was a second trial that we ended: its mail has its own words. */
  readonly wasEndedTrial: (subscription: About) => Promise<boolean>
  /** Whether we ended it so that its member goes on at another provider: so has that. */
  readonly isSwitching: (subscription: About) => Promise<boolean>
  readonly plans: () => readonly Plan[]
  readonly accountUrl: () => string
}

/** The mails that follow from what happened to a member: queued with it, written when they are sent. */
export const createNotices = (deps: NoticesDeps) => {
  const { kinds, transport, plans, accountUrl } = deps

  const consumer: Consumer = (news) =>
    news.happened
      .flatMap((one) => [toNotice(one, news, plans()), ofSecond(one, news, plans())])
      .map((notice, n) => ({ n, notice }))
      .filter(({ notice }) => notice !== null && kinds.has(notice.kind))
      .map(({ n, notice }) => ({
        id: `mail:${news.id}:${n}`,
        lane: `mail:${news.member.id}`,
        kind: 'mail',
        payload: { ...notice, member_id: news.member.id },
      }))

  /** The message for the mail of a login link; the link itself is made when the mail is written. */
  const linkMessage = (linkId: string): Message => ({
    id: `mail:link:${linkId}`,
    lane: `mail:link:${linkId}`,
    kind: 'link-mail',
    payload: { link_id: linkId },
  })

  /** The message for one mail whose address stands in it: a link to an address that nobody has yet, a farewell. */
  const directMessage = (id: string, kind: MailKind, recipient: Direct): Message => ({
    id: `mail:${id}`,
    lane: `mail:${id}`,
    kind: 'direct-mail',
    payload: { kind, recipient },
  })

  /** The message for one mail to a member, written when it is sent. */
  const memberMessage = (
    id: string,
    kind: MailKind,
    { memberId, data }: { memberId: string; data: Readonly<Record<string, unknown>> },
  ): Message => ({
    id: `mail:${id}`,
    lane: `mail:${memberId}`,
    kind: 'mail',
    payload: { kind, data, member_id: memberId },
  })

  const handlers: Handlers = {
    'direct-mail': async ({ id, payload }) => {
      const { kind, recipient } = payload as { kind: MailKind; recipient: Direct }
      const whole = { ...recipient.data, ...(needsAccount(kind) ? { account_url: accountUrl() } : {}) }
      await send(id, kind, { ...recipient, data: whole as MailData[typeof kind] })
    },
    mail: async ({ id, payload }) => {
      const { member_id, kind, data, about } = payload as Notice & { member_id: string }
      if (kind === 'cancellation' && about && (await isToldOtherwise(about))) return
      const member = await deps.findMember(member_id)
      if (!member?.email) return
      const { email: to, name, language } = member
      const whole = { ...data, ...(needsAccount(kind) ? { account_url: accountUrl() } : {}) }
      await send(id, kind, { to, name, language, data: whole as MailData[typeof kind] })
    },
    'link-mail': async ({ id, payload }) => {
      const link = await deps.linkOf((payload as { link_id: string }).link_id)
      // Nobody's address: the mail was queued all the same, so that asking takes the same time.
      if (link === null) return
      const { email: to, user, url, minutes } = link
      const data = { url, minutes, isSignup: user === null }
      await send(id, 'magic-link', { to, name: user?.name ?? null, language: user?.language ?? null, data })
    },
  }

  const isToldOtherwise = async (about: About): Promise<boolean> =>
    (kinds.has('trial-ended') && (await deps.wasEndedTrial(about))) ||
    (kinds.has('switching') && (await deps.isSwitching(about)))

  const send = async <K extends MailKind>(id: string, kind: K, recipient: Recipient<K>): Promise<void> => {
    const mails = deps.mails()
    try {
      await transport({ ...mails.compose(kind, recipient), id })
    } catch (error) {
      // An address that is none gets no better by trying again.
      if (error instanceof MembershipError && error.code === 'ERR_FORM') return
      throw error
    }
  }

  return {
    consumer,
    handlers,
    linkMessage,
    directMessage,
    memberMessage,
    sends: (kind: MailKind) => kinds.has(kind),
    send,
  }
}
export type Notices = ReturnType<typeof createNotices>

/** Whom a mail goes to, when that is known before it is written. */
export interface Direct {
  readonly to: string
  readonly name: string | null
  readonly language: string | null
  readonly data: Readonly<Record<string, unknown>>
}

/** A subscription by its provider's names. */
type About = Pick<Subscription, 'provider' | 'account' | 'id'>

interface Notice {
  readonly kind: MailKind
  readonly data: Record<string, unknown>
  /** The subscription that has ended. */
  readonly about?: About
}

const needsAccount = (kind: MailKind): boolean => accountKinds.has(kind)

const accountKinds: ReadonlySet<MailKind> = new Set([
  'welcome',
  'payment-failed',
  'payment-pending',
  'purchase-failed',
  'payment-unassigned',
  'bought-twice',
  'trial-ended',
  'switching',
  'cancellation',
])

// Two devices that are signed out cannot know of each other: the buyer hears of it as soon as both are one member's.
const ofSecond = (one: Happening, { member }: News, plans: readonly Plan[]): Notice | null =>
  one.name === 'subscribe' && boughtTwice(member.subscriptions(), plans).includes(one.subscription)
    ? { kind: 'bought-twice', data: { title: titleOf(one.subscription.price_id, plans) } }
    : null

/** What is worth a mail, with everything that it says. */
const toNotice = (one: Happening, { member }: News, plans: readonly Plan[]): Notice | null => {
  switch (one.name) {
    case 'subscribe':
      return { kind: 'welcome', data: { plan_title: titleOf(one.subscription.price_id, plans) } }
    case 'payment': {
      const { payment } = one
      if (!isPaid(payment) || payment.amount === 0 || payment.currency === null) return null
      const { amount, currency, invoice_url, paid_at, updated_at } = payment
      const renewed = member.subscriptions().find((s) => s.id === payment.subscription_id)
      return {
        kind: 'receipt',
        data: {
          title: titleOf(payment.price_id ?? renewed?.price_id ?? null, plans),
          amount,
          currency,
          provider: payment.provider,
          paid_at: paid_at ?? updated_at,
          invoice_url,
          renews_at: renewed?.cancel_at_period_end ? null : (renewed?.current_period_end ?? null),
        },
      }
    }
    case 'failed': {
      const { price_id, unit_amount, currency, quantity } = one.subscription
      if (currency === null) return null
      return {
        kind: 'payment-failed',
        data: {
          title: titleOf(price_id, plans),
          amount: (unit_amount ?? 0) * (quantity ?? 1),
          currency,
          provider: one.subscription.provider,
          access_until: price_id === null ? null : member.explain(price_id as never).until,
          pay_url: null,
        },
      }
    }
    case 'cancel': {
      const { provider, account, id, price_id, ended, current_period_end } = one.subscription
      return {
        kind: 'cancellation',
        about: { provider, account, id },
        data: {
          title: titleOf(price_id, plans),
          paid_until: ended ? null : (endsAt(one.subscription) ?? current_period_end),
          resume_url: null,
        },
      }
    }
    case 'change':
    case 'pause':
    case 'renew':
    case 'refunded':
    case 'access':
      return null
    default:
      throw new TypeError(`unhandled ${one satisfies never}`)
  }
}
