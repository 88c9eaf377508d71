import type { WriteMoney } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import { localUrl } from '../../core/http/forms.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Message } from '../../core/jobs/outbox.ts'
import { pagesOf, type Render } from '../../core/pages/index.ts'
import { type PageWords, planIn, titleIn } from '../../core/words/index.ts'
import type { WishMail } from '../../memberships/account/index.ts'
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
  type MailKind,
  type Mails,
  type NoticesDeps,
  named,
} from '../../memberships/mails/index.ts'
import type { User } from '../../memberships/members/index.ts'
import type { Unassigned } from '../../memberships/reconcile/unassigned.ts'
import type { Declaration } from '../../memberships/shop/index.ts'
import type { SwitchNews } from '../../memberships/switching/requests.ts'
import type { EndedTrial } from '../../memberships/trials/index.ts'
import type { Ground } from './ground.ts'

export type Mailing = ReturnType<typeof createMailing>

/** Mails, as far as the host says how they leave; and the address that their links lead to. */
export const createMailing = (deps: {
  ground: Ground
  render: Render
  words: Pick<PageWords, 'voiceFor'>
  catalogue: Catalogue
  money: WriteMoney
  findMember: (id: string) => Promise<User | null>
  linkOf: (linkId: string, siteUrl: string) => Promise<LinkOf | null>
  wasEndedTrial: NoticesDeps['wasEndedTrial']
  isSwitching: NoticesDeps['isSwitching']
  findGrant: NoticesDeps['findGrant']
  tokens: Tokens
  /** Where a failed payment of a subscription can be made up for on our own page. */
  payToken: (member: User, about: About) => Promise<string | null>
}) => {
  const { options, config, root, isProduction, storage, now } = deps.ground
  const { mails: given } = options
  if (given && config.url === null && isProduction)
    throw new MembershipError('ERR_CONFIG', 'Mails need the public address of the site for their links.', {
      action: 'Set membership.url, such as https://example.com.',
    })
  let seen: string | null = null
  const siteUrl = (): string => {
    const url = config.url ?? seen
    if (url !== null) return url
    throw new MembershipError(
      'ERR_CONFIG',
      'The address of the site is not known yet, so no link can be written.',
      {
        action: 'Set membership.url, such as https://example.com.',
      },
    )
  }
  let made: Mails | null = null
  const mails = (): Mails => {
    made ??= createMails({
      render: deps.render,
      root,
      site: { name: given?.siteName ?? config.name ?? new URL(siteUrl()).hostname, url: siteUrl() },
      defaultLanguage: config.mails.language ?? config.language,
      money: deps.money,
    })
    return made
  }
  const courtesy = createCourtesy({ storage, tokens: deps.tokens, siteUrl, now })
  const sent = createSentMails({ storage, now })
  const notices = given
    ? createNotices({
        mails,
        transport: given.transport,
        kinds: new Set<MailKind>(config.mails.kinds),
        findMember: deps.findMember,
        linkOf: (id) => deps.linkOf(id, siteUrl()),
        wasEndedTrial: deps.wasEndedTrial,
        isSwitching: deps.isSwitching,
        plans: () => deps.catalogue.all(),
        titleIn: (language, { prices, quantity }) => {
          const voice = deps.words.voiceFor([language, config.mails.language])
          const plans = deps.catalogue.all()
          const title = prices.map((price) => titleIn(voice, price, plans)).join(' + ')
          return quantity === null || quantity === 1
            ? title
            : voice.say('price.many', { count: quantity, title })
        },
        planIn: (language, plan) => planIn(deps.words.voiceFor([language, config.mails.language]), plan),
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
    : null

  return {
    notices,
    sent,
    courtesy,
    siteUrl,
    /** Where no address is configured, links lead to where this process listens; a request's Host header never decides. */
    noteAddress: (request: Parameters<typeof localUrl>[0]): void => {
      if (config.url === null && seen === null && request.socket?.localPort) seen = localUrl(request)
    },
    linkMessage: (linkId: string): Message => {
      requireNotices()
      return notices!.linkMessage(linkId)
    },
    /** The messages about access that was given by hand. */
    ofGrant: (memberId: string, grantId: string): Message[] =>
      notices?.grantMessages(memberId, grantId) ?? [],
    /** The receipt of a declaration, to the address that it names: its text is the same for every address. */
    ofDeclaration: (one: Declaration, language: string): Message[] => {
      const { id, email: to, kind, nature, received_at, name, contract, reason, ends_on } = one
      const data = { number: id, kind, nature, received_at, name, contract, reason, ends_on }
      return notices
        ? [notices.directMessage(`declaration:${id}`, 'declaration', { to, name: null, language, data })]
        : []
    },
    /** The messages about a checkout whose outcome became known. */
    ofCheckout: (settled: SettledIntent): Message[] => (notices ? checkoutMails(notices, settled) : []),
    /** The message to whoever paid what nobody says the purpose of. */
    ofUnassigned: ({ payment, memberId, email }: Unassigned): Message[] => {
      const { provider, account, amount, currency, paid_at, updated_at } = payment
      if (!notices?.sends('payment-unassigned') || currency === null) return []
      const id = `payment-unassigned:${provider}:${account}:${payment.id}`
      const data = { amount, currency, provider, paid_at: paid_at ?? updated_at }
      if (memberId !== null) return [notices.memberMessage(id, 'payment-unassigned', { memberId, data })]
      const to = { name: null, language: null, data }
      return email === null ? [] : [notices.directMessage(id, 'payment-unassigned', { to: email, ...to })]
    },
    /** The message to whoever began a second trial, which has ended. */
    ofTrial: ({ subscription, memberId, email }: EndedTrial): Message[] => {
      if (!notices?.sends('trial-ended')) return []
      const id = `trial-ended:${subscription.provider}:${subscription.id}`
      const data = { title: named([subscription.price_id]) }
      if (memberId !== null) return [notices.memberMessage(id, 'trial-ended', { memberId, data })]
      const to = { name: null, language: null, data }
      return email === null ? [] : [notices.directMessage(id, 'trial-ended', { to: email, ...to })]
    },
    /** The message to a member whose membership ends here and goes on at another provider, or stays after all. */
    ofSwitch: ({ subscription, memberId, round, until, isSoldNow, isBack }: SwitchNews): Message[] => {
      if (!notices?.sends('switching')) return []
      const { provider, account, id: at, price_id } = subscription
      const id = `switching:${provider}:${account}:${at}:${round}:${isBack ? 'back' : 'ends'}`
      const data = { title: named([price_id]), ends_at: until, isSoldNow, isBack }
      return [notices.memberMessage(id, 'switching', { memberId, data })]
    },
    requireMails: (): void => requireNotices(),
    /** Sends the link that confirms another address. */
    sendAddressLink: async (mail: {
      id: string
      to: string
      user: User
      token: string
      minutes: number
    }): Promise<void> => {
      const { id, to, user, token, minutes } = mail
      const { name, language } = user
      const url = `${siteUrl()}/membership/account/email/${token}`
      await notices?.send(
        id,
        'email-change',
        { to, name, language, data: { url, minutes } },
        { memberId: user.id },
      )
    },
    /** Tells an old address that it counts no more, with the link that takes the change back. */
    sendUndoLink: async (mail: {
      id: string
      to: string
      user: User
      token: string
      days: number
    }): Promise<void> => {
      const { id, to, user, token, days } = mail
      const { name, language } = user
      const url = `${siteUrl()}/membership/account/email-undo/${token}`
      await notices?.send(
        id,
        'email-changed',
        { to, name, language, data: { url, days } },
        { memberId: user.id },
      )
    },
    /** Asks an address whether two accounts are to be one, or tells it that they are. */
    sendMergeMail: async ({
      id,
      kind,
      to,
      user,
      token,
      minutes,
      email,
      otherEmail: other_email,
    }: WishMail): Promise<void> => {
      const { name, language } = user
      const page = kind === 'merged' ? 'merge-back' : 'merge'
      const url = `${siteUrl()}/membership/account/${page}/${token}`
      const days = minutes / 1440
      const data = { url, minutes, days, email, other_email }
      await notices?.send(id, kind, { to, name, language, data }, { memberId: user.id })
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

  function requireNotices(): void {
    if (notices) return
    throw new MembershipError('ERR_NO_MAIL', 'This site sends no mails, so nobody can log in by a link.', {
      action: 'Give mails: { transport } to createMembership, or connect your own login by identify.',
    })
  }
}
