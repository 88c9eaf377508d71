import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { toPayment, toSubscription } from '../../core/dto/index.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import type { GateId } from '../../core/register.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { MemberCustomer } from './customers.ts'
import { type FirstPrice, toFirstPrice } from './first-price.ts'
import { listMembers, type MemberPage, type MemberQuery } from './listing-statements.ts'
import type { Proving } from './proving.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import {
  type CustomerOfMember,
  type GrantRow,
  type HoldingStatements,
  type MemberRow,
  memberStatements,
  sessionMemberStatements,
} from './statements.ts'
import { toUser, type User, type UserRules } from './user.ts'

// What waits for an address goes to whoever proves to own it, whoever adds to it in this moment.
const whole = { isAlone: true } as const

/** A member to be made: unverified and with the default role, unless it says otherwise. */
export interface NewMember {
  readonly email: string
  readonly name?: string | null
  readonly roles?: readonly string[]
  readonly language?: string | null
  /** True if the address is known to be this person's. */
  readonly verified?: boolean
  readonly content?: Readonly<Record<string, unknown>>
  /** The purchase or import that made the account, when it was not the site's own code. */
  readonly createdBy?: string
}

/** Access to be given by hand: from now and for ever unless moments are named. */
export interface NewGrant {
  readonly memberId: string
  /** A price id or a plan. */
  readonly gate: GateId
  readonly source?: 'manual' | 'gift' | 'comp' | 'seat'
  readonly reason?: string
  readonly startsAt?: Moment | null
  readonly expiresAt?: Moment | null
}

/** The embedded store of members. */
export interface Users {
  /** The member with everything it holds, or null. */
  findById(id: string): Promise<User | null>
  /** The member whose session this is, whether or not it still counts: that is asked beside it. */
  findBySession(session: string): Promise<User | null>
  /** The member whose account this is now: of one that was merged into another, that one. */
  findExisting(id: string): Promise<User | null>
  /** By e-mail, whatever its case, or null. Also by the address of an account that was merged into theirs. */
  findByEmail(email: string): Promise<User | null>
  /** Members in pages, all of them or those that a word finds. */
  list(query?: MemberQuery): Promise<MemberPage>
  /** @throws ERR_FORM for no address, ERR_EMAIL_TAKEN for one that somebody has */
  create(member: NewMember): Promise<User>
  /** Notes that the address is this person's, and hands over the purchases that waited for it. The first time, sessions,
   *  links and changes of before end. @throws ERR_NOT_FOUND */
  verify(id: string): Promise<User>
  /** Gives access by hand and returns the grant's id. A merged account's goes to the account that was kept.
   *  @throws ERR_NOT_FOUND for a member who does not exist */
  grant(grant: NewGrant): Promise<string>
  /** Takes it back; again, it changes nothing. @throws ERR_NOT_FOUND for a grant that does not exist */
  revoke(grantId: string): Promise<void>
  /**
   * The plans that this member's memberships began with, where that was a trial: for a history that a later change
   * leaves alone.
   */
  firstPrice(id: string): Promise<FirstPrice>
  /** A grant, revoked or not, or null. */
  findGrant(grantId: string): Promise<GrantRow | null>
}

export interface UsersDeps {
  readonly storage: Storage
  readonly rules: UserRules
  readonly defaultRole: string
  readonly proving: Proving
  readonly randomId: () => string
  /** The step that notes that a member changed, for whoever is told of it. */
  readonly noteChange: (memberId: string) => readonly Step[]
  /** The steps that tell a member of access given by hand. */
  readonly onGrant?: (memberId: string, grantId: string) => readonly Step[]
}

/** Addresses are stored in lower case; one that is malformed is ERR_FORM, one that is taken ERR_EMAIL_TAKEN, a member to verify who
 *  is not there ERR_NOT_FOUND. */
export const createUsers = (deps: UsersDeps): Users => {
  const { storage, rules, defaultRole, proving, randomId, noteChange } = deps
  const statements = memberStatements(storage)
  const now = () => rules.now().toISOString()

  const ofSession = sessionMemberStatements(storage)
  const load = async (row: MemberRow): Promise<User> =>
    toLoaded(row, await holdings(storage, statements, { member_id: row.id }), rules)

  // Asked at once: where the database is far, each answer is waited for.
  const findById: Users['findById'] = async (id) => {
    const rows = storage.all(statements.byId, { id })
    const [[row], its] = await Promise.all([rows, holdings(storage, statements, { member_id: id })])
    return row ? toLoaded(row, its, rules) : null
  }
  const findBySession: Users['findBySession'] = async (session) => {
    const rows = storage.all(ofSession.member, { session })
    const [[row], its] = await Promise.all([rows, holdings(storage, ofSession, { session })])
    return row ? toLoaded(row, its, rules) : null
  }

  const findExisting: Users['findExisting'] = async (id) => {
    const [row] = await storage.all(statements.byId, { id })
    if (!row) return null
    return row.merged_into === null ? load(row) : findExisting(row.merged_into)
  }

  /** The account that has what is given to this one. @throws ERR_NOT_FOUND */
  const standingId = async (id: string): Promise<string> => {
    const [row] = await storage.all(statements.byId, { id })
    if (!row)
      throw new MembershipError('ERR_NOT_FOUND', `There is no member "${id}".`, {
        action: 'Find members with: membership members find WORD',
      })
    return row.merged_into === null ? id : standingId(row.merged_into)
  }

  const findGrant: Users['findGrant'] = async (id) =>
    (await storage.all(statements.grantById, { id }))[0] ?? null

  return {
    findById,
    findBySession,
    findGrant,
    findByEmail: async (email) => {
      const [row] = await storage.all(statements.byEmail, { email: normalEmail(email) ?? '' })
      if (!row) return null
      return row.merged_into === null ? load(row) : findExisting(row.merged_into)
    },
    findExisting,
    firstPrice: async (id) => toFirstPrice(await storage.all(statements.unpaidCheckouts, { member_id: id })),
    list: (query = {}) => listMembers(storage, query),
    create: async (member) => {
      const email = normalEmail(member.email)
      if (!isEmail(email)) throw new MembershipError('ERR_FORM', `"${member.email}" is no e-mail address.`)
      const row = newRow({ ...member, email }, { id: randomId(), at: now(), defaultRole })
      try {
        await storage.commit(proving.creation(row), whole)
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
        throw new MembershipError('ERR_EMAIL_TAKEN', `There is a member with the address ${email} already.`, {
          action: 'Find that member: m.users.findByEmail(address).',
        })
      }
      return load(row)
    },
    verify: async (id) => {
      const [row] = await storage.all(statements.byId, { id })
      if (!row) throw new MembershipError('ERR_NOT_FOUND', `No member ${id}.`)
      await storage.commit(
        proving.verification({ id, email: row.email, isVerified: row.email_verified === 1 }),
        whole,
      )
      return load({ ...row, email_verified: 1 })
    },
    grant: async ({ memberId, gate, source = 'manual', reason, startsAt, expiresAt }) => {
      const id = randomId()
      const row = {
        id,
        gate,
        source,
        reason: reason ?? null,
        starts_at: startsAt ? toDate(startsAt, 'startsAt').toISOString() : null,
        expires_at: expiresAt ? toDate(expiresAt, 'expiresAt').toISOString() : null,
        created_at: now(),
        revoked_at: null,
      }
      await retryOnConflict(async () => {
        const member_id = await standingId(memberId)
        await storage.commit([
          step(statements.isStanding, { id: member_id }, 1),
          step(
            statements.grantInsert,
            { ...row, member_id, moved_from: member_id === memberId ? null : memberId },
            1,
          ),
          ...noteChange(member_id),
          ...(deps.onGrant?.(member_id, row.id) ?? []),
        ])
      })
      return id
    },
    revoke: async (id) => {
      const grant = await findGrant(id)
      if (grant === null)
        throw new MembershipError('ERR_NOT_FOUND', `There is no access by hand with the id "${id}".`, {
          action: 'See the ids with: membership members show MEMBER',
        })
      await storage.commit([
        step(statements.grantRevoke, { id, revoked_at: now() }),
        ...noteChange(grant.member_id),
      ])
    },
  }
}

/** A new member as it is stored. `id` and `at` are made by the caller. */
export const newRow = (
  member: NewMember,
  { id, at, defaultRole }: { id: string; at: string; defaultRole: string },
): MemberRow => ({
  id,
  email: member.email,
  email_verified: member.verified ? 1 : 0,
  name: member.name ?? null,
  roles: JSON.stringify(member.roles ?? [defaultRole]),
  language: member.language ?? null,
  content: JSON.stringify(member.content ?? {}),
  created_by: member.createdBy ?? null,
  created_at: at,
  updated_at: at,
})

/** Reads somebody's holdings: four indexed queries; documents are parsed when they are asked for. */
const holdings = async <P extends object>(storage: Storage, statements: HoldingStatements<P>, owner: P) => {
  const [subscriptions, payments, grants, customers] = await Promise.all([
    storage.all(statements.subscriptions, owner),
    storage.all(statements.payments, owner),
    storage.all(statements.grants, owner),
    storage.all(statements.customers, owner),
  ])
  return { subscriptions, payments, grants, customers }
}
type Holdings = Awaited<ReturnType<typeof holdings>>

const toLoaded = (
  row: MemberRow,
  { subscriptions, payments, grants, customers }: Holdings,
  rules: UserRules,
): User =>
  toUser(
    {
      id: row.id,
      email: row.email,
      email_verified: row.email_verified === 1,
      name: row.name,
      roles: JSON.parse(row.roles) as string[],
      language: row.language,
      content: JSON.parse(row.content) as Record<string, unknown>,
      created_at: row.created_at,
      subscriptions: () =>
        subscriptions.map(({ data, opens_at }) => {
          const subscription = JSON.parse(data) as SubscriptionData
          return toSubscription(opens_at === null ? subscription : { ...subscription, opens_at })
        }),
      payments: () => payments.map(({ data }) => toPayment(asRead(JSON.parse(data) as PaymentData, rules))),
      grants,
      customers: customers.filter((c) => c.guest === 0 && c.deleted === 0).map(toCustomer),
    },
    rules,
  )

const toCustomer = (c: CustomerOfMember): MemberCustomer => ({
  id: c.customer_id,
  provider: c.provider,
  account: c.account,
  email: c.email,
  name: c.name,
  deleted: c.deleted === 1,
  ...(c.moved_from === null ? {} : { merged_from: c.moved_from }),
})

/**
 * Reads a payment: where the site says that a payment of unknown purpose bought something once, everybody who looks
 * is told so.
 */
const asRead = (payment: PaymentData, { unknownIsOneTime }: UserRules): PaymentData =>
  payment.purpose === 'unknown' && unknownIsOneTime?.has(payment.provider) === true
    ? { ...payment, purpose: 'one_time' }
    : payment
