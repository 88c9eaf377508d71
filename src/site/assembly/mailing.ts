import type { WriteMoney } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Message } from '../../core/jobs/outbox.ts'
import { lazy } from '../../core/lazy.ts'
import { pagesOf, type Render } from '../../core/pages/index.ts'
import { type PageWords, planIn, titleIn } from '../../core/words/index.ts'
import type { MergeRequestMail } from '../../memberships/account/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import { createOrders } from '../../memberships/checkout/index.ts'
import type { SettledIntent } from '../../memberships/ledger/index.ts'
import {
  type About,
  checkoutMails,
  createCourtesy,
  createMails,
  createNotices,
  createSentMails,
  type LinkOf,
  type MailData,
  type MailKind,
  type Notices,
  type NoticesDeps,
  named,
} from '../../memberships/mails/index.ts'
import type { User } from '../../memberships/members/index.ts'
import type { Deadline, Declaration } from '../../memberships/shop/index.ts'
import type { SwitchNotice } from '../../memberships/switching/requests.ts'
import type { Unassigned } from '../../memberships/sync/unassigned.ts'
import type { EndedTrial } from '../../memberships/trials/index.ts'
import type { MembershipOptions } from '../options.ts'
import { createSiteAddress, type Environment } from './environment.ts'

export type Mailing = ReturnType<typeof createMailing>

interface MailingDeps {
  readonly environment: Environment
  readonly render: Render
  readonly words: Pick<PageWords, 'voiceFor'>
  readonly catalogue: Catalogue
  readonly money: WriteMoney
  readonly findMember: (id: string) => Promise<User | null>
  readonly linkOf: (linkId: string, siteUrl: string) => Promise<LinkOf | null>
  readonly wasEndedTrial: NoticesDeps['wasEndedTrial']
  readonly isSwitching: NoticesDeps['isSwitching']
  readonly findGrant: NoticesDeps['findGrant']
  readonly tokens: Tokens
  /** The token of our own page where a failed payment of a subscription can be made up for. */
  readonly payToken: (member: User, about: About) => Promise<string | null>
}

/** Mails, as far as the host says how they leave; and the address that their links lead to. @throws ERR_CONFIG */
export const createMailing = (deps: MailingDeps) => {
  const { options, config, isProduction, storage, now } = deps.environment
  if (options.mails && config.url === null && isProduction)
    throw new MembershipError('ERR_CONFIG', 'Mails need the public address of the site for their links.', {
      action: 'Set membership.url, such as https://example.com.',
    })
  const { siteUrl, noteAddress } = createSiteAddress(config)
  const courtesy = createCourtesy({ storage, tokens: deps.tokens, siteUrl, now })
  const sent = createSentMails({ storage, now })
  const notices = options.mails ? openNotices(deps, options.mails, { siteUrl, courtesy, sent }) : null
  return {
    ...{ notices, sent, courtesy, siteUrl, noteAddress },
    ...createMailMessages(notices),
    ...createAddressMails(notices, siteUrl),
  }
}

type MailsOption = NonNullable<MembershipOptions['mails']>

/** The mails themselves, in the words and at the addresses of this site. */
const openNotices = (
  deps: MailingDeps,
  given: MailsOption,
  { siteUrl, courtesy, sent }: Pick<NoticesDeps, 'courtesy' | 'sent'> & { siteUrl: () => string },
) => {
  const { config, storage, now } = deps.environment
  const voiceIn = (language: string | null) => deps.words.voiceFor([language, config.mails.language])
  const plans = () => deps.catalogue.all()
  return createNotices({
    mails: lazy(() => composed(deps, given, siteUrl())),
    transport: given.transport,
    kinds: new Set<MailKind>(config.mails.kinds),
    findMember: deps.findMember,
    linkOf: (id) => deps.linkOf(id, siteUrl()),
    wasEndedTrial: deps.wasEndedTrial,
    isSwitching: deps.isSwitching,
    plans,
    titleIn: (language, { prices, quantity }) => {
      const voice = voiceIn(language)
      const title = prices.map((price) => titleIn(voice, price, plans())).join(' + ')
      return quantity === null || quantity === 1 ? title : voice.say('price.many', { count: quantity, title })
    },
    planIn: (language, plan) => planIn(voiceIn(language), plan),
    accountUrl: () => `${siteUrl()}${given.accountPath ?? pagesOf(config.pages).account}`,
    payUrl: async (member, about) => {
      const token = await deps.payToken(member, about)
      return token === null ? null : `${siteUrl()}/membership/pay/${token}`
    },
    orderOf: createOrders({ storage, now }).orderOf,
    courtesy,
    findGrant: deps.findGrant,
    sent,
    now,
  })
}

/** The writer of mails; the site's name is its address's where nothing else is said. */
const composed = (
  { render, money, environment: { config, root } }: MailingDeps,
  given: MailsOption,
  url: string,
) =>
  createMails({
    render,
    root,
    site: { name: given.siteName ?? config.name ?? new URL(url).hostname, url },
    defaultLanguage: config.mails.language ?? config.language,
    money,
  })

/** The operator's address for mails, and the address where their links lead. */
export interface Operator {
  readonly to: string | null
  readonly siteUrl: string
}

/**
 * Messages that are queued for the happenings that services tell of; none where the site sends no mails, or not this
 * kind.
 */
export const createMailMessages = (notices: Notices | null) => {
  const needed = (): Notices => {
    if (notices) return notices
    throw new MembershipError('ERR_NO_MAIL', 'This site sends no mails, so nobody can log in by a link.', {
      action: 'Give mails: { transport } to createMembership, or connect your own login by identify.',
    })
  }

  /** To the member whose it is; to the address that paid, while it is nobody's. */
  const toBuyer = (
    { memberId, email }: { memberId: string | null; email: string | null },
    { id, kind, data }: { id: string; kind: MailKind; data: Record<string, unknown> },
  ): Message[] => {
    if (!notices?.sends(kind)) return []
    if (memberId !== null) return [notices.memberMessage(id, kind, { memberId, data })]
    return email === null
      ? []
      : [notices.directMessage(id, kind, { to: email, name: null, language: null, data })]
  }

  return {
    /** @throws ERR_NO_MAIL where nothing can be sent */
    requireMails: (): void => void needed(),
    /** The messages about access that was given by hand. */
    ofGrant: (memberId: string, grantId: string): Message[] =>
      notices?.grantMessages(memberId, grantId) ?? [],
    /** The receipt of a declaration, to the address that it names: its text is the same for every address. */
    ofDeclaration: (item: Declaration, language: string): Message[] => {
      const { id, email: to, kind, nature, received_at, name, contract, reason, ends_on } = item
      const data = { number: id, kind, nature, received_at, name, contract, reason, ends_on }
      return notices
        ? [notices.directMessage(`declaration:${id}`, 'declaration', { to, name: null, language, data })]
        : []
    },
    /** To whoever runs the site: something has to be answered by a day. */
    ofDeadline: (deadline: Deadline, name: string, { to, siteUrl }: Operator): Message | null =>
      notices === null || to === null
        ? null
        : notices.directMessage(`deadline:${name}`, 'operator-deadline', {
            ...{ to, name: null, language: null },
            data: {
              about: deadline.kind,
              number: deadline.id,
              due_on: deadline.due_on,
              url: `${siteUrl}/membership/office/deadlines`,
            },
          }),
    /** The messages about a checkout whose outcome became known. */
    ofCheckout: (settled: SettledIntent): Message[] => (notices ? checkoutMails(notices, settled) : []),
    /** The message to whoever paid what nobody says the purpose of. */
    ofUnassigned: ({ payment, memberId, email }: Unassigned): Message[] => {
      const { provider, account, amount, currency, paid_at, updated_at } = payment
      if (currency === null) return []
      const id = `payment-unassigned:${provider}:${account}:${payment.id}`
      const data = { amount, currency, provider, paid_at: paid_at ?? updated_at }
      return toBuyer({ memberId, email }, { id, kind: 'payment-unassigned', data })
    },
    /** The message to whoever began a second trial, which has ended. */
    ofTrial: ({ subscription, memberId, email }: EndedTrial): Message[] =>
      toBuyer(
        { memberId, email },
        {
          id: `trial-ended:${subscription.provider}:${subscription.id}`,
          kind: 'trial-ended',
          data: { title: named([subscription.price_id]) },
        },
      ),
    /** The message to a member whose membership ends here and goes on at another provider, or stays after all. */
    ofSwitch: ({ subscription, memberId, round, until, isSoldNow, isBack }: SwitchNotice): Message[] => {
      if (!notices?.sends('switching')) return []
      const { provider, account, id: at, price_id } = subscription
      const id = `switching:${provider}:${account}:${at}:${round}:${isBack ? 'back' : 'ends'}`
      const data = { title: named([price_id]), ends_at: until, isSoldNow, isBack }
      return [notices.memberMessage(id, 'switching', { memberId, data })]
    },
    /** The last mail to a member whose account is gone. */
    farewell: (member: {
      id: string
      email: string
      name: string | null
      language: string | null
    }): Message[] => {
      if (!notices?.sends('account-deleted')) return []
      const { id, email: to, name, language } = member
      return [
        notices.directMessage(`account-deleted:${id}`, 'account-deleted', { to, name, language, data: {} }),
      ]
    },
  }
}

/** The data of each mail: the message that it is sent for, its recipient, and the secret of its link. */
export interface LinkMail {
  readonly id: string
  readonly to: string
  readonly user: User
  readonly token: string
}

/** The mails whose link proves an address, or takes back what another address did. They are written where their message
 *  is delivered, so that no token lies in the queue. */
export const createAddressMails = (notices: Notices | null, siteUrl: () => string) => {
  const send = async <K extends MailKind>(
    kind: K,
    { id, to, user }: Omit<LinkMail, 'token'>,
    data: MailData[K],
  ): Promise<void> => {
    const { name, language } = user
    await notices?.send(id, kind, { to, name, language, data }, { memberId: user.id })
  }
  return {
    /** Sends the link that confirms another address. */
    sendAddressLink: async ({ token, minutes, ...mail }: LinkMail & { minutes: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email/${token}`
      await send('email-change', mail, { url, minutes })
    },
    /** Tells an old address that it counts no more, with the link that takes the change back. */
    sendUndoLink: async ({ token, days, ...mail }: LinkMail & { days: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email-undo/${token}`
      await send('email-changed', mail, { url, days })
    },
    /** Asks an address whether two accounts are to be one, or tells it that they are. */
    sendMergeMail: async (mail: MergeRequestMail): Promise<void> => {
      const { kind, token, minutes, email, otherEmail: other_email } = mail
      const page = kind === 'merged' ? 'merge-back' : 'merge'
      const url = `${siteUrl()}/membership/account/${page}/${token}`
      await send(kind, mail, { url, minutes, days: minutes / 1440, email, other_email })
    },
  }
}
