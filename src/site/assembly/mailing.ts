import { MembershipError } from '../../core/errors.ts'
import type { Message } from '../../core/jobs/outbox.ts'
import { lazy } from '../../core/lazy.ts'
import { pagesOf } from '../../core/pages/index.ts'
import { type Languages, planIn, titleIn } from '../../core/words/index.ts'
import type { MergeRequestMail } from '../../memberships/account/index.ts'
import { createOrders } from '../../memberships/checkout/index.ts'
import { createGiftMails, type GiftMailsDeps } from '../../memberships/gifts/index.ts'
import { createGroupMails, type GroupMailsDeps } from '../../memberships/groups/index.ts'
import type { SettledIntent } from '../../memberships/ledger/index.ts'
import {
  type About,
  checkoutMails,
  createCourtesy,
  createMails,
  createNotices,
  createSentMails,
  type LinkOf,
  loadMailTexts,
  type MailData,
  type MailKind,
  type Notices,
  type NoticesDeps,
  named,
  type StoreCharge,
} from '../../memberships/mails/index.ts'
import type { User, Users } from '../../memberships/members/index.ts'
import { createRaiseMails, type RaiseMailsDeps } from '../../memberships/raises/index.ts'
import type { Deadline, Declaration } from '../../memberships/shop/index.ts'
import type { SwitchedMembers, SwitchNotice } from '../../memberships/switching/index.ts'
import type { Unassigned } from '../../memberships/sync/index.ts'
import type { EndedTrial, Trials } from '../../memberships/trials/index.ts'
import type { MembershipOptions } from '../options.ts'
import { createSiteAddress, type Environment, type Foundation } from './environment.ts'
import { createSaleAt } from './sale.ts'

export type Mailing = ReturnType<typeof createMailing>

interface MailingDeps {
  readonly environment: Environment
  readonly foundation: Foundation
  readonly users: Pick<Users, 'findById' | 'findGrant'>
  readonly trials: Pick<Trials, 'wasEnded'>
  readonly switchedMembers: Pick<SwitchedMembers, 'isSwitching' | 'wasTakenBack'>
  readonly linkOf: (linkId: string, siteUrl: string) => Promise<LinkOf | null>
  readonly isPutOff: NoticesDeps['isPutOff']
  /** Token of our own page where a member can pay the failed payment of a subscription. */
  readonly payToken: (member: User, about: About) => Promise<string | null>
}

/**
 * Builds the mails, if the host has configured a transport, and the base address of their links.
 * @throws ERR_CONFIG
 */
export function createMailing(deps: MailingDeps) {
  const { options, config, isProduction, storage, now } = deps.environment
  if (options.mails && config.url === null && isProduction)
    throw new MembershipError('ERR_CONFIG', 'Mails need the public address of the site for their links.', {
      action: 'Set membership.url, such as https://example.com.',
    })
  const { siteUrl, noteAddress } = createSiteAddress(config, deps.environment.addresses)
  const courtesy = createCourtesy({ storage, tokens: deps.foundation.tokens, siteUrl, now })
  const sent = createSentMails({ storage, now })
  const notices = options.mails ? openNotices(deps, options.mails, { siteUrl, courtesy, sent }) : null
  return {
    notices,
    sent,
    courtesy,
    siteUrl,
    noteAddress,
    ...createMailMessages(notices),
    ...createAddressMails(notices, siteUrl),
    /** The handlers that write mails about groups. */
    groupHandlers: (of: Pick<GroupMailsDeps, 'tokens' | 'users' | 'groups'>) =>
      createGroupMails({
        storage,
        notices,
        siteUrl,
        ...of,
        titleOf: planTitles(deps),
        accountUrl: () => accountUrlOf(deps, siteUrl()),
      }),
    /** The handlers that write mails about price raises. */
    raiseHandlers: (of: Pick<RaiseMailsDeps, 'raises' | 'tokens'>) =>
      createRaiseMails({
        notices,
        siteUrl,
        now,
        ...of,
        titleOf: (language, price, quantity) =>
          titleIn(
            deps.foundation.words.voiceFor([language, config.mails.language]),
            price,
            deps.foundation.catalogue.all(),
            quantity,
          ),
        accountUrl: () => accountUrlOf(deps, siteUrl()),
      }),
    /** The handlers that write mails about gifts. */
    giftHandlers: (of: Pick<GiftMailsDeps, 'codes' | 'users'>) =>
      createGiftMails({
        storage,
        notices,
        kinds: new Set(config.mails.kinds),
        siteUrl,
        now,
        ...of,
        titleOf: planTitles(deps),
        accountUrl: () => accountUrlOf(deps, siteUrl()),
      }),
  }
}

/** The page of a member's account, as the links of mails have it. */
function accountUrlOf(
  { environment: { options, config, addresses } }: Pick<MailingDeps, 'environment'>,
  siteUrl: string,
): string {
  return addresses.full(siteUrl, options.mails?.accountPath ?? pagesOf(config.pages).account)
}

/** Writes the name of a plan in a language. */
function planTitles({ foundation: { words, catalogue }, environment: { config } }: MailingDeps) {
  return (language: string | null, id: string): string => {
    const plan = catalogue.all().find((known) => known.id === id)
    return plan === undefined ? id : planIn(words.voiceFor([language, config.mails.language]), plan).name
  }
}

type MailsOption = NonNullable<MembershipOptions['mails']>

/** Builds the mails with this site's texts and addresses. */
function openNotices(
  deps: MailingDeps,
  given: MailsOption,
  { siteUrl, courtesy, sent }: Pick<NoticesDeps, 'courtesy' | 'sent'> & { siteUrl: () => string },
) {
  const { config, storage, now, root } = deps.environment
  const voiceIn = (language: string | null) =>
    deps.foundation.words.voiceFor([language, config.mails.language])
  const plans = () => deps.foundation.catalogue.all()
  // The site's own texts are read now, because a mistake in them belongs to the start and not to the first mail.
  const languages = loadMailTexts(root, config.mails.language ?? config.language)
  return createNotices({
    mails: lazy(() => composed(deps, given, { languages, url: siteUrl() })),
    transport: given.transport,
    kinds: new Set<MailKind>(config.mails.kinds),
    findMember: deps.users.findById,
    linkOf: (id) => deps.linkOf(id, siteUrl()),
    wasEndedTrial: deps.trials.wasEnded,
    isSwitching: deps.switchedMembers.isSwitching,
    wasTakenBack: deps.switchedMembers.wasTakenBack,
    isPutOff: deps.isPutOff,
    plans,
    titleIn: (language, { prices, quantity }) => {
      const voice = voiceIn(language)
      const title = prices.map((price) => titleIn(voice, price, plans())).join(' + ')
      return quantity === null || quantity === 1 ? title : voice.say('price.many', { count: quantity, title })
    },
    planIn: (language, plan) => planIn(voiceIn(language), plan),
    accountUrl: () => accountUrlOf(deps, siteUrl()),
    payUrl: async (member, about) => {
      const token = await deps.payToken(member, about)
      return token === null ? null : `${siteUrl()}/membership/pay/${token}`
    },
    orderOf: createOrders({ storage, now }).orderOf,
    courtesy,
    findGrant: deps.users.findGrant,
    sent,
    now,
  })
}

/** Builds the mail writer. Without a configured name, the site is called by its host name. */
function composed(
  { foundation: { render, money, providers }, environment: { config } }: MailingDeps,
  given: MailsOption,
  { languages, url }: { languages: Languages; url: string },
) {
  const site = given.siteName ?? config.name ?? new URL(url).hostname
  return createMails({
    render,
    languages,
    money,
    saleAt: createSaleAt({ config, providers, site }),
    site: { name: site, url },
  })
}

/** Operator's e-mail address, and the base address of links in mails to the operator. */
export interface Operator {
  readonly to: string | null
  readonly siteUrl: string
}

/**
 * Builds the messages that domain events queue. There are none if the site sends no mails, or not of this
 * kind.
 */
export function createMailMessages(notices: Notices | null) {
  const needed = (): Notices => {
    if (notices) return notices
    throw new MembershipError('ERR_NO_MAIL', 'This site sends no mails, so nobody can log in with a link.', {
      action: 'Give mails: { transport } to createMembership, or connect your own login by identify.',
    })
  }

  /** Addresses the message to the owner, or to the address that paid while the purchase has no owner. */
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
    /** @throws ERR_NO_MAIL when the site cannot send mails */
    requireMails: (): void => void needed(),
    /** Messages about access that an operator granted. */
    ofGrant: (memberId: string, grantId: string): Message[] =>
      notices?.grantMessages(memberId, grantId) ?? [],
    /** Acknowledgement of a declaration, sent to the address in it. The text is the same for every address. */
    ofDeclaration: (item: Declaration, language: string): Message[] => {
      const { id, email: to, kind, nature, received_at, name, contract, reason, ends_on } = item
      const data = { number: id, kind, nature, received_at, name, contract, reason, ends_on }
      return notices
        ? [notices.directMessage(`declaration:${id}`, 'declaration', { to, name: null, language, data })]
        : []
    },
    /** Reminds the operator that something must be answered by a certain day. */
    ofDeadline: (deadline: Deadline, name: string, { to, siteUrl }: Operator): Message | null =>
      notices === null || to === null
        ? null
        : notices.directMessage(`deadline:${name}`, 'operator-deadline', {
            to,
            name: null,
            language: null,
            data: {
              about: deadline.kind,
              number: deadline.id,
              due_on: deadline.due_on,
              url: `${siteUrl}/membership/office/deadlines`,
            },
          }),
    /** Messages about a checkout whose outcome became known. */
    ofCheckout: (settled: SettledIntent): Message[] => (notices ? checkoutMails(notices, settled) : []),
    /** Message to the buyer of a payment whose purpose is unknown. */
    ofUnassigned: ({ payment, memberId, email }: Unassigned): Message[] => {
      const { provider, account, amount, currency, paid_at, updated_at } = payment
      if (currency === null) return []
      const id = `payment-unassigned:${provider}:${account}:${payment.id}`
      const data = { amount, currency, provider, paid_at: paid_at ?? updated_at }
      return toBuyer({ memberId, email }, { id, kind: 'payment-unassigned', data })
    },
    /** Message to a member who began a second trial, which was therefore ended. */
    ofTrial: ({ subscription, memberId, email }: EndedTrial): Message[] =>
      toBuyer(
        { memberId, email },
        {
          id: `trial-ended:${subscription.provider}:${subscription.id}`,
          kind: 'trial-ended',
          data: { title: named([subscription.price_id]) },
        },
      ),
    /**
     * Message to a member about a switch of provider: the subscription ends here and continues there, or
     * stays after all.
     */
    ofSwitch: ({ subscription, memberId, round, until, isSoldNow, isBack }: SwitchNotice): Message[] => {
      if (!notices?.sends('switching')) return []
      const { provider, account, id: at, price_id } = subscription
      const id = `switching:${provider}:${account}:${at}:${round}:${isBack ? 'back' : 'ends'}`
      const data = { title: named([price_id]), ends_at: until, isSoldNow, isBack }
      return [notices.memberMessage(id, 'switching', { memberId, data })]
    },
    /** Last mail to a member whose account was deleted. */
    farewell: (
      member: {
        id: string
        email: string
        name: string | null
        language: string | null
      },
      stores: readonly StoreCharge[] = [],
    ): Message[] => {
      if (!notices?.sends('account-deleted')) return []
      const { id, email: to, name, language } = member
      return [
        notices.directMessage(`account-deleted:${id}`, 'account-deleted', {
          to,
          name,
          language,
          data: { stores },
        }),
      ]
    },
  }
}

/** Data of a mail with a link: its message, its recipient, and the secret in the link. */
export interface LinkMail {
  readonly id: string
  readonly to: string
  readonly user: User
  readonly token: string
}

/**
 * Builds mails whose link proves an address, or undoes a change that came from another address. They are
 * written at delivery, so that the queue contains no token.
 */
export function createAddressMails(notices: Notices | null, siteUrl: () => string) {
  const send = async <K extends MailKind>(
    kind: K,
    { id, to, user }: Omit<LinkMail, 'token'>,
    data: MailData[K],
  ): Promise<void> => {
    const { name, language } = user
    await notices?.send(id, kind, { to, name, language, data }, { memberId: user.id })
  }
  return {
    /** Sends the link that confirms a new address. */
    sendAddressLink: async ({ token, minutes, ...mail }: LinkMail & { minutes: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email/${token}`
      await send('email-change', mail, { url, minutes })
    },
    /** Tells the old address that it was replaced, with a link that undoes the change. */
    sendUndoLink: async ({ token, days, ...mail }: LinkMail & { days: number }): Promise<void> => {
      const url = `${siteUrl()}/membership/account/email-undo/${token}`
      await send('email-changed', mail, { url, days })
    },
    /** Asks an address to confirm the merge of two accounts, or confirms that they were merged. */
    sendMergeMail: async (mail: MergeRequestMail): Promise<void> => {
      const { kind, token, minutes, email, otherEmail: other_email } = mail
      const page = kind === 'merged' ? 'merge-back' : 'merge'
      const url = `${siteUrl()}/membership/account/${page}/${token}`
      await send(kind, mail, { url, minutes, days: minutes / 1440, email, other_email })
    },
  }
}
