import {
  type AccessRules,
  coveredQuantity,
  isMoneyBack,
  openingOf,
  ownPayment,
  ownSubscription,
  poolName,
  pricesOpening,
  seatsOfPlan,
  termsIn,
} from '../../core/access/index.ts'
import type { PlanConfig } from '../../core/config/index.ts'
import {
  groupOf,
  isPaused,
  type Payment,
  type PaymentData,
  type Subscription,
  type SubscriptionData,
  toPayment,
  toSubscription,
} from '../../core/dto/index.ts'
import { withSold } from '../../core/dto/sold.ts'
import { isEmail, normalEmail } from '../../core/email.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import type { Log } from '../../core/log.ts'
import { createClaim, retryPatiently, type Step, type Storage, step } from '../../core/storage/index.ts'
import type { Catalogue } from '../catalogue/index.ts'
import type { Ledger } from '../ledger/index.ts'
import { createLimitDoor } from '../limits/index.ts'
import { createCurrent, type User, type Users } from '../members/index.ts'
import { groupLifeStatements } from './life-statements.ts'
import { type GroupKey, type GroupRow, groupQueue, groupStatements, type SeatRow } from './statements.ts'

/** A seat as the group's page shows it. */
export interface GroupSeat {
  readonly id: string
  /** The subscription that pays for it. */
  readonly subscription_id: string
  readonly email: string | null
  readonly member_id: string | null
  readonly role: 'member' | 'manager'
  readonly status: 'invited' | 'joined' | 'ended'
  readonly created_at: string
  readonly expires_at: string | null
  readonly joined_at: string | null
  readonly ended_for: string | null
}

/** A group: who pays, how many seats there are, and who has them. Its buyer has one of the seats. */
export interface Group {
  readonly subscription_id: string
  readonly provider: string
  readonly plan: string | null
  /** The buyer; null while nobody's. */
  readonly owner_id: string | null
  readonly seats: number
  /** Seats that may be given still. */
  readonly free: number
  /** The moment at which the newest seats above `seats` end; null where none do. */
  readonly shrinks_at: string | null
  readonly members: readonly GroupSeat[]
  /** Since when its seats have to be checked, because a restored copy of the database may lack some; else null. */
  readonly lost_at: string | null
}

export interface GroupsDeps {
  readonly storage: Storage
  readonly ledger: Ledger
  readonly outbox: Outbox
  readonly tokens: Tokens
  readonly users: Pick<Users, 'findExisting' | 'findByEmail'>
  readonly catalogue: Pick<Catalogue, 'all' | 'soldSeats'>
  readonly rules: AccessRules
  /** Every configured provider with the labels of its accounts. */
  readonly places: () => readonly { readonly provider: string; readonly account: string }[]
  /** True for a moment that a restored copy of the database does not know. */
  readonly isLost: (moment: string | null) => Promise<boolean>
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/** The plan that a group's subscription was bought as, with its seats. It may have left the configuration. */
export interface GroupPlan {
  readonly id: string
  readonly group: string | null
  readonly seats: NonNullable<PlanConfig['seats']>
  readonly prices: readonly string[]
}

interface Loaded {
  readonly key: GroupKey
  readonly subscription: Subscription
  /** Its payments, also of a buyer whose account was deleted. */
  readonly payments: readonly Payment[]
  readonly plan: GroupPlan
  readonly ownerId: string | null
  readonly group: GroupRow
  readonly isNew: boolean
  readonly live: readonly SeatRow[]
  readonly all: readonly SeatRow[]
}

export interface GroupsService {
  /**
   * Invites an address to a seat; an open invitation to the same address is sent again. `manager` also makes
   * one of somebody who is invited or has joined already.
   * @throws ERR_NOT_FOUND, ERR_FORM, ERR_ACTION_REFUSED
   */
  invite(invitation: Invitation): Promise<GroupSeat>
  /** Ends a seat, or withdraws its invitation; again, it changes nothing. @throws ERR_NOT_FOUND */
  remove(removal: Removal): Promise<void>
  /** Gives up one's own seats in a group. @throws ERR_NOT_FOUND */
  leave(input: { subscriptionId: string; user: User }): Promise<void>
  /**
   * Hands the group over to one of its members, who manages it from now on; the buyer goes on paying.
   * @throws ERR_NOT_FOUND for somebody without a seat
   */
  transfer(input: { subscriptionId: string; to: string }): Promise<void>
  /** The seat that a link invites to, with its group. @throws ERR_LINK */
  lookAtLink(token: string): Promise<{ seat: SeatRow; group: Group }>
  /**
   * Takes the seat, once; again by the same member it changes nothing. Somebody who has a seat already takes
   * no second one, and the invitation ends.
   * @throws ERR_LINK
   */
  join(input: { token: string; user: User }): Promise<Group>
  show(subscriptionId: string): Promise<Group>
  /** The groups that a member pays for or manages, and those in which they have a seat. */
  ofMember(user: User): Promise<{ readonly managed: readonly Group[]; readonly seats: readonly GroupSeat[] }>
  /** True for the buyer and for managers. */
  mayManage(user: User, subscriptionId: string): Promise<boolean>
  /**
   * Follows a subscription. A lower quantity lets the newest seats end with the period that was paid. Seats of an ended
   * subscription continue with the one that its buyer has instead, bought again or at another provider.
   */
  follow(subscriptionId: string): Promise<void>
  /**
   * Keeps a group open to the end of the paid period when its buyer's account is deleted. Asks the managers
   * to take over, or every member if there is no manager: now, and once more before the end.
   */
  ownerLeaves(user: User): Promise<void>
  /** Notes that somebody checked the seats of a group after a restored copy. @throws ERR_NOT_FOUND */
  settleLost(subscriptionId: string): Promise<void>
  /** The message that has a group looked at; none for a subscription without seats. */
  messagesOf(change: { type: string; id: string; data: object }): Message[]
  /** The message about a disputed payment, once for each payment; none on a site without seats. */
  disputeMessages(input: { id: string; payment: string }): Message[]
  readonly handlers: Handlers
  runDue(): Promise<number>
  /** Ends invitations whose time is over, with the address. */
  forgetLapsed(): Promise<void>
  planOf(s: Subscription): GroupPlan | undefined
  /** True for an open invitation of a group that takes people in. */
  isOpenSeat(seatId: string): Promise<boolean>
}

/**
 * Groups: the seats that one subscription pays for. Every change moves the revision of the group's row, so that two
 * invitations at once never share a seat, in whichever process.
 */
export function createGroups(deps: GroupsDeps): GroupsService {
  const { storage, ledger, outbox, tokens, users, catalogue, rules, now, randomId, log } = deps
  const plans = catalogue.all
  const noteChange = (memberId: string) => ledger.noteMember(memberId)
  const statements = groupStatements(storage)
  const current = createCurrent(storage)
  const life = groupLifeStatements(storage)
  const claim = createClaim(storage, groupQueue(leaseMs))
  const at = () => now().toISOString()
  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()

  /** @throws ERR_NOT_FOUND where no plan of the subscription has seats */
  const load = async (subscriptionId: string): Promise<Loaded> => {
    for (const place of deps.places()) {
      const key = { ...place, subscription_id: subscriptionId }
      // Read before the rest: a later change of the quantity or of a seat moves its revision.
      const [known] = await storage.all(statements.group, key)
      const [row] = await storage.all(ledger.statements.subscription, { ...place, id: subscriptionId })
      if (!row) continue
      const shop = ledger.shopOf(place.provider)
      const bought = withSold(JSON.parse(row.data) as SubscriptionData, row.sold)
      const subscription = toSubscription(ownSubscription(bought, shop))
      const plan = planOf(subscription)
      if (plan === undefined) break
      const [owner] = await storage.all(ledger.statements.customer, { ...place, customer_id: row.owner_id })
      const all = await storage.all(statements.seats, key)
      const paid = await storage.all(statements.payments, { ...key, owner_id: row.owner_id })
      const group = known ?? {
        ...key,
        ...emptyGroup,
        seats: seatsOf(plan, subscription),
        lost_at: (await deps.isLost(subscription.started_at)) ? at() : null,
      }
      const live = all.filter((seat) => isLive(seat, at()))
      return {
        key,
        subscription,
        payments: paid.map(({ data, sold }) =>
          toPayment(ownPayment(withSold(JSON.parse(data) as PaymentData, sold), shop)),
        ),
        plan,
        ownerId: owner?.member_id ?? null,
        group,
        isNew: known === undefined,
        live,
        all,
      }
    }
    throw new MembershipError('ERR_NOT_FOUND', `No team is paid by the subscription "${subscriptionId}".`, {
      action:
        'Name a subscription of a plan with seats (`plans.{plan}.seats`). `m.teams.of(id)` lists those of a member.',
    })
  }

  const planOf = (s: Subscription): GroupPlan | undefined => {
    const bought = seatsOfPlan(s, plans())
    if (bought === null) return undefined
    const today = plans().find(({ id, provider }) => id === bought.plan && provider === s.provider)
    const prices = (today?.prices ?? []).map(({ id }) => id)
    return {
      id: bought.plan,
      group: today?.group ?? null,
      seats: bought.rule,
      prices: pricesOpening({ prices, plans: [bought.plan] }, s),
    }
  }

  const save = (
    { group, isNew }: Loaded,
    changes: Partial<Omit<GroupRow, 'manager_id'>> = {},
    managerId: string | null = null,
  ): Step[] => [
    ...(isNew ? [step(statements.groupInsert, group, 1)] : []),
    ...(managerId === null
      ? [step(statements.groupUpdate, { ...group, ...changes }, 1)]
      : current.steps(managerId, (write) => [
          write(statements.takeOver, { ...group, ...changes, manager_id: managerId }, 1),
        ])),
  ]

  /**
   * True while a seat of the group opens something, or will once a pause is over. An ended, refunded or unpaid group
   * takes in nobody.
   */
  const takesIn = (loaded: Loaded): boolean => {
    const { subscription, payments, group } = loaded
    // Money that a dispute holds, or that went back, pays for nobody new.
    if (payments.some(({ status, dispute }) => status === 'disputed' && dispute !== 'lost')) return false
    if (isMoneyBack(subscription, payments, askedOf(loaded))) return false
    if (group.open_until !== null && group.open_until > at()) return true
    if (isPaused(subscription, now())) return true
    return openingOf(subscription, payments, rules, now()) !== null
  }

  const askedOf = ({ plan }: Pick<Loaded, 'plan'>) => ({
    prices: plan.prices,
    at: at(),
    termsOf: termsIn(rules.plans),
  })

  const isOpenSeat = async (seatId: string): Promise<boolean> => {
    const [seat] = await storage.all(statements.seat, { id: seatId })
    if (seat?.status !== 'invited' || !isLive(seat, at())) return false
    const loaded = await load(seat.subscription_id).catch(unlessGone)
    return loaded !== null && takesIn(loaded)
  }

  const invite = async ({
    subscriptionId,
    email: typed,
    role = 'member',
    language = null,
  }: Invitation): Promise<GroupSeat> => {
    const email = normalEmail(typed)
    if (!isEmail(email))
      throw new MembershipError('ERR_FORM', `"${typed.slice(0, 100)}" is no e-mail address.`)
    const seat = await retryPatiently(async () => {
      const loaded = await load(subscriptionId)
      if (!takesIn(loaded))
        throw new MembershipError(
          'ERR_ACTION_REFUSED',
          'The membership that pays for these seats is not paid.',
          {
            reason: 'group_closed',
            action: 'Pay or renew the membership, then invite again.',
          },
        )
      const known = loaded.live.find((item) => item.email === email)
      if (known?.status === 'joined') {
        if (role !== 'manager' || known.role === role) return known
        const promoted = { ...known, role }
        await storage.commit([...save(loaded), step(statements.seatUpdate, promoted, 1)])
        return promoted
      }
      if (known === undefined && loaded.live.length + 1 >= seatsNow(loaded))
        throw new MembershipError('ERR_ACTION_REFUSED', `All ${seatsNow(loaded)} seats are taken.`, {
          reason: 'no_seat',
          action: 'Raise the quantity, withdraw an invitation, or remove somebody.',
        })
      const fresh: SeatRow = known ?? {
        ...loaded.key,
        id: randomId(),
        email,
        member_id: null,
        role,
        status: 'invited',
        language,
        created_at: at(),
        joined_at: null,
        ended_at: null,
        ended_for: null,
        place: 1 + Math.max(0, ...loaded.all.map(({ place }) => place)),
        expires_at: null,
      }
      const written = {
        ...fresh,
        expires_at: later(inviteMs),
        // The form of an invitation says "member" unless told otherwise, so it takes no role back.
        role: role === 'manager' ? role : fresh.role,
      }
      // Their seats are given away now. A process whose clock is behind would still let them join.
      const lapsed = loaded.all.filter((item) => item.status === 'invited' && !isLive(item, at()))
      await storage.commit([
        ...save(loaded),
        ...lapsed.flatMap((item) => endSeat(item, 'lapsed')),
        known === undefined
          ? step(statements.seatInsert, written, 1)
          : step(statements.seatUpdate, written, 1),
        ...mail('group-invitation', written.id),
      ])
      return written
    })
    outbox.nudge()
    return toSeat(seat)
  }

  const remove = ({ subscriptionId, seatId, reason = 'removed' }: Removal): Promise<void> =>
    retryPatiently(async () => {
      const loaded = await load(subscriptionId)
      const seat = loaded.all.find(({ id }) => id === seatId)
      if (!seat) throw new MembershipError('ERR_NOT_FOUND', 'There is no such seat.')
      if (seat.status === 'ended') return
      await storage.commit([...save(loaded), ...endSeat(seat, reason)])
    })

  const endSeat = (seat: SeatRow, ended_for: string): Step[] => [
    step(
      statements.seatUpdate,
      {
        ...seat,
        status: 'ended',
        ended_at: at(),
        ended_for,
        expires_at: null,
        // Nobody joined by it: the address has no more use.
        email: seat.member_id === null ? null : seat.email,
      },
      1,
    ),
    ...(seat.member_id === null ? [] : noteChange(seat.member_id)),
  ]

  const leave = async ({ subscriptionId, user }: { subscriptionId: string; user: User }): Promise<void> => {
    const { live } = await load(subscriptionId)
    for (const { id } of live.filter(({ member_id }) => member_id === user.id))
      await remove({ subscriptionId, seatId: id, reason: 'left' })
  }

  const transfer = ({ subscriptionId, to }: { subscriptionId: string; to: string }): Promise<void> =>
    retryPatiently(async () => {
      const loaded = await load(subscriptionId)
      const memberId = await current.idOf(to)
      const seat = loaded.live.find(({ member_id, status }) => member_id === memberId && status === 'joined')
      if (!seat || memberId === null)
        throw new MembershipError('ERR_NOT_FOUND', 'Only somebody with a seat can take the group over.')
      await storage.commit([
        ...save(loaded, {}, memberId),
        step(statements.seatUpdate, { ...seat, role: 'manager' }, 1),
      ])
    })

  const lookAtLink = async (token: string): Promise<{ seat: SeatRow; group: Group }> => {
    const claims = await tokens.verify('group-join', token)
    const [seat] = claims === null ? [] : await storage.all(statements.seat, { id: String(claims.seat) })
    if (!seat || seat.status === 'ended' || (seat.status === 'invited' && !isLive(seat, at())))
      throw lapsedLink()
    return { seat, group: await show(seat.subscription_id) }
  }

  const join = ({ token, user }: { token: string; user: User }): Promise<Group> =>
    retryPatiently(async () => {
      const link = await lookAtLink(token)
      // The account may be merged or deleted while its link is open.
      const memberId = await current.idOf(user.id)
      if (memberId === null) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
      const loaded = await load(link.seat.subscription_id)
      // As the group has it: the seat may have been taken, withdrawn or moved since the link was read.
      const seat = loaded.all.find(({ id }) => id === link.seat.id)
      if (seat === undefined || (seat.status !== 'joined' && !isLive(seat, at()))) throw lapsedLink()
      if (seat.status === 'joined') {
        if (seat.member_id === memberId) return toGroup(loaded)
        throw new MembershipError('ERR_LINK', 'Somebody has taken this seat already.')
      }
      if (!takesIn(loaded)) throw closedGroup()
      if (hasSeat(loaded, memberId)) {
        await storage.commit([...save(loaded), ...endSeat(seat, 'has_seat')])
        return show(seat.subscription_id)
      }
      const joined = { id: seat.id, member_id: memberId, joined_at: at() }
      await storage.commit([
        ...save(loaded),
        ...current.steps(memberId, (write) => [write(statements.seatJoin, joined, 1)]),
        ...noteChange(memberId),
      ])
      return show(seat.subscription_id)
    })

  const settleLost = (subscriptionId: string): Promise<void> =>
    retryPatiently(async () => {
      const loaded = await load(subscriptionId)
      if (loaded.group.lost_at !== null) await storage.commit(save(loaded, { lost_at: null }))
    })

  const show = async (subscriptionId: string): Promise<Group> => toGroup(await load(subscriptionId))

  const ofMember = async (
    user: User,
  ): Promise<{ readonly managed: readonly Group[]; readonly seats: readonly GroupSeat[] }> => {
    const own = await storage.all(statements.ofMember, { member_id: user.id })
    const paid = user
      .subscriptions()
      .filter((s) => !s.ended && planOf(s) !== undefined)
      .map(({ id }) => id)
    const managing = own.filter(({ status, role }) => status === 'joined' && role === 'manager')
    const ids = [...new Set([...paid, ...managing.map(({ subscription_id }) => subscription_id)])]
    const managed = await Promise.all(ids.map((id) => show(id).catch(unlessGone)))
    return {
      managed: managed.filter((group) => group !== null),
      seats: own.filter((seat) => isLive(seat, at())).map(toSeat),
    }
  }

  const mayManage = async (user: User, subscriptionId: string): Promise<boolean> => {
    const { ownerId, live } = await load(subscriptionId)
    const owner = ownerId === null ? null : await users.findExisting(ownerId)
    return (
      owner?.id === user.id ||
      live.some(
        ({ member_id, role, status }) => member_id === user.id && role === 'manager' && status === 'joined',
      )
    )
  }

  const follow = async (subscriptionId: string): Promise<void> => {
    const { subscription, plan, ownerId } = await followOne(subscriptionId)
    if (subscription.ended) return
    const owner = ownerId === null ? null : await users.findExisting(ownerId)
    for (const s of owner?.subscriptions() ?? [])
      if (s.ended && isSameGroup(planOf(s), plan)) await followOne(s.id)
  }

  const followOne = (subscriptionId: string): Promise<Loaded> =>
    retryPatiently(async () => {
      const loaded = await askAgain(await load(subscriptionId))
      const next = await successorOf(loaded)
      if (next === null) await followSeats(loaded)
      else await moveSeats(loaded, next)
      return loaded
    })

  /** The group with which the seats of an ended subscription continue; null without one. */
  const successorOf = async ({ subscription, plan, ownerId }: Loaded): Promise<Loaded | null> => {
    if (!subscription.ended || ownerId === null) return null
    const owner = await users.findExisting(ownerId)
    const next = owner
      ?.subscriptions()
      .find((s) => !s.ended && s.status !== 'incomplete' && isSameGroup(planOf(s), plan))
    return next === undefined ? null : load(next.id)
  }

  /** Moves as many seats as are free there, the oldest first, with what they count together. */
  const moveSeats = async (from: Loaded, to: Loaded): Promise<void> => {
    const moving = from.live.slice(0, Math.max(0, seatsNow(to) - 1 - to.live.length))
    const pools = { from: poolName(from.subscription), to: poolName(to.subscription) }
    // What was used in this window stays used: buying again gives no second count.
    const keepCount = createLimitDoor(storage).copyUsage({ ...pools, at: at() })
    if (moving.length === 0) {
      await storage.commit([keepCount])
      return followSeats(from)
    }
    const place = Math.max(0, ...to.all.map((seat) => seat.place))
    const manager = to.isNew ? from.group.manager_id : null
    await storage.commit([
      ...save(from),
      ...save(to, {}, manager === null ? null : await current.idOf(manager)),
      ...moving.map(({ id }, n) => step(statements.seatMove, { ...to.key, id, place: place + n + 1 }, 1)),
      keepCount,
      ...moving.flatMap(({ member_id }) => (member_id === null ? [] : noteChange(member_id))),
    ])
  }

  const followSeats = async (loaded: Loaded): Promise<void> => {
    const { subscription, group, plan, live } = loaded
    const subscriptionId = subscription.id
    const paid = seatsOf(plan, subscription)
    const changed = [...new Set(live.flatMap(({ member_id }) => member_id ?? []))].flatMap(noteChange)
    const covered = coveredQuantity(subscription, loaded.payments, askedOf(loaded))
    // A credit gave the money for the other seats back, so nothing holds them.
    const isCredited =
      plan.seats === 'quantity' && covered !== null && covered < group.seats && covered <= paid
    const isOver = isCredited || (group.holds_until !== null && group.holds_until <= at())
    if (paid < group.seats && !isOver) {
      const holds_until = group.holds_until ?? subscription.current_period_end ?? at()
      const asked =
        group.holds_until === null && live.length + 1 > paid
          ? mail('group-fewer', subscriptionId, subscriptionId)
          : []
      const look_at = earliest(holds_until, group.asks_at)
      await storage.commit([...save(loaded, { holds_until, look_at }), ...asked, ...changed])
      return
    }
    const over = isOver ? live.slice(Math.max(0, paid - 1)) : []
    await storage.commit([
      ...save(loaded, { seats: paid, holds_until: null, look_at: group.asks_at }),
      ...over.flatMap((seat) => [...endSeat(seat, 'fewer_seats'), ...mail('group-ended', seat.id)]),
      ...changed,
    ])
  }

  const ownerLeaves = async (user: User): Promise<void> => {
    for (const s of user.subscriptions().filter((item) => !item.ended && planOf(item) !== undefined))
      await retryPatiently(async () => {
        const loaded = await load(s.id)
        // A deletion that its provider interrupted begins here again.
        if (loaded.group.asks_for === 'deleted') return
        const isPaid = openingOf(s, user.payments(), rules, now())?.reason === 'subscription'
        const open_until = isPaid ? (s.current_period_end ?? at()) : null
        const asked = takingOver(loaded).flatMap(({ id }) => mail('group-takeover', id))
        await storage.commit([
          ...save(loaded, { open_until, ...askLater(loaded, 'deleted', open_until) }),
          ...asked,
        ])
      })
  }

  /** The fields that have the managers asked once more before the end; at once is enough where that is near. */
  const askLater = ({ group }: Loaded, asks_for: string, until: string | null) => {
    const moment = until === null ? 0 : Date.parse(until) - reminderMs
    const asks_at = moment > now().getTime() + dayMs ? new Date(moment).toISOString() : null
    return { asks_for, asks_at, look_at: earliest(group.holds_until, asks_at) }
  }

  /** Asks the managers once more, unless one of them has taken over, or the reason is gone. */
  const askAgain = async (loaded: Loaded): Promise<Loaded> => {
    const { key, group, subscription } = loaded
    const { asks_at, asks_for, holds_until, open_until } = group
    if (asks_at === null || asks_for === null || asks_at > at()) return loaded
    const end = open_until ?? subscription.current_period_end
    const seats = (await isStillAsked(loaded)) ? takingOver(loaded) : []
    const asked = seats.flatMap(({ id }) => mail('group-reminder', id, null, end))
    await storage.commit([...save(loaded, { asks_at: null, look_at: holds_until }), ...asked])
    return load(key.subscription_id)
  }

  const isStillAsked = async (loaded: Loaded): Promise<boolean> => {
    const { key, group, plan, subscription } = loaded
    const [, payment] = /^disputed:(.*)$/s.exec(group.asks_for ?? '') ?? []
    if (payment !== undefined) {
      const place = { provider: key.provider, account: key.account, id: payment }
      const [row] = await storage.all(ledger.statements.payment, place)
      if (row?.status !== 'disputed' || subscription.ended) return false
    }
    for (const { member_id } of takingOver(loaded)) {
      const member = member_id === null ? null : await users.findExisting(member_id)
      const hasBought = member?.subscriptions().some((s) => !s.ended && isSameGroup(planOf(s), plan))
      if (hasBought) return false
    }
    return true
  }

  const disputeMessages = ({ id, payment }: { id: string; payment: string }): Message[] =>
    catalogue.soldSeats()
      ? [
          {
            id: `group-disputed:${payment}`,
            lane: `group:${id}`,
            kind: 'group-disputed',
            payload: { id, payment },
          },
        ]
      : []

  /** Asks the managers to take over a group whose payment is disputed: now, and once more before the period ends. */
  const followDispute = ({ id, payment }: { id: string; payment: string }): Promise<void> =>
    retryPatiently(async () => {
      const loaded = await load(id).catch(unlessGone)
      if (loaded === null || loaded.group.asks_for === `disputed:${payment}`) return
      const messages = takingOver(loaded).map((seat) => ({
        id: `mail:group-disputed:${seat.id}:${payment}`,
        lane: `mail:group:${seat.id}`,
        kind: 'group-mail',
        payload: {
          kind: 'group-disputed' satisfies GroupMail,
          seat: seat.id,
          subscription: null,
          date: null,
        },
      }))
      if (messages.length === 0) return
      const until = loaded.subscription.current_period_end
      await storage.commit([
        ...save(loaded, askLater(loaded, `disputed:${payment}`, until)),
        ...outbox.steps(messages),
      ])
    })

  const messagesOf = (change: { type: string; id: string; data: object }): Message[] => {
    if (change.type !== 'subscription') return []
    const { items = [] } = change.data as { items?: readonly { price_id: string | null }[] }
    const hasSeats = plans().some(
      ({ seats, prices }) =>
        seats !== undefined && prices.some(({ id }) => items.some((item) => item.price_id === id)),
    )
    return hasSeats
      ? [
          {
            id: `group:${change.id}:${randomId()}`,
            lane: `group:${change.id}`,
            kind: 'group-look',
            payload: { id: change.id },
          },
        ]
      : []
  }

  const handlers: Handlers = {
    'group-look': ({ payload }) => follow((payload as { id: string }).id),
    'group-disputed': ({ payload }) => followDispute(payload as { id: string; payment: string }),
  }

  const runDue = async (): Promise<number> => {
    let looked = 0
    for (;;) {
      const due = await claim(now(), 20)
      for (const { subscription_id } of due) {
        await follow(subscription_id).catch((error: unknown) =>
          log('a group could not be looked at', { subscription: subscription_id, reason: String(error) }),
        )
        looked++
      }
      if (due.length === 0) return looked
    }
  }

  const forgetLapsed = (): Promise<void> => storage.commit([step(life.forgetLapsed, { at: at() })])

  const mail = (
    kind: GroupMail,
    seat: string,
    subscription: string | null = null,
    date: string | null = null,
  ): Step[] =>
    outbox.steps([
      {
        id: `mail:${kind}:${seat}:${randomId()}`,
        lane: `mail:group:${seat}`,
        kind: 'group-mail',
        payload: { kind, seat, subscription, date } satisfies GroupMailPayload,
      },
    ])

  return {
    invite,
    remove,
    leave,
    transfer,
    lookAtLink,
    join,
    show,
    ofMember,
    mayManage,
    follow,
    ownerLeaves,
    settleLost,
    messagesOf,
    disputeMessages,
    handlers,
    runDue,
    forgetLapsed,
    planOf,
    isOpenSeat,
  }
}

/** A mail about a group. */
export type GroupMail =
  | 'group-invitation'
  | 'group-fewer'
  | 'group-ended'
  | 'group-takeover'
  | 'group-disputed'
  | 'group-reminder'

/** The message of a mail about a group. */
export interface GroupMailPayload {
  readonly kind: GroupMail
  readonly seat: string
  readonly subscription: string | null
  /** When the group ends, of a reminder. */
  readonly date: string | null
}

/** Whom to invite to a seat. */
export interface Invitation {
  readonly subscriptionId: string
  readonly email: string
  /** `member` unless given; a manager invites and removes others. */
  readonly role?: 'member' | 'manager'
  readonly language?: string | null
}

/** Which seat ends, and why. */
export interface Removal {
  readonly subscriptionId: string
  readonly seatId: string
  readonly reason?: 'removed' | 'left'
}

/** For how long an invitation holds its seat: 14 days. */
export const inviteMs = 14 * 86_400_000
const leaseMs = 120_000 + clockSkewMs
const dayMs = 86_400_000
// Three days before a group ends, its managers are asked once more.
const reminderMs = 3 * dayMs

const emptyGroup = {
  manager_id: null,
  holds_until: null,
  open_until: null,
  look_at: null,
  revision: 0,
  asks_at: null,
  asks_for: null,
  lost_at: null,
}

function earliest(...moments: readonly (string | null)[]): string | null {
  return moments.filter((moment) => moment !== null).sort()[0] ?? null
}

// A subscription whose terms were never stored has no seats once its plan has none.
function unlessGone(error: unknown): null {
  if (isMembershipError(error, 'ERR_NOT_FOUND')) return null
  throw error
}

function seatsOf({ seats }: GroupPlan, { quantity }: Subscription): number {
  return seats === 'quantity' ? (quantity ?? 1) : seats
}

/** The seats of now: those that were paid for this period count until its end. */
function seatsNow({ plan, subscription, group }: Loaded): number {
  return seatsOf(plan, subscription) || group.seats
}

function hasSeat({ ownerId, live }: Loaded, memberId: string): boolean {
  return (
    ownerId === memberId ||
    live.some(({ status, member_id }) => status === 'joined' && member_id === memberId)
  )
}

/** The seats whose members can take a group over: its managers', without one all of them. */
function takingOver({ live }: Loaded): readonly SeatRow[] {
  const joined = live.filter(({ status }) => status === 'joined')
  const managers = joined.filter(({ role }) => role === 'manager')
  return managers.length > 0 ? managers : joined
}

function lapsedLink(): MembershipError<'ERR_LINK'> {
  return new MembershipError('ERR_LINK', 'This invitation does not count any more.', {
    action: 'Ask the person who invited you for another one.',
  })
}

function closedGroup(): MembershipError<'ERR_LINK'> {
  return new MembershipError(
    'ERR_LINK',
    'The membership that pays for this seat has ended, or is not paid.',
    {
      action: 'Ask the person who invited you. The invitation counts again once the membership is paid.',
    },
  )
}

function isSameGroup(plan: GroupPlan | undefined, other: GroupPlan): boolean {
  return plan !== undefined && groupOf(plan) === groupOf(other)
}

function isLive({ status, expires_at }: SeatRow, at: string): boolean {
  return status === 'joined' || (status === 'invited' && expires_at !== null && expires_at > at)
}

function toSeat(seat: SeatRow): GroupSeat {
  return {
    id: seat.id,
    subscription_id: seat.subscription_id,
    email: seat.email,
    member_id: seat.member_id,
    created_at: seat.created_at,
    expires_at: seat.expires_at,
    joined_at: seat.joined_at,
    ended_for: seat.ended_for,
    role: seat.role as GroupSeat['role'],
    status: seat.status as GroupSeat['status'],
  }
}

function toGroup(loaded: Loaded): Group {
  return {
    subscription_id: loaded.key.subscription_id,
    provider: loaded.key.provider,
    plan: loaded.plan.id,
    owner_id: loaded.ownerId,
    seats: seatsNow(loaded),
    free: Math.max(0, seatsNow(loaded) - 1 - loaded.live.length),
    shrinks_at: loaded.group.holds_until,
    lost_at: loaded.group.lost_at,
    members: loaded.live.map(toSeat),
  }
}
