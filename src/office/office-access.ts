import type { Context } from 'koa'
import { MembershipError } from '../core/errors.ts'
import { type Storage, step } from '../core/storage/index.ts'
import type { Sessions, User } from '../memberships/members/index.ts'
import type { OperatorStatements } from './operator-statements.ts'
import type { Role } from './operators.ts'

/** An operator whom the site's own login vouches for, instead of our login and its second factor. */
export interface Vouched {
  /** The name in the log. */
  readonly name: string
  readonly role: Role
}

/** A person inside the office. */
export interface Insider {
  readonly name: string
  readonly role: Role
  readonly language: string | null
  /** True if the host's login let them in, and logs them out. */
  readonly isVouched: boolean
}

/** How far a visitor has got on the way into the office. */
export type Arrival =
  | { readonly at: 'outside' }
  | { readonly at: 'stranger' }
  | { readonly at: 'enrolment' | 'door'; readonly email: string; readonly sessionId: string }
  | { readonly at: 'inside'; readonly who: Insider }

export interface OfficeAccess {
  arrival(ctx: Context): Promise<Arrival>
  /** Marks the session as inside. */
  open(input: { email: string; sessionId: string }): Promise<void>
  leave(ctx: Context): Promise<void>
}

/** Decides who enters the office: by our verified login with a second factor, or by the host's login. */
export function createOfficeAccess(deps: {
  storage: Storage
  statements: OperatorStatements
  sessions: Pick<Sessions, 'idOf' | 'byId'>
  findMember: (id: string) => Promise<User | null>
  /** Asks the host's login; undefined where the host does not decide. */
  vouch?: ((ctx: Context) => Promise<Vouched | null> | Vouched | null) | undefined
  now: () => Date
}): OfficeAccess {
  const { storage, statements, sessions, findMember, vouch, now } = deps
  const at = () => now().toISOString()

  const arrival = async (ctx: Context): Promise<Arrival> => {
    if (vouch !== undefined) return vouched(await vouch(ctx))
    const sessionId = await sessions.idOf(ctx)
    const session = sessionId === null ? null : await sessions.byId(sessionId)
    if (sessionId === null || session === null || !session.isVerified) return { at: 'outside' }
    const member = await findMember(session.memberId)
    if (member === null || member.email === null || !member.email_verified) return { at: 'stranger' }
    const { email } = member
    const [operator] = await storage.all(statements.byEmail, { email })
    if (!operator) return { at: 'stranger' }
    if (operator.secret === null) return { at: 'enrolment', email, sessionId }
    const [entry] = await storage.all(statements.entry, { session_id: sessionId, now: at() })
    if (entry?.email !== email) return { at: 'door', email, sessionId }
    const role = operator.role as Role
    return { at: 'inside', who: { name: email, role, language: member.language, isVouched: false } }
  }

  const open = async ({ email, sessionId }: { email: string; sessionId: string }): Promise<void> => {
    const expires_at = new Date(now().getTime() + insideMs).toISOString()
    await storage.commit([
      step(statements.enter, { session_id: sessionId, email, expires_at }),
      step(statements.sweep, { now: at() }),
    ])
  }

  const leave = async (ctx: Context): Promise<void> => {
    const session_id = await sessions.idOf(ctx)
    if (session_id !== null) await storage.commit([step(statements.leave, { session_id })])
  }

  return { arrival, open, leave }
}

/** @throws ERR_OFFICE if the role does not allow it */
export function requireRole({ role }: Insider, needed: Role): void {
  if (needed === 'owner' && role !== 'owner')
    throw new MembershipError('ERR_OFFICE', 'Only owners invite and remove people here.', {
      action: 'membership operators add ADDRESS --role owner makes an owner of them.',
    })
  if (needed === 'operator' && role === 'viewer')
    throw new MembershipError('ERR_OFFICE', 'Viewers look, and change nothing.', {
      action: 'membership operators add ADDRESS --role operator makes an operator of them.',
    })
}

// A working day. After it, the second factor is needed again.
const insideMs = 12 * 3_600_000

function vouched(field: Vouched | null): Arrival {
  if (field === null || field === undefined) return { at: 'stranger' }
  const { name, role } = field
  if (role !== 'owner' && role !== 'operator' && role !== 'viewer') return { at: 'stranger' }
  return { at: 'inside', who: { name: String(name).slice(0, 200), role, language: null, isVouched: true } }
}
