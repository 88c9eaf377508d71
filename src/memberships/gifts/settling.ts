import { isEnded, isPaused, type Subscription } from '../../core/dto/index.ts'
import { isMembershipError } from '../../core/errors.ts'
import { retryOnConflict, type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { isFailure, isFinal, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { endOf, nextStep, openFor } from './gift-time.ts'
import { type GiftsDeps, messageOf, minuteMs, type Parts } from './parts.ts'
import { type GiftRow, type GrantRun, giftStatements } from './statements.ts'

/** The renewal that a gift postpones. */
export interface PutOff {
  readonly provider: string
  readonly account: string
  readonly id: string
  readonly from: string
  readonly until: string
  readonly state: 'asked' | 'done' | 'refused'
}

/** Says if a gift of the member puts off the renewal of a subscription, also while the provider is asked for it. */
export function putOffsIn(
  storage: Storage,
): (memberId: string, subscription: Pick<PutOff, 'provider' | 'account' | 'id'>) => Promise<boolean> {
  const { ofMember } = giftStatements(storage)
  return async (member_id, { provider, account, id }) =>
    (await storage.all(ofMember, { member_id })).some(({ put_off }) => {
      const made = put_off === null ? null : (JSON.parse(put_off) as PutOff)
      return (
        made !== null &&
        made.state !== 'refused' &&
        made.provider === provider &&
        made.account === account &&
        made.id === id
      )
    })
}

export interface SettlingTime {
  /** Starts, interrupts or continues the time of a redeemed gift. */
  settle(id: string): Promise<void>
  settleSoon(id: string): Promise<void>
  /**
   * Builds the steps of a resumption that follow a gift. A cancellation that is undone had taken the pause back, so the
   * renewal is put off again. A pause that is undone before it begins leaves the renewal where it was, and the gift's time
   * follows what is paid. A gift that has begun meanwhile, or that was closed, asks for nothing.
   */
  resuming(user: User, subscription: Subscription): Promise<readonly Step[]>
}

/** Starts, interrupts and ends the time of redeemed gifts. */
export function createSettlingTime(
  deps: GiftsDeps,
  { statements, grants, at, later, scheduleNext, mail }: Parts,
): SettlingTime {
  const { storage, users, rules, providers, singleAction, noteChange, now, log } = deps

  const settleSoon = async (id: string): Promise<void> => {
    try {
      await settle(id)
    } catch (error) {
      // The gift is already open, and a later run does the rest.
      log('the time of a gift could not be settled', { gift: id, reason: messageOf(error) })
    }
  }

  const settle = (id: string): Promise<void> =>
    retryOnConflict(async () => {
      const [gift] = await storage.all(statements.find, { id })
      if (gift?.status !== 'redeemed' || gift.grant_id === null || gift.member_id === null) return
      const [grant] = await storage.all(statements.grant, { id: gift.grant_id })
      const member = await users.findExisting(gift.member_id)
      if (!grant || grant.revoked_at !== null || member === null) return scheduleNext(gift, null)
      const others = await storage.all(statements.otherRuns, {
        member_id: member.id,
        gate: gift.plan,
        id: grant.id,
      })
      const [joined] = await storage.all(statements.joinedAt, { member_id: member.id })
      const beside = {
        subscriptions: member.subscriptions(),
        payments: member.payments(),
        others,
        joinedAt: joined?.at ?? null,
      }
      const run = runOf(grant)
      const time = { ...gift, id: grant.id, redeemed_at: gift.redeemed_at ?? gift.created_at, run }
      const next = nextStep(time, beside, rules, now())
      switch (next.kind) {
        case 'starts': {
          const { starts_at, expires_at } = next
          await storage.commit([
            step(statements.update, { ...gift, look_at: expires_at }, 1),
            grants.setTime({ id: grant.id, starts_at, expires_at, waits: 0 }),
            ...noteChange(member.id),
            ...(isAnnounced(gift) ? mail(gift, 'gift-begun') : []),
          ])
          return
        }
        case 'waits':
          await storage.commit([
            step(
              statements.update,
              { ...gift, left_seconds: next.left_seconds, put_off: null, look_at: at() },
              1,
            ),
            grants.setTime({ id: grant.id, starts_at: null, expires_at: null, waits: 1 }),
            ...noteChange(member.id),
          ])
          return
        case 'stays':
          if (run === null && (await putOff(gift, member, next.nextAt))) return
          return scheduleNext(gift, next.nextAt)
        default:
          throw new TypeError(`unhandled ${next satisfies never}`)
      }
    })

  /**
   * Postpones the next renewal by the gift's time, for a single paid subscription whose provider supports it. The
   * member asked for it by redeeming. Returns true if the gift's row was written.
   */
  const putOff = async (gift: GiftRow, member: User, nextAt: string | null): Promise<boolean> => {
    const last = gift.put_off === null ? null : (JSON.parse(gift.put_off) as PutOff)
    if (last !== null && last.state !== 'asked') return false
    const [subscription, ...more] = openFor(
      gift.plan,
      { subscriptions: member.subscriptions(), payments: member.payments() },
      rules,
      now(),
    )
    if (subscription === undefined || more.length > 0) return false
    const from = subscription.current_period_end
    const isPending = canWait(subscription, now())
    // A renewal that was charged meanwhile shows that the pause before it was never made. The next renewal then moves.
    const isRenewed = last !== null && isPending && (last.id !== subscription.id || last.from !== from)
    const known = isRenewed ? null : last
    const provider = providerAt(providers, subscription.provider, subscription.account)
    if (known === null && (from === null || !isPending || !offers(provider, 'pause'))) return false
    const { provider: key, account, id } = subscription
    const asked: PutOff = known ?? {
      provider: key,
      account,
      id,
      from: from!,
      until: endOf(gift, from!),
      state: 'asked',
    }
    const note = (state: PutOff['state'], look_at: string | null): GiftRow => ({
      ...gift,
      put_off: JSON.stringify({ ...asked, state }),
      look_at,
    })
    // Since the answer was lost the provider made it, or the member cancelled or paused in the provider's portal.
    if (known !== null && !isPending) {
      const isMade = subscription.paused_at === asked.from && subscription.resumes_at === asked.until
      await storage.commit([
        step(statements.update, isMade ? note('done', asked.from) : note('refused', nextAt), 1),
      ])
      return true
    }
    // Stored before the call, so that a call with a lost answer is repeated under the same name.
    await storage.commit([step(statements.update, note('asked', later(retryMs(gift, now()))), 1)])
    const written = { ...gift, revision: gift.revision + 1 }
    const save = (state: PutOff['state'], look_at: string | null) =>
      storage.commit([step(statements.update, { ...note(state, look_at), revision: written.revision }, 1)])
    try {
      await singleAction.perform(
        member,
        subscription,
        { mode: 'pause', request: { from: asked.from, until: asked.until, gift: gift.id } },
        {
          kind: 'pause',
          args: { subscriptionId: subscription.id, from: asked.from, until: asked.until },
          requestedBy: { kind: 'member' },
        },
      )
      await save('done', asked.from)
    } catch (error) {
      if (error instanceof UnitConflict) throw error
      log('a renewal could not be put off for a gift', { gift: gift.id, reason: messageOf(error) })
      // The time is added after the paid period instead. Anything but a refusal is tried again until the renewal moved.
      if (isRefusal(error)) await save('refused', nextAt)
    }
    return true
  }

  const resuming = async (user: User, subscription: Subscription): Promise<readonly Step[]> => {
    const isEnding = subscription.cancel_at_period_end || subscription.cancel_at !== null
    const gifts = await storage.all(statements.ofMember, { member_id: user.id })
    return gifts.flatMap((gift) => {
      const last = gift.put_off === null ? null : (JSON.parse(gift.put_off) as PutOff)
      const isOwn =
        last?.id === subscription.id &&
        last.provider === subscription.provider &&
        last.account === subscription.account
      if (gift.status !== 'redeemed' || !isOwn || last.state !== 'done' || last.from <= at()) return []
      const next: Pick<GiftRow, 'put_off' | 'look_at'> = isEnding
        ? { put_off: null, look_at: at() }
        : { put_off: JSON.stringify({ ...last, state: 'refused' } satisfies PutOff), look_at: last.from }
      // Without a count: the provider has answered, and a gift that changed meanwhile is looked at by itself.
      return [step(statements.update, { ...gift, ...next })]
    })
  }

  return { settle, settleSoon, resuming }
}

/**
 * True where the redeemer learns by mail that the gift has begun: at its first start. A receipt tells of months bought for
 * oneself, and a renewal that was put off has its own mail.
 */
function isAnnounced({ code_hash, left_seconds, put_off }: GiftRow): boolean {
  return (
    code_hash !== null &&
    left_seconds === null &&
    (put_off === null || (JSON.parse(put_off) as PutOff).state !== 'done')
  )
}

/** Two minutes at first; later less often, an hour at most. */
function retryMs({ redeemed_at }: GiftRow, now: Date): number {
  return Math.min(
    60 * minuteMs,
    Math.max(2 * minuteMs, (now.getTime() - Date.parse(redeemed_at ?? now.toISOString())) / 4),
  )
}

/** True where the provider or our own rules said no. A failure, a rate limit and another running action pass. */
function isRefusal(error: unknown): boolean {
  return (
    isFinal(error) &&
    !isFailure(error) &&
    !isMembershipError(error, 'ERR_RATE_LIMIT') &&
    !(isMembershipError(error, 'ERR_ACTION_REFUSED') && error.reason === 'busy')
  )
}

function runOf({ starts_at, expires_at }: GrantRun) {
  return starts_at === null || expires_at === null ? null : { starts_at, expires_at }
}

/** True for a subscription whose renewals can be postponed: it is paid, and no other change is planned. */
export function canWait(s: Subscription, now: Date): boolean {
  return (
    s.status === 'active' &&
    !isEnded(s) &&
    !isPaused(s, now) &&
    [s.paused_at, s.resumes_at, s.cancel_at, s.scheduled_change].every((value) => value === null) &&
    !s.cancel_at_period_end
  )
}
