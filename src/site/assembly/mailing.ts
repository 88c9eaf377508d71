import type { WriteMoney } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { lazy } from '../../core/lazy.ts'
import { pagesOf, type Render } from '../../core/pages/index.ts'
import { type PageWords, planIn, titleIn } from '../../core/words/index.ts'
import type { Catalogue } from '../../memberships/catalogue/index.ts'
import { createOrders } from '../../memberships/checkout/index.ts'
import {
  type About,
  createCourtesy,
  createMails,
  createNotices,
  createSentMails,
  type LinkOf,
  type MailKind,
  type NoticesDeps,
} from '../../memberships/mails/index.ts'
import type { User } from '../../memberships/members/index.ts'
import type { MembershipOptions } from '../options.ts'
import { createAddressMails } from './address-mails.ts'
import type { Ground } from './ground.ts'
import { createMailMessages } from './mail-messages.ts'
import { createSiteAddress } from './site-address.ts'

export type Mailing = ReturnType<typeof createMailing>

interface MailingDeps {
  readonly ground: Ground
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
  /** Where a failed payment of a subscription can be made up for on our own page. */
  readonly payToken: (member: User, about: About) => Promise<string | null>
}

/** Mails, as far as the host says how they leave; and the address that their links lead to. @throws ERR_CONFIG */
export const createMailing = (deps: MailingDeps) => {
  const { options, config, isProduction, storage, now } = deps.ground
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
  const { config, storage, now } = deps.ground
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

/** What writes a mail; the site's name is its address's where nothing else is said. */
const composed = (
  { render, money, ground: { config, root } }: MailingDeps,
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
