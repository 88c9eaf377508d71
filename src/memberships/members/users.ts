import {
  coveredQuantity,
  type HoldingHistory,
  type LimitRows,
  limitNames,
  ownPayment,
  ownSubscription,
  pricesOpening,
  type Seat,
  seatsOfPlan,
  siteKey,
  termsIn,
} from '../../core/access/index.ts'
import { type Awaitable, withValue } from '../../core/awaitable.ts'
import type { PaymentData, SubscriptionData } from '../../core/dto/index.ts'
import { type Payment, type Subscription, toPayment, toSubscription } from '../../core/dto/index.ts'
import { parseSold, soldIn, withSold, withSoldOf } from '../../core/dto/sold.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { lazy } from '../../core/lazy.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import { createRecent } from '../../core/recent.ts'
import type { Names, RegisteredNames } from '../../core/register.ts'
import { retryOnConflict, type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { createCurrent } from './current-statements.ts'
import type { MemberCustomer } from './customers.ts'
import { type FirstPrice, toFirstPrice } from './first-price.ts'
import { listMembers, type MemberPage, type MemberQuery } from './listing-statements.ts'
import type { Proving } from './proving.ts'
import type { Session } from './session.ts'
import {
  type Bought,
  type CustomerOfMember,
  createLimitReader,
  type GrantOfMember,
  type GrantRow,
  type HoldingStatements,
  type MemberRow,
  memberStatements,
  type PageRow,
  type SeatOfMember,
  type SeatStatements,
  type SubscriptionOfMember,
  sessionMemberStatements,
} from './statements.ts'
import { countersOf, toUser, type User, type UserRules } from './user.ts'

// Waiting purchases go to whoever proves the address. `isAlone` includes those that arrive at this moment.
const whole = { isAlone: true } as const

/** A member to create. Defaults: unverified, with the default role. */
export interface NewMember {
  readonly email: string
  readonly name?: string | null
  readonly roles?: readonly string[]
  readonly language?: string | null
  /** True if the address is known to belong to this person. */
  readonly verified?: boolean
  readonly content?: Readonly<Record<string, unknown>>
  /** The purchase, login link or import that created the account; absent when the site's own code did. */
  readonly createdBy?: string
}

/** Access to give by hand, from now and without end unless dates are given. */
export interface NewGrant<N extends Names = RegisteredNames> {
  readonly memberId: string
  /** A price id or a plan. */
  readonly gate: N['gates']
  readonly source?: 'manual' | 'gift' | 'comp' | 'seat'
  readonly reason?: string
  readonly startsAt?: Moment | null
  readonly expiresAt?: Moment | null
}

/** The embedded store of members. */
export interface Users<N extends Names = RegisteredNames> {
  /** Returns the member with all holdings, or null. */
  findById(id: string): Promise<User<N> | null>
  /**
   * Returns the member of a session without checking whether the session is still valid. Callers check that alongside.
   */
  findBySession(session: string): Promise<User<N> | null>
  /** Returns the current account: after a merge, the one that was kept. */
  findExisting(id: string): Promise<User<N> | null>
  /** Finds a member by e-mail, in any case, or by the address of an account merged into theirs. */
  findByEmail(email: string): Promise<User<N> | null>
  /** Lists members in pages: all of them, or those that a search word or a subscription finds. */
  list(query?: MemberQuery<N>): Promise<MemberPage>
  /**
   * Creates a member.
   * @throws ERR_FORM for an invalid address, ERR_EMAIL_TAKEN for one in use
   */
  create(member: NewMember): Promise<User<N>>
  /**
   * Marks the address as this person's, and hands over the purchases that waited for it. The first time, earlier
   * sessions, login links and requested changes end.
   * @throws ERR_NOT_FOUND, and ERR_ACTION_REFUSED for an account that is merged into another
   */
  verify(id: string): Promise<User<N>>
  /**
   * Gives access by hand and returns the grant's id. A merged account's grant goes to the account that was kept.
   * @throws ERR_NOT_FOUND for a member who does not exist
   */
  grant(grant: NewGrant<N>): Promise<string>
  /**
   * Revokes a grant. Revoking it again changes nothing.
   * @throws ERR_NOT_FOUND for a grant that does not exist
   */
  revoke(grantId: string): Promise<void>
  /** Returns the price that each membership began with as a trial. A later change does not alter this history. */
  firstPrice(id: string): Promise<FirstPrice>
  /** Returns a grant, revoked or not, or null. */
  findGrant(grantId: string): Promise<GrantRow | null>
}

/** The store with what a page asks of it. */
export interface PageUsers extends Users {
  /** Returns a valid session with its member; null if it expired, was revoked, or its account is being deleted. */
  findWithSession(session: string): Awaitable<SessionWithUser | null>
  /** An account that was deleted, or merged into another: it holds and opens nothing. */
  departed(account: Pick<User, 'id' | 'email' | 'email_verified' | 'created_at'>): User
}

interface SessionWithUser {
  readonly session: Session
  readonly user: User
}

export interface UsersDeps {
  readonly storage: Storage
  readonly rules: UserRules
  readonly defaultRole: string
  readonly proving: Proving
  readonly randomId: () => string
  /** The steps that queue a notification about the changed member. */
  readonly noteChange: (memberId: string) => readonly Step[]
  /** The steps that notify a member of access given by hand. */
  readonly onGrant?: (memberId: string, grantId: string) => readonly Step[]
}

/**
 * Creates the store of members. Addresses are stored in lower case.
 * @throws ERR_FORM for a malformed address, ERR_EMAIL_TAKEN for one in use, ERR_NOT_FOUND for a missing member to
 * verify
 */
export function createUsers(deps: UsersDeps): PageUsers {
  const { storage, rules, defaultRole, proving, randomId, noteChange } = deps
  const statements = memberStatements(storage)
  const current = createCurrent(storage)
  const now = () => rules.now().toISOString()

  const ofSession = sessionMemberStatements(storage)
  const readLimits = createLimitReader(storage)
  // A site that counts nothing asks for no counts, unless it sold top-ups.
  const counts = (
    member_id: string,
    { payments }: Pick<Holdings, 'payments'>,
  ): Awaitable<LimitRows | undefined> =>
    limitNames(rules.plans).length === 0 && !payments.some(({ sold }) => sold?.includes('"adds"'))
      ? undefined
      : readLimits(member_id)
  /** Adds the counts that the seats of the member's groups share. */
  const withPools = (user: User): Awaitable<User> => {
    const counters = countersOf(user)
    const pools = counters?.pools() ?? []
    if (counters === undefined || pools.length === 0) return user
    return readLimits(user.id, pools).then((rows) => {
      counters.replace(rows)
      return user
    })
  }
  const load = async (row: MemberRow): Promise<User> => {
    const held = await holdings(storage, statements, { member_id: row.id }, rules)
    return withPools(toLoaded(row, held, rules, await counts(row.id, held)))
  }

  // Both run at once, because each round trip to a distant database takes time.
  const findById: Users['findById'] = async (id) => {
    const rows = storage.all(statements.byId, { id })
    const [[row], held, limits] = await Promise.all([
      rows,
      holdings(storage, statements, { member_id: id }, rules),
      counts(id, { payments: [] }),
    ])
    return row ? withPools(toLoaded(row, held, rules, limits ?? (await counts(id, held)))) : null
  }
  /** Every page waits for this, so all of it is one answer, and the seats of a site that has some come with it. */
  const rowsOfPage = (session: string): Awaitable<readonly [readonly PageRow[], Seats]> => {
    const rows = storage.cached(ofSession.page, { session })
    const seats = seatsOf(storage, ofSession, { session }, rules)
    if (rows instanceof Promise || seats instanceof Promise) return Promise.all([rows, seats])
    return [rows, seats]
  }
  const userIn = (rows: readonly PageRow[], seats: Seats): Awaitable<User | null> => {
    const member = rows.find(({ kind }) => kind === 'member')
    if (member === undefined) return null
    const held = { ...heldIn(rows), ...seats }
    return withValue(counts(member.id!, held), (limits) =>
      withPools(toLoaded(toMemberRow(member), held, rules, limits)),
    )
  }
  const findBySession: Users['findBySession'] = async (id) => userIn(...(await rowsOfPage(id)))
  const findWithSession: PageUsers['findWithSession'] = (id) =>
    withValue(rowsOfPage(id), ([rows, seats]) => {
      const row = rows.find(({ kind }) => kind === 'session')
      if (row === undefined || row.ends_at! <= now()) return null
      return withValue(userIn(rows, seats), (user) => user && { session: toSession(row), user })
    })

  const findExisting: Users['findExisting'] = async (id) => {
    const [row] = await storage.all(statements.byId, { id })
    if (!row) return null
    return row.merged_into === null ? load(row) : findExisting(row.merged_into)
  }

  /**
   * Finds the account that receives what is given to this one: after merges, the one that was kept.
   * @throws ERR_NOT_FOUND
   */
  const currentId = async (id: string): Promise<string> => {
    const [row] = await storage.all(statements.byId, { id })
    if (!row)
      throw new MembershipError('ERR_NOT_FOUND', `There is no member "${id}".`, {
        action: 'Find members with: membership members find WORD',
      })
    return row.merged_into === null ? id : currentId(row.merged_into)
  }

  const isOfPlan = (row: Bought, plan: string): boolean => {
    const s = ownOf(decoded(row.data, row.sold), rules)
    const prices = rules.plans.filter(({ id }) => id === plan).flatMap((found) => found.prices)
    return pricesOpening({ prices: prices.map(({ id }) => id), plans: [plan] }, s).some((id) =>
      s.hasPrice(id),
    )
  }

  const findGrant: Users['findGrant'] = async (id) =>
    (await storage.all(statements.grantById, { id }))[0] ?? null

  return {
    findById,
    findBySession,
    findWithSession,
    findGrant,
    findByEmail: async (email) => {
      const [row] = await storage.all(statements.byEmail, { email: normalEmail(email) ?? '' })
      if (!row) return null
      return row.merged_into === null ? load(row) : findExisting(row.merged_into)
    },
    findExisting,
    departed: ({ id, email, email_verified, created_at }) =>
      toUser(
        {
          id,
          email,
          email_verified,
          created_at,
          name: null,
          roles: [],
          language: null,
          content: {},
          subscriptions: () => [],
          payments: () => [],
          grants: [],
          customers: [],
        },
        rules,
      ),
    firstPrice: async (id) => toFirstPrice(await storage.all(statements.unpaidCheckouts, { member_id: id })),
    list: (query = {}) => listMembers(storage, query, isOfPlan),
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
    verify: (id) =>
      retryOnConflict(async () => {
        const [row] = await storage.all(statements.byId, { id })
        if (!row) throw new MembershipError('ERR_NOT_FOUND', `No member ${id}.`)
        if (row.merged_into !== null)
          throw new MembershipError('ERR_ACTION_REFUSED', `${id} is merged into ${row.merged_into}.`, {
            reason: 'account_merged',
            action: 'Verify that account, or take the merge back: membership members unmerge.',
          })
        await storage.commit(
          proving.verification({ id, email: row.email, isVerified: row.email_verified === 1 }),
          whole,
        )
        return load({ ...row, email_verified: 1 })
      }),
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
        const member_id = await currentId(memberId)
        const moved_from = member_id === memberId ? null : memberId
        await storage.commit([
          ...current.unlessMerged(member_id, (write) => [
            write(statements.grantInsert, { ...row, member_id, moved_from }, 1),
          ]),
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

/** Builds the steps that give access without notifying anybody, for a member who is current. */
export function createGrantSteps({ storage, noteChange }: Pick<UsersDeps, 'storage' | 'noteChange'>) {
  const statements = memberStatements(storage)
  const current = createCurrent(storage)
  return (row: GrantRow): readonly Step[] => [
    ...current.unlessMerged(row.member_id, (write) => [write(statements.grantInsert, row, 1)]),
    ...noteChange(row.member_id),
  ]
}

/** Builds a new member's row. The caller creates `id` and `at`. */
export function newRow(
  member: NewMember,
  { id, at, defaultRole }: { id: string; at: string; defaultRole: string },
): MemberRow {
  return {
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
  }
}

/** Reads a member's holdings with four indexed queries. Documents are parsed on first use. */
async function holdings<P extends object>(
  storage: Storage,
  statements: HoldingStatements<P>,
  owner: P,
  rules: SeatRules,
): Promise<Holdings> {
  const [subscriptions, payments, grants, customers, seats] = await Promise.all([
    storage.all(statements.subscriptions, owner),
    storage.all(statements.payments, owner),
    storage.all(statements.grants, owner),
    storage.all(statements.customers, owner),
    seatsOf(storage, statements, owner, rules),
  ])
  return { subscriptions, payments, grants, customers, ...seats }
}

/** The rows of a member's holdings. */
interface Holdings extends Seats {
  readonly subscriptions: SubscriptionOfMember[]
  readonly payments: Bought[]
  readonly grants: GrantOfMember[]
  readonly customers: CustomerOfMember[]
}
interface Seats {
  readonly seats: SeatOfMember[]
  readonly pastSeats: (Bought & { joined_at: string; ended_at: string })[]
  readonly seatPayments: Bought[]
}

type SeatRules = Pick<UserRules, 'plans' | 'soldSeats'>

function seatsOf<P extends object>(
  storage: Storage,
  statements: SeatStatements<P>,
  owner: P,
  { plans, soldSeats = () => plans.some((plan) => plan.seats !== undefined) }: SeatRules,
): Awaitable<Seats> {
  // A site without seats reads none.
  return soldSeats() ? readSeats(storage, statements, owner) : noSeats
}

async function readSeats<P extends object>(
  storage: Storage,
  statements: SeatStatements<P>,
  owner: P,
): Promise<Seats> {
  const [seats, pastSeats] = await Promise.all([
    storage.all(statements.seats, owner),
    storage.all(statements.pastSeats, owner),
  ])
  const seatPayments = seats.length === 0 ? [] : await storage.all(statements.seatPayments, owner)
  return { seats, pastSeats, seatPayments }
}
const noSeats: Seats = { seats: [], pastSeats: [], seatPayments: [] }

/** The holdings among a page's rows, in the order of the single statements. */
function heldIn(rows: readonly PageRow[]): Omit<Holdings, keyof Seats> {
  const held: Omit<Holdings, keyof Seats> = { subscriptions: [], payments: [], grants: [], customers: [] }
  for (const row of rows)
    if (row.kind === 'subscription')
      held.subscriptions.push({
        data: row.data!,
        sold: row.third,
        opens_at: row.starts_at,
        pauses: row.text,
      })
    else if (row.kind === 'payment') held.payments.push({ data: row.data!, sold: row.third })
    else if (row.kind === 'grant') held.grants.push(toGrantRow(row))
    else if (row.kind === 'customer') held.customers.push(toCustomerRow(row))
  held.grants.sort((a, b) => (a.id < b.id ? -1 : 1))
  held.customers.sort((a, b) =>
    a.provider === b.provider ? (a.customer_id < b.customer_id ? -1 : 1) : a.provider < b.provider ? -1 : 1,
  )
  return held
}

function toSession({ id, flag, starts_at, created_at }: PageRow): Session {
  return {
    memberId: id!,
    isVerified: flag === 1,
    since: starts_at ?? created_at!,
  }
}

function toMemberRow(row: PageRow): LoadedRow {
  return {
    id: row.id!,
    email: row.email,
    email_verified: row.flag!,
    name: row.name,
    roles: row.text!,
    language: row.second,
    content: row.data!,
    created_at: row.created_at!,
  }
}

function toGrantRow(row: PageRow): GrantOfMember {
  return {
    id: row.id!,
    gate: row.text!,
    source: row.second!,
    reason: row.third,
    starts_at: row.starts_at,
    expires_at: row.ends_at,
    waits: row.flag!,
    created_at: row.created_at!,
  }
}

function toCustomerRow(row: PageRow): CustomerOfMember {
  return {
    provider: row.text!,
    account: row.second!,
    customer_id: row.id!,
    guest: row.flag!,
    email: row.email,
    name: row.name,
    deleted: row.mark!,
    moved_from: row.third,
  }
}

/** The columns of a member that a loaded user shows. */
type LoadedRow = Pick<
  MemberRow,
  'id' | 'email' | 'email_verified' | 'name' | 'roles' | 'language' | 'content' | 'created_at'
>

/** The seats that open something: as many as were paid, the oldest first; the buyer has the first of them. */
function toSeats(
  rows: readonly SeatOfMember[],
  payments: readonly Bought[],
  rules: UserRules,
  counts: 'paid' | 'stored' = 'paid',
): readonly Seat[] {
  const at = rules.now().toISOString()
  const paid = payments.map((row) => toPayment(ownMoney(decodedPayment(row), rules)))
  return rows.flatMap(({ id, data, sold, seats, holds_until, open_until, older }) => {
    const subscription = ownOf(decoded(data, sold), rules)
    const rule = seatsOfPlan(subscription, rules.plans)?.rule
    if (rule === undefined) return []
    const now = rule === 'quantity' ? (subscription.quantity ?? 1) : rule
    // A lower number counts from the end of the period that was paid, unless a credit gave that money back.
    const prices = [
      ...rules.plans.flatMap((plan) => plan.prices.map((price) => price.id)),
      ...(soldIn(subscription)?.keys() ?? []),
    ]
    const covered =
      rule === 'quantity' && counts === 'paid'
        ? coveredQuantity(subscription, paid, { prices, at, termsOf: termsIn(rules.plans) })
        : null
    const most = covered === null ? seats : Math.min(seats, covered)
    const held = holds_until === null || holds_until > at ? Math.max(now, most) : now
    return Number(older) + 1 < held ? [{ id, subscription, payments: paid, open_until }] : []
  })
}

function toLoaded(
  row: LoadedRow,
  holdingRows: Holdings,
  rules: UserRules,
  limits: LimitRows | undefined,
): User {
  const { subscriptions, payments, grants, customers, seats, seatPayments } = holdingRows
  return toUser(
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
        subscriptions.map(({ data, sold, opens_at }) =>
          opens_at === null
            ? ownOf(decoded(data, sold), rules)
            : ownOf(toSubscription({ ...subscriptionIn({ data, sold }), opens_at }), rules),
        ),
      payments: () => payments.map((row) => toPayment(asRead(ownMoney(decodedPayment(row), rules), rules))),
      seats: () => toSeats(seats, seatPayments, rules),
      storedSeats: () => toSeats(seats, seatPayments, rules, 'stored'),
      grants: grants.map(({ waits, created_at: _, ...grant }) =>
        waits === 1 ? { ...grant, waits: true } : grant,
      ),
      history: () => historyOf(holdingRows),
      ...(limits === undefined ? {} : { limits: () => limits }),
      customers: customers.filter((c) => c.guest === 0 && c.deleted === 0).map(toCustomer),
    },
    rules,
  )
}

/** Decodes a subscription. The same text always gives the same frozen object, so the newest are remembered. */
function decoded(data: string, sold: string | null): Subscription {
  const text = sold === null ? data : data + sold
  const known = remembered().get(text)
  if (known !== undefined) return known
  const subscription = toSubscription(subscriptionIn({ data, sold }))
  remembered().set(text, subscription)
  return subscription
}

function subscriptionIn({ data, sold }: Bought): SubscriptionData {
  return withSold(withoutSite(JSON.parse(data) as SubscriptionData), sold)
}

/** Decodes a payment; the newest are remembered, too. */
function decodedPayment({ data, sold }: Bought): Payment {
  const text = sold === null ? data : data + sold
  const known = rememberedPayments().get(text)
  if (known !== undefined) return known
  const payment = toPayment(withSold(withoutSite(JSON.parse(data) as PaymentData), sold))
  rememberedPayments().set(text, payment)
  return payment
}

/** Leaves out the note of the site, which is ours and nobody's metadata. */
function withoutSite<T extends { readonly metadata: Record<string, string> }>(data: T): T {
  delete data.metadata[siteKey]
  return data
}

// Some 3 kB each, and 2 kB.
const remembered = lazy(() => createRecent<Subscription>(2000))
const rememberedPayments = lazy(() => createRecent<Payment>(4000))

/** Leaves out what other shops of the account sold with a subscription. */
function ownOf(subscription: Subscription, { shopOf }: UserRules): Subscription {
  if (shopOf === undefined || subscription.items.length < 2) return subscription
  const shop = shopOf(subscription.provider)
  const own = ownSubscription(subscription, shop)
  return own === subscription ? subscription : toSubscription(own)
}

function ownMoney(payment: PaymentData, { shopOf }: UserRules): PaymentData {
  return shopOf === undefined ? payment : ownPayment(payment, shopOf(payment.provider))
}

/** Collects the pauses, grants and seats of the past, for time that was paid or given. */
function historyOf({ subscriptions, grants, seats, pastSeats }: Holdings): HoldingHistory {
  return {
    pauses: new Map(
      subscriptions.flatMap(({ data, pauses }) => {
        const s = JSON.parse(data) as SubscriptionData
        // A pause without an end lasts as long as the subscription says.
        const isPausing = s.status === 'paused' || s.paused_at !== null
        const all = (pauses ?? '').split(',').map((pause) => pause.split('/'))
        const known = all.flatMap(([from, to]) =>
          from && (to || isPausing) ? [{ from, to: to || s.resumes_at }] : [],
        )
        return known.length === 0 ? [] : [[`${s.provider}:${s.id}`, known] as const]
      }),
    ),
    granted: new Map(grants.map(({ id, created_at }) => [id, created_at])),
    joined: new Map(
      seats.flatMap(({ id, joined_at }) => (joined_at === null ? [] : [[id, joined_at] as const])),
    ),
    pastSeats: pastSeats.map(({ data, sold, joined_at, ended_at }) => ({
      prices: (JSON.parse(data) as SubscriptionData).items.flatMap(({ price_id }) => price_id ?? []),
      plans: sold === null ? [] : [...parseSold(sold).values()].map(({ plan }) => plan),
      from: joined_at,
      to: ended_at,
    })),
  }
}

function toCustomer(c: CustomerOfMember): MemberCustomer {
  return {
    id: c.customer_id,
    provider: c.provider,
    account: c.account,
    email: c.email,
    name: c.name,
    deleted: c.deleted === 1,
    ...(c.moved_from === null ? {} : { merged_from: c.moved_from }),
  }
}

/** Reads a payment. A payment of unknown purpose counts as one-time where the site's configuration says so. */
function asRead(payment: PaymentData, { unknownIsOneTime }: UserRules): PaymentData {
  return payment.purpose === 'unknown' && unknownIsOneTime?.has(payment.provider) === true
    ? withSoldOf(payment, { ...payment, purpose: 'one_time' })
    : payment
}
