import { oneLine } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { loginRequired, unverified } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import {
  takeBackDays as days,
  dropEmailIdentities,
  type Invalidation,
  type Opening,
  type Sessions,
  type User,
} from '../members/index.ts'
import { memberStatements } from '../members/statements.ts'
import { type EmailChangeRow, emailStatements } from './email-statements.ts'
import type { SelfService } from './self-service.ts'

/** Dependencies of changing an address and of taking it back. */
export interface EmailDeps {
  readonly storage: Storage
  readonly tokens: Tokens
  readonly outbox: Outbox
  readonly selfService: SelfService
  readonly invalidation: Invalidation
  readonly findMember: (id: string) => Promise<User | null>
  readonly now: () => Date
  readonly randomId: () => string
}

/** A link of an address change that does nothing any more. */
export const spentLink = (): MembershipError =>
  new MembershipError('ERR_LINK', 'This link is no longer good: it was used, is too old, or incomplete.', {
    action: 'Change your address again in your account.',
  })

/** Dependencies of taking back an address. */
export interface EmailUndoDeps extends EmailDeps {
  /** Sends the link to the old address. */
  readonly sendUndo: (mail: {
    id: string
    to: string
    user: User
    token: string
    days: number
  }) => Promise<void>
  readonly updateProviders: (user: User, data: { email: string }) => readonly Message[]
}

/** The message that tells an old address; the link in it is signed when the mail is written. */
export const oldAddressMessage = ({ id }: Pick<EmailChangeRow, 'id'>): Message => ({
  id: `email-changed:${id}`,
  lane: `email-changed:${id}`,
  kind: 'email-changed',
  payload: { change: id },
})

/**
 * The way back for somebody whose address was changed by another: a link in the mail to the old address, for seven days,
 * once. It ends every session and every other link, later take-backs among them, and no logout takes it away.
 */
export const createEmailUndo = (deps: EmailUndoDeps) => {
  const { storage, tokens, outbox, selfService, invalidation, findMember, now } = deps
  const statements = emailStatements(storage)
  const members = memberStatements(storage)
  const dropHostLogins = dropEmailIdentities(storage)
  const at = () => now().toISOString()

  const find = async (id: unknown): Promise<EmailChangeRow | undefined> =>
    typeof id === 'string' ? (await storage.all(statements.find, { id }))[0] : undefined

  const isInTime = ({ correction, confirmed_at, void_at }: EmailChangeRow): boolean =>
    correction !== isRescue &&
    confirmed_at !== null &&
    void_at === null &&
    Date.parse(confirmed_at) + days * 86_400_000 > now().getTime()

  const handlers: Handlers = {
    'email-changed': async ({ id, payload }) => {
      const change = await find((payload as { change?: string }).change)
      const user = change && isInTime(change) ? await findMember(change.member_id) : null
      if (!change?.email_from || user === null) return
      const token = await tokens.sign('email-undo', { change: change.id }, days * 86_400)
      await deps.sendUndo({ id, to: change.email_from, user, token, days })
    },
  }

  /** The address that a link gives back. @throws ERR_LINK */
  const findOpen = async (token: string): Promise<EmailChangeRow & { email_from: string }> => {
    const change = await find((await tokens.verify('email-undo', token))?.change)
    if (!change || change.email_from === null || !isInTime(change)) throw spentLink()
    return { ...change, email_from: change.email_from }
  }

  /** Gives the address back. @throws ERR_LINK, ERR_FORM when another account has proved to own the address meanwhile */
  const takeBack = async (token: string): Promise<{ email: string }> => {
    const { member_id, email_from } = await findOpen(token)
    const also = async (): Promise<Step[]> => {
      const change = await findOpen(token)
      const user = await findMember(member_id)
      if (user === null) throw spentLink()
      return [
        step(statements.undo, { id: change.id, at: at() }, 1),
        step(statements.undoLater, { member_id, since: change.confirmed_at!, at: at() }),
        ...everythingEnds(user),
        ...outbox.steps(deps.updateProviders(user, { email: email_from })),
      ]
    }
    await selfService.changeEmail({
      memberId: member_id,
      email: email_from,
      isProved: true,
      also,
      first: [step(statements.release, { email: email_from, id: member_id, updated_at: at() })],
    })
    outbox.nudge()
    return { email: email_from }
  }

  const everythingEnds = (user: User): Step[] => [
    ...invalidation.all(user, at()),
    step(members.sessionsRevoke, { member_id: user.id, revoked_at: at() }),
  ]

  /** Rescues an account for somebody who can log in nowhere: the address counts once a link that is sent there is opened.
   *  The replaced address may be a thief's: it gets no mail, and no link takes the rescue or an earlier change back.
   *  @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED */
  const set = async (memberId: string, address: string): Promise<{ from: string | null; to: string }> => {
    const to = normalEmail(address)
    const user = await findMember(memberId)
    if (user === null) throw new MembershipError('ERR_NOT_FOUND', `There is no member ${memberId}.`)
    if (!isEmail(to))
      throw new MembershipError('ERR_FORM', `"${oneLine(address, 100)}" is no e-mail address.`)
    if (to === user.email)
      throw new MembershipError('ERR_ACTION_REFUSED', `The member ${memberId} has this address already.`, {
        reason: 'unchanged',
      })
    const change: EmailChangeRow = {
      id: deps.randomId(),
      member_id: memberId,
      email_from: user.email_verified ? user.email : null,
      email_to: to,
      correction: isRescue,
      created_at: at(),
      expires_at: at(),
      confirmed_at: at(),
      void_at: null,
    }
    const also = async (): Promise<Step[]> => [
      step(statements.undoLater, { member_id: user.id, since: '', at: at() }),
      step(statements.insert, change, 1),
      dropHostLogins(memberId),
      ...everythingEnds(user),
      ...outbox.steps(deps.updateProviders(user, { email: to })),
    ]
    await selfService.changeEmail({ memberId, email: to, isProved: false, from: user.email, also })
    outbox.nudge()
    return { from: user.email, to }
  }

  return { findOpen, takeBack, set, handlers }
}
const isRescue = 2

/** The way back from a change of address that was not the member's own. */
export type EmailUndo = ReturnType<typeof createEmailUndo>

export interface EmailChangeDeps extends EmailDeps {
  /** @throws ERR_NO_MAIL where nothing sends mails */
  readonly requireMails: () => void
  /** Sends the link to the new address. */
  readonly sendLink: (mail: {
    id: string
    to: string
    user: User
    token: string
    minutes: number
  }) => Promise<void>
  /** The message that tells an old address that was proved to be the member's, with the link that takes it back. */
  readonly notifyOldAddress: (change: Pick<EmailChangeRow, 'id'>) => Message
  /** The messages that tell the providers. */
  readonly updateProviders: (user: User, data: { email: string }) => readonly Message[]
}

const minutes = 60

/**
 * Another address counts when its owner has opened the link that was sent to it, in a verified session of the member: a
 * link alone could have been asked for by somebody who only bought in the member's name. Whoever mistyped at the purchase
 * has no such session; they may correct the address while the account holds nothing else. The same mail goes out whether
 * somebody has the address already or not, so nobody learns who is a member here.
 */
export const createEmailChanges = (deps: EmailChangeDeps) => {
  const { storage, tokens, outbox, selfService, invalidation, findMember, now } = deps
  const statements = emailStatements(storage)
  const members = memberStatements(storage)
  const at = () => now().toISOString()

  /** Queues the mail to the new address; an earlier wish ends. @throws ERR_NO_MAIL, ERR_UNVERIFIED */
  const ask = async (
    user: User,
    { from, to, isVerified }: { from: string | null; to: string; isVerified: boolean },
  ): Promise<void> => {
    deps.requireMails()
    if (!isVerified && !mayCorrect(user)) throw unverified()
    const id = deps.randomId()
    const row: EmailChangeRow = {
      id,
      member_id: user.id,
      email_from: from,
      email_to: to,
      correction: isVerified ? 0 : 1,
      created_at: at(),
      expires_at: new Date(now().getTime() + minutes * 60_000).toISOString(),
      confirmed_at: null,
      void_at: null,
    }
    const message = {
      id: `email-change:${id}`,
      lane: `email-change:${id}`,
      kind: 'email-change',
      payload: { change: id },
    }
    await storage.commit([
      ...invalidation.changes(user.id, at()),
      step(statements.insert, row, 1),
      ...outbox.steps([message]),
    ])
    outbox.nudge()
  }

  const handlers: Handlers = {
    'email-change': async ({ id, payload }) => {
      const change = await find((payload as { change?: string }).change)
      const user = change && isOpen(change, at()) ? await findMember(change.member_id) : null
      if (!change || user === null) return
      const token = await tokens.sign('email-change', { change: change.id }, minutes * 60)
      await deps.sendLink({ id, to: change.email_to, user, token, minutes })
    },
  }

  const find = async (id: unknown): Promise<EmailChangeRow | undefined> =>
    typeof id === 'string' ? (await storage.all(statements.find, { id }))[0] : undefined

  /** The change that a link confirms, confirmed already or not. @throws ERR_LINK */
  const findOpen = async (token: string): Promise<EmailChangeRow> => {
    const change = await find((await tokens.verify('email-change', token))?.change)
    if (!change || change.void_at !== null || change.expires_at <= at()) throw spentLink()
    return change
  }

  /** @throws ERR_LOGIN_REQUIRED unless a verified session of the member asks, or it is a correction */
  const requireOwner = ({ correction, member_id }: EmailChangeRow, asks: Asks): void => {
    if (correction === 0 && !(asks.isVerified && asks.memberId === member_id)) throw loginRequired()
  }

  /**
   * Works once, and says so as long as it is true: the account has another address then. One unit: the link is used, the
   * address changes, the old one and the providers are told, and what was asked for before is void; or nothing of it.
   * @throws ERR_LINK, ERR_FORM, ERR_LOGIN_REQUIRED
   */
  const confirm = async (
    token: string,
    asks: Asks,
    open: (input: { memberId: string; verified: boolean }) => ReturnType<Sessions['opening']>,
  ): Promise<User> => {
    const { id, member_id, email_to } = await findOpen(token)
    let opening: Opening | null = null
    const also = async (): Promise<Step[]> => {
      const change = await findOpen(token)
      requireOwner(change, asks)
      if (change.confirmed_at !== null) throw spentLink()
      const user = await findMember(member_id)
      if (user === null || (change.correction === 1 && !mayCorrect(user))) throw spentLink()
      // Opening the link of a correction is the first proof of an address: as with a login link, a session opens.
      opening = change.correction === 1 ? await open({ memberId: member_id, verified: true }) : null
      return [
        step(statements.confirm, { id, at: at() }, 1),
        ...invalidation.all(user, at()),
        ...(opening === null
          ? []
          : [step(members.sessionsRevoke, { member_id, revoked_at: at() }), ...opening.steps]),
        ...outbox.steps([
          ...(user.email_verified && change.email_from !== null ? [deps.notifyOldAddress(change)] : []),
          ...deps.updateProviders(user, { email: change.email_to }),
        ]),
      ]
    }
    const pressed = await findOpen(token)
    requireOwner(pressed, asks)
    if (pressed.confirmed_at === null) {
      const { email_from: from } = pressed
      await selfService.changeEmail({ memberId: member_id, email: email_to, isProved: true, from, also })
      ;(opening as Opening | null)?.show()
      outbox.nudge()
    }
    const user = await findMember(member_id)
    // Pressed twice.
    if (user?.email === email_to) return user
    throw spentLink()
  }

  /** Forgets changes whose time to be taken back is over. */
  const forgetOld = (): Promise<void> =>
    storage.commit([
      step(statements.forget, { before: new Date(now().getTime() - 9 * 86_400_000).toISOString() }),
    ])

  return { ask, findOpen, requireOwner, confirm, forgetOld, handlers }
}
export type EmailChanges = ReturnType<typeof createEmailChanges>

/** The member who asks, and the session. */
export interface Asks {
  readonly memberId: string | null
  readonly isVerified: boolean
}

const isOpen = ({ confirmed_at, void_at, expires_at }: EmailChangeRow, at: string): boolean =>
  confirmed_at === null && void_at === null && expires_at > at

/** Whoever mistyped at their purchase: the account is unproved, and holds that purchase alone. */
const mayCorrect = (user: User): boolean => {
  const paid = user.payments().filter(({ subscription_id }) => subscription_id === null)
  return !user.email_verified && user.subscriptions().length + paid.length <= 1 && user.grants().length === 0
}
