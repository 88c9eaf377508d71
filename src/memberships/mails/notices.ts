import { type Plan, titleOf } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import type { Consumer } from '../hooks/index.ts'
import type { User } from '../members/index.ts'
import { isRefreshed, type KindNotice, noticesOf, refreshed } from './change-mails.ts'
import type { Mails, Recipient } from './compose.ts'
import type { OrderedData } from './data.ts'
import { kinds } from './kinds/index.ts'
import type { MailData, MailKind, Transport } from './mail.ts'
import { type Named, titled } from './named.ts'
import type { SentMails } from './sent-statements.ts'
import type { About, Bought } from './subjects.ts'

/** A mail whose recipient is determined when it is written. */
export interface LinkOf {
  readonly email: string
  readonly user: User | null
  readonly url: string
  readonly minutes: number
}

export interface NoticesDeps {
  /** Created with the site's address; throws while that is unknown. */
  readonly mails: () => Mails
  readonly transport: Transport
  /** The kinds to send. A login link is always sent. */
  readonly kinds: ReadonlySet<MailKind>
  readonly findMember: (id: string) => Promise<User | null>
  readonly linkOf: (linkId: string) => Promise<LinkOf | null>
  /** True for a second trial that this package ended. It gets a mail of its own. */
  readonly wasEndedTrial: (subscription: About) => Promise<boolean>
  /** True for a subscription that a provider switch ended. It gets a mail of its own. */
  readonly isSwitching: (subscription: About) => Promise<boolean>
  /** True for a subscription that continues because a provider switch was undone. It gets a mail of its own. */
  readonly wasTakenBack: (subscription: About) => Promise<boolean>
  /** True for a subscription that waits for the member's gift. Its pause closes nothing. */
  readonly isPutOff: (memberId: string, subscription: About) => Promise<boolean>
  readonly plans: () => readonly Plan[]
  /** The title of a purchase in a language; null for the default language. */
  readonly titleIn: (language: string | null, item: Named) => string
  readonly planIn: (language: string | null, plan: Plan) => Plan
  readonly accountUrl: () => string
  /** The page that pays a failed payment without a login; null where the provider has none. */
  readonly payUrl: (member: User, about: About) => Promise<string | null>
  /** The member's order, as its page showed it. */
  readonly orderOf: (memberId: string, bought: Bought) => Promise<OrderedData | null>
  readonly courtesy: Courtesy
  readonly findGrant: (id: string) => Promise<GivenAccess | null>
  readonly sent: Pick<SentMails, 'note'>
  readonly now: () => Date
}

/** Optional mails. Each links to the page that turns them off, and is not sent to members who did. */
export interface Courtesy {
  readonly isOff: (memberId: string) => Promise<boolean>
  readonly urlOf: (memberId: string) => Promise<string>
}

/** The current state of access given by hand. */
interface GivenAccess {
  readonly gate: string
  readonly starts_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

/** Mails about a member's changes: queued together with the change, written when they are sent. */
export function createNotices(deps: NoticesDeps) {
  const { transport, plans, accountUrl, courtesy, now } = deps

  const consumer: Consumer = (changes) =>
    changes.domainEvents
      .flatMap((item) => noticesOf(item, changes, plans(), now()))
      .filter(({ kind }) => deps.kinds.has(kind))
      .map(({ key, ...notice }) => ({
        id: `mail:${key}`,
        lane: `mail:${changes.member.id}`,
        kind: 'mail',
        payload: { ...notice, key, member_id: changes.member.id },
      }))

  /** Builds the message about access given by hand. */
  const grantMessages = (memberId: string, grantId: string): Message[] =>
    deps.kinds.has('granted')
      ? [memberMessage(`granted:${grantId}`, 'granted', { memberId, data: { grant: grantId } })]
      : []

  /** Builds the message for a mail with a fixed address: a login link for an unknown address, or a farewell. */
  const directMessage = (id: string, kind: MailKind, recipient: Direct): Message => ({
    id: `mail:${id}`,
    lane: `mail:${id}`,
    kind: 'direct-mail',
    payload: { kind, recipient },
  })

  /** Builds the message for a mail to a member, written when it is sent. */
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
      const notice = payload as KindNotice & { member_id: string }
      const { member_id, kind, about } = notice
      if (kind === 'cancellation' && about && (await isSaidElsewhere(about))) return
      if (kind === 'changed' && about && notice.data.is === 'kept' && (await isKeptBySwitch(about))) return
      const member = await deps.findMember(member_id)
      if (!member?.email) return
      const ordered = notice.bought === undefined ? null : await deps.orderOf(member.id, notice.bought)
      // A mail that confirms an order is never optional.
      const isCourtesy = kinds[kind].isCourtesy && ordered === null
      if (isCourtesy && (await courtesy.isOff(member.id))) return
      const headers = isCourtesy ? unsubscribing(await courtesy.urlOf(member.id)) : {}
      const isPutOff = notice.data.is === 'paused' && about && (await deps.isPutOff(member_id, about))
      const data = await dataOf(
        isPutOff ? Object.assign({}, notice, { data: { is: 'put_off' } }) : notice,
        member,
      )
      if (data === null) return
      const { email: to, name, language } = member
      const whole = { ...data, ordered, ...(needsAccount(kind) ? { account_url: accountUrl() } : {}) }
      await send(
        id,
        kind,
        { to, name, language, data: whole as MailData[typeof kind] },
        { headers, memberId: member.id },
      )
    },
    'link-mail': async ({ id, payload }) => {
      const { link_id, language: asked = null } = payload as { link_id: string; language?: string | null }
      const link = await deps.linkOf(link_id)
      // The address belongs to nobody. The mail was queued all the same, so that every request takes the same time.
      if (link === null) return
      const { email: to, user, url, minutes } = link
      const data = { url, minutes, isSignup: user === null }
      // A person without an account gets the language of the page they used.
      const { name = null } = user ?? {}
      const language = user?.language ?? asked
      await send(id, 'magic-link', { to, name, language, data }, { memberId: user?.id })
    },
  }

  const isSaidElsewhere = async (about: About): Promise<boolean> =>
    (deps.kinds.has('trial-ended') && (await deps.wasEndedTrial(about))) ||
    (deps.kinds.has('switching') && (await deps.isSwitching(about)))

  const isKeptBySwitch = async (about: About): Promise<boolean> =>
    deps.kinds.has('switching') && ((await deps.isSwitching(about)) || (await deps.wasTakenBack(about)))

  /** Reads a mail's changeable data just before sending; null where the event no longer holds. */
  const dataOf = async (notice: KindNotice, member: User): Promise<object | null> => {
    const { kind, about, data } = notice
    if (kind === 'granted') return grantedAsSent(await deps.findGrant(String(data.grant)), member)
    // Data queued by an older version is complete.
    if (!isRefreshed(kind) || about === undefined) return data
    const found = refreshed(notice, member, { plans: plans(), now: now() })
    if (found === null || (kind !== 'payment-failed' && kind !== 'access-ending')) return found
    return { ...found, pay_url: await deps.payUrl(member, about) }
  }

  const grantedAsSent = (
    grant: GivenAccess | null,
    { language }: User,
  ): Omit<MailData['granted'], 'account_url'> | null => {
    const moment = now().toISOString()
    if (grant === null || grant.revoked_at !== null) return null
    if (grant.expires_at !== null && grant.expires_at <= moment) return null
    const plan = plans().find(({ id }) => id === grant.gate)
    const isLater = grant.starts_at !== null && grant.starts_at > moment
    return {
      title: plan === undefined ? titleOf(grant.gate, plans()) : deps.planIn(language, plan).name,
      from: isLater ? grant.starts_at : null,
      until: grant.expires_at,
    }
  }

  /** Sends a mail. Returns false for an address that no mail can reach. */
  const deliver = async <K extends MailKind>(
    id: string,
    kind: K,
    recipient: Recipient<K>,
    {
      headers = {},
      memberId,
    }: { headers?: Readonly<Record<string, string>>; memberId?: string | undefined } = {},
  ): Promise<boolean> => {
    const mails = deps.mails()
    try {
      const { language = null, data } = recipient
      const sent = titled(data as Record<string, unknown>, (item) => deps.titleIn(language, item))
      const mail = mails.compose(kind, { ...recipient, data: sent as unknown as MailData[K] })
      await transport({ ...mail, headers, id })
    } catch (error) {
      // Another try cannot repair an invalid address.
      if (error instanceof MembershipError && error.code === 'ERR_FORM') return false
      throw error
    }
    if (memberId !== undefined) await deps.sent.note({ id, memberId, kind })
    return true
  }

  const send = async <K extends MailKind>(...mail: Parameters<typeof deliver<K>>): Promise<void> => {
    await deliver(...mail)
  }

  return {
    consumer,
    handlers,
    directMessage,
    memberMessage,
    grantMessages,
    sends: (kind: MailKind) => deps.kinds.has(kind),
    send,
    deliver,
  }
}
export type Notices = ReturnType<typeof createNotices>

/** A recipient known before the mail is written. */
export interface Direct {
  readonly to: string
  readonly name: string | null
  readonly language: string | null
  readonly data: Readonly<Record<string, unknown>>
}

function needsAccount(kind: MailKind): boolean {
  return kinds[kind].linksToAccount
}

/**
 * Lets the reader or the mail program unsubscribe with one click and no login: https://www.rfc-editor.org/rfc/rfc8058
 */
function unsubscribing(url: string): Record<string, string> {
  return {
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
}

/** Builds the message that sends a link's mail. `language` is used for members without a stored one. */
export function linkMessage(linkId: string, language: string | null = null): Message {
  return {
    id: `mail:link:${linkId}`,
    lane: `mail:link:${linkId}`,
    kind: 'link-mail',
    payload: { link_id: linkId, language },
  }
}
