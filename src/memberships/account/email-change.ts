import { oneLine } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { loginRequired, unverified } from '../../core/http/route-access.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import {
  createAccountDoor,
  createCurrent,
  createSessionDoor,
  takeBackDays as days,
  dropEmailIdentities,
  type Invalidation,
  type Opening,
  type Sessions,
  type User,
} from '../members/index.ts'
import { type EmailChangeRow, emailStatements } from './email-statements.ts'
import type { SelfService } from './self-service.ts'

/** Dependencies of changing and restoring an address. */
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

/** The error for a used or expired link of an address change. */
export function spentLink(): MembershipError {
  return new MembershipError(
    'ERR_LINK',
    'This link is no longer good: it was used, is too old, or incomplete.',
    {
      action: 'Change your address again in your account.',
    },
  )
}

/** Dependencies of restoring an address. */
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

/** The mail to a replaced address. Its link is signed when the mail is written. */
export function oldAddressMessage({ id }: Pick<EmailChangeRow, 'id'>): Message {
  return {
    id: `email-changed:${id}`,
    lane: `email-changed:${id}`,
    kind: 'email-changed',
    payload: { change: id },
  }
}

export interface EmailUndo {
  /**
   * Finds the change that a link undoes.
   * @throws ERR_LINK
   */
  findOpen(token: string): Promise<EmailChangeRow & { email_from: string }>
  /**
   * Restores the address.
   * @throws ERR_LINK, ERR_FORM when another account has proved the address meanwhile
   */
  takeBack(token: string): Promise<{ email: string }>
  /**
   * Rescues an account whose member can log in nowhere. The address counts once a link sent there is opened. The
   * replaced address may be a thief's: it gets no mail, and no link undoes the rescue or an earlier change.
   * @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED
   */
  set(memberId: string, address: string): Promise<{ from: string | null; to: string }>
  readonly handlers: Handlers
}

/**
 * Restores an address that another person changed: the mail to the old address carries a link, valid once within seven
 * days. The link ends every session and every other link, including later restore links. A logout does not void it.
 */
export function createEmailUndo(deps: EmailUndoDeps): EmailUndo {
  const { storage, tokens, outbox, selfService, invalidation, findMember, now } = deps
  const statements = emailStatements(storage)
  const current = createCurrent(storage)
  const sessions = createSessionDoor(storage)
  const account = createAccountDoor(storage)
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

  const findOpen = async (token: string): Promise<EmailChangeRow & { email_from: string }> => {
    const change = await find((await tokens.verify('email-undo', token))?.change)
    if (!change || change.email_from === null || !isInTime(change)) throw spentLink()
    return { ...change, email_from: change.email_from }
  }

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
      first: [account.releaseEmail({ email: email_from, id: member_id, updated_at: at() })],
    })
    outbox.nudge()
    return { email: email_from }
  }

  const everythingEnds = (user: User): Step[] => [
    ...invalidation.all(user, at()),
    sessions.endAll(user.id, at()),
  ]

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
      ...current.steps(user.id, (write) => [write(statements.insert, change, 1)]),
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
  /** The mail to a proved old address, with the link that restores it. */
  readonly notifyOldAddress: (change: Pick<EmailChangeRow, 'id'>) => Message
  /** Messages that send the address to the providers. */
  readonly updateProviders: (user: User, data: { email: string }) => readonly Message[]
}

const minutes = 60

export interface EmailChanges {
  /**
   * Queues the mail to the new address and voids an earlier request.
   * @throws ERR_NO_MAIL, ERR_UNVERIFIED
   */
  ask(user: User, more: { from: string | null; to: string; isVerified: boolean }): Promise<void>
  /**
   * Finds the change that a link confirms, already confirmed or not.
   * @throws ERR_LINK
   */
  findOpen(token: string): Promise<EmailChangeRow>
  /** @throws ERR_LOGIN_REQUIRED unless a verified session of the member asks, or it is a correction */
  requireOwner(change: EmailChangeRow, asks: Asks): void
  /**
   * Confirms a change once, and reports success again while the account has the address. In one unit the link is used,
   * the address changes, the old address and the providers are notified, and earlier requests become void.
   * @throws ERR_LINK, ERR_FORM, ERR_LOGIN_REQUIRED
   */
  confirm(
    token: string,
    asks: Asks,
    open: (input: { memberId: string; verified: boolean }) => ReturnType<Sessions['opening']>,
  ): Promise<User>
  /** Deletes changes that can no longer be undone. */
  forgetOld(): Promise<void>
  readonly handlers: Handlers
}

/**
 * Changes an address once its owner opens the link sent to it, in a verified session of the member. The link alone is
 * not enough: a person who merely bought in the member's name could have requested it. A buyer who mistyped the address
 * has no verified session; they may correct it while the account holds nothing else. The same mail goes out whether the
 * address belongs to a member or not, so nobody learns who is a member.
 */
export function createEmailChanges(deps: EmailChangeDeps): EmailChanges {
  const { storage, tokens, outbox, selfService, invalidation, findMember, now } = deps
  const statements = emailStatements(storage)
  const current = createCurrent(storage)
  const sessions = createSessionDoor(storage)
  const at = () => now().toISOString()

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
    await current.commit(user.id, (write) => [
      ...invalidation.changes(user.id, at()),
      write(statements.insert, row, 1),
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

  const findOpen = async (token: string): Promise<EmailChangeRow> => {
    const change = await find((await tokens.verify('email-change', token))?.change)
    if (!change || change.void_at !== null || change.expires_at <= at()) throw spentLink()
    return change
  }

  const requireOwner = ({ correction, member_id }: EmailChangeRow, asks: Asks): void => {
    if (correction === 0 && !(asks.isVerified && asks.memberId === member_id)) throw loginRequired()
  }

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
      // Opening a correction's link is the first proof of the address, so it opens a session like a login link.
      opening = change.correction === 1 ? await open({ memberId: member_id, verified: true }) : null
      return [
        step(statements.confirm, { id, at: at() }, 1),
        ...invalidation.all(user, at()),
        ...(opening === null ? [] : [sessions.endAll(member_id, at()), ...opening.steps]),
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
    // The button was pressed twice.
    if (user?.email === email_to) return user
    throw spentLink()
  }

  const forgetOld = (): Promise<void> =>
    storage.commit([
      step(statements.forget, { before: new Date(now().getTime() - 9 * 86_400_000).toISOString() }),
    ])

  return { ask, findOpen, requireOwner, confirm, forgetOld, handlers }
}

/** The requesting member and session. */
export interface Asks {
  readonly memberId: string | null
  readonly isVerified: boolean
}

function isOpen({ confirmed_at, void_at, expires_at }: EmailChangeRow, at: string): boolean {
  return confirmed_at === null && void_at === null && expires_at > at
}

/** True for a buyer who may have mistyped: the account is unproved and holds that purchase alone. */
function mayCorrect(user: User): boolean {
  const paid = user.payments().filter(({ subscription_id }) => subscription_id === null)
  return !user.email_verified && user.subscriptions().length + paid.length <= 1 && user.grants().length === 0
}
