import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Handlers, Message } from '../../core/jobs/outbox.ts'
import { type Step, step } from '../../core/storage/index.ts'
import { takeBackDays as days, dropEmailIdentities, type User } from '../members/index.ts'
import { memberStatements } from '../members/statements.ts'
import { type EmailDeps, spentLink } from './email-link.ts'
import { type EmailChangeRow, emailStatements } from './email-statements.ts'

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
  readonly tellProviders: (user: User, data: { email: string }) => readonly Message[]
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
  const { storage, tokens, outbox, selfService, voiding, findMember, now } = deps
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
  const look = async (token: string): Promise<EmailChangeRow & { email_from: string }> => {
    const change = await find((await tokens.verify('email-undo', token))?.change)
    if (!change || change.email_from === null || !isInTime(change)) throw spentLink()
    return { ...change, email_from: change.email_from }
  }

  /** Gives the address back. @throws ERR_LINK, ERR_FORM when another account has proved to own the address meanwhile */
  const takeBack = async (token: string): Promise<{ email: string }> => {
    const { member_id, email_from } = await look(token)
    const also = async (): Promise<Step[]> => {
      const change = await look(token)
      const user = await findMember(member_id)
      if (user === null) throw spentLink()
      return [
        step(statements.undo, { id: change.id, at: at() }, 1),
        step(statements.undoLater, { member_id, since: change.confirmed_at!, at: at() }),
        ...everythingEnds(user),
        ...outbox.steps(deps.tellProviders(user, { email: email_from })),
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
    ...voiding.all(user, at()),
    step(members.sessionsRevoke, { member_id: user.id, revoked_at: at() }),
  ]

  /** Rescues an account for somebody who can log in nowhere: the address counts once a link that is sent there is opened.
   *  The replaced address may be a thief's: it gets no mail, and no link takes the rescue or an earlier change back.
   *  @throws ERR_NOT_FOUND, ERR_FORM */
  const set = async (memberId: string, address: string): Promise<{ from: string | null; to: string }> => {
    const to = normalEmail(address)
    const user = await findMember(memberId)
    if (user === null) throw new MembershipError('ERR_NOT_FOUND', `There is no member ${memberId}.`)
    if (!isEmail(to) || to === user.email)
      throw new MembershipError('ERR_FORM', `The member ${memberId} has this address already, or it is none.`)
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
      ...outbox.steps(deps.tellProviders(user, { email: to })),
    ]
    await selfService.changeEmail({ memberId, email: to, isProved: false, from: user.email, also })
    outbox.nudge()
    return { from: user.email, to }
  }

  return { look, takeBack, set, handlers }
}
const isRescue = 2

/** The way back from a change of address that was not the member's own. */
export type EmailUndo = ReturnType<typeof createEmailUndo>
