import { setTimeout as sleep } from 'node:timers/promises'
import {
  boughtLimits,
  type CountedBucket,
  isCountOf,
  type Limit,
  type LimitRefusal,
  type LimitRows,
  type LimitUsage,
  limitNames,
  limitOf,
  splitOver,
} from '../../core/access/index.ts'
import { findNearest } from '../../core/config/index.ts'
import type { Plan } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import type { LimitId, Names, RegisteredNames } from '../../core/register.ts'
import { type Step, type Storage, step, unlessConflict } from '../../core/storage/index.ts'
import { countersOf, createCurrent, createLimitReader, type LimitPart, type User } from '../members/index.ts'
import { type KeyRow, keyDays, limitStatements } from './statements.ts'

/** A member who was loaded, or the id of one. */
export type LimitOwner = User | string

/** An amount that is held for work that may fail. */
export interface Reservation {
  /** The key of the hold: another process keeps it with `m.limits.use(user, name, amount, { key })`. */
  readonly key: string
  readonly amount: number
  /** From then on it is let go by itself, ISO 8601 UTC. Null where the same key was kept before. */
  readonly expires_at: string | null
  /** The work is done: what was held is used. @throws ERR_LIMIT where it was let go meanwhile and nothing is left */
  keep(): Promise<Limit>
  /** The work failed: what is still held is given back. After `keep`, and again, it changes nothing. */
  release(): Promise<Limit>
}

/** A correction by hand: above 0 adds a credit, below 0 takes as a use does. */
export interface LimitCorrection {
  readonly memberId: string
  readonly name: string
  readonly amount: number
  readonly reason: string
  readonly by: string
  /** When a credit ends; never unless given. */
  readonly expiresAt?: Date | null
}

/** Counted allowances: taken, held, given back and corrected. */
export interface Limits<N extends Names = RegisteredNames> {
  /**
   * Takes, or throws. The same `key` takes once within 30 days; without one each call takes once more.
   * @throws ERR_LIMIT when less is left, ERR_NOT_FOUND for an id of nobody, ERR_USAGE
   */
  use(who: LimitOwner, name: N['limits'], amount?: number, how?: { readonly key?: string }): Promise<Limit>
  /** Gives back what a key took; without a key so much of what was used last. Again with the key, it changes nothing. */
  release(who: LimitOwner, name: N['limits'], what?: number | { readonly key: string }): Promise<Limit>
  /**
   * Holds an amount for `minutes` (15 unless given), after which it is let go by itself. A key that holds
   * already returns what it holds, whatever is asked now.
   * @throws ERR_LIMIT
   */
  reserve(
    who: LimitOwner,
    name: N['limits'],
    amount?: number,
    how?: { readonly key?: string; readonly minutes?: number },
  ): Promise<Reservation>
  /** The limits that the site's plans have, as this member has them now. */
  list(who: LimitOwner): Promise<readonly Limit[]>
  /** Corrects by hand, and returns the limit as it is then. @throws ERR_LIMIT when more is taken than is left */
  correct(correction: LimitCorrection): Promise<Limit>
  /** Lets go of holds whose time is over. */
  letGoDue(): Promise<void>
}

export interface LimitsDeps {
  readonly storage: Storage
  readonly plans: () => readonly Plan[]
  readonly findMember: (id: string) => Promise<User | null>
  readonly now: () => Date
  readonly randomId: () => string
  /** The steps that tell hooks of a limit; null where no hook listens. */
  readonly tell: ((notice: LimitNotice) => readonly Step[]) | null
  readonly log: Log
}

/** Little or nothing is left of a limit. */
export interface LimitNotice {
  readonly hook: 'limit.near' | 'limit.reached'
  readonly memberId: string
  readonly limit: Limit
  /** The same for the same count of the same member. */
  readonly id: string
}

// Near: a fifth is left, or less.
const nearPart = 5
const usualHoldMinutes = 15
// Each conflict means that somebody else was served.
const maxTries = 60

/** Counts for one site, exact in any number of processes: each take is decided by one statement of the database. */
export function createLimits(deps: LimitsDeps): Limits {
  const { storage, plans, findMember, now, randomId } = deps
  const statements = limitStatements(storage)
  const readLimits = createLimitReader(storage)
  const notify = createNotices(deps, statements)
  const current = createCurrent(storage)

  /** Everything that plans count now, and what the member's top-ups added when they were bought. */
  const namesOf = (user: User): readonly string[] => {
    const bought = boughtLimits({ payments: user.payments() })
    return bought.length === 0 ? limitNames(plans()) : [...new Set([...limitNames(plans()), ...bought])]
  }

  const load = async (who: LimitOwner): Promise<User> => {
    if (typeof who !== 'string') return who
    const user = await findMember(who)
    if (user !== null) return user
    throw new MembershipError('ERR_NOT_FOUND', `No member ${who}.`)
  }

  /** The account that stays: a member may have been loaded before a merge. */
  const present = async (user: User): Promise<User> => {
    const id = await current.idOf(user.id)
    if (id === null) throw new MembershipError('ERR_NOT_FOUND', `No member ${user.id}.`)
    return id === user.id ? user : load(id)
  }

  /** Reads the counts anew, after letting go of holds whose time is over. */
  const refresh = async (user: User): Promise<void> => {
    const at = now().toISOString()
    for (const hold of await storage.all(statements.overOf, { member_id: user.id, now: at }))
      await giveBack(
        hold,
        step(statements.letGo, { ...keyOf(hold), held_until: hold.held_until!, released_at: at }, 1),
      )
    const counter = counting(user)
    counter.replace(await readLimits(user.id, counter.pools()))
  }

  const giveBack = async (row: KeyRow, closing: Step): Promise<void> => {
    const parts = JSON.parse(row.parts) as LimitPart[]
    const { member_id, name, taken_at } = row
    await unlessConflict(
      storage.commit([
        closing,
        ...parts.map(([bucket, count, pool]) =>
          step(statements.giveBack, { member_id: pool ?? member_id, name, bucket, count, taken_at }),
        ),
      ]),
    )
  }

  /** The key as it stands: null where it takes, because nobody has it or its days are over. */
  const standingKey = async (member_id: string, name: string, key: string) => {
    const [row] = await storage.all(statements.keyOf, { member_id, name, key })
    if (row === undefined || row.released_at !== null) return { row: null, drop: [] }
    const isOld = Date.parse(row.taken_at) + keyDays * 86_400_000 <= now().getTime()
    if (!isOld) return { row, drop: [] }
    return { row: null, drop: [step(statements.dropKey, { ...keyOf(row), taken_at: row.taken_at })] }
  }

  const take = async (
    user: User,
    name: string,
    amount: number,
    { key, heldUntil = null }: { key?: string | undefined; heldUntil?: string | null },
  ): Promise<Limit> => {
    const counter = counting(user)
    let drop: readonly Step[] = []
    for (let tries = 1; ; tries++) {
      const at = now().toISOString()
      const [buckets, rows] = [counter.buckets(name), counter.rows()]
      const parts = splitOver(amount, buckets)
      if (parts !== null) {
        const unit = current.steps(user.id, (write) => [
          ...drop,
          ...(key === undefined
            ? []
            : [
                write(
                  statements.takeKey,
                  {
                    member_id: user.id,
                    name,
                    key,
                    amount,
                    taken_at: at,
                    held_until: heldUntil,
                    parts: JSON.stringify(parts.map(toPart)),
                    released_at: null,
                  },
                  1,
                ),
              ]),
          ...parts.map(({ bucket, take: used }) =>
            write(statements.take, rowOf(user.id, name, bucket, used), 1),
          ),
        ])
        if (await unlessConflict(storage.commit(unit))) return noteTaken(user, name, { buckets, rows, parts })
      }
      // Loaded before a merge: what was used counts at the account that stayed.
      const owner = await present(user)
      if (owner.id !== user.id) return take(owner, name, amount, { key, heldUntil })
      if (key !== undefined) {
        const standing = await standingKey(user.id, name, key)
        if (standing.row !== null) {
          const kept = await keepOf(standing.row, heldUntil)
          if (kept) return fresh(user, name)
        }
        drop = standing.drop
      }
      // What was loaded with the member may be old: nobody is refused by it.
      await refresh(user)
      if (splitOver(amount, counter.buckets(name)) === null) {
        await notify(user, name)
        throw refused(name, amount, limitOf(name, counter.buckets(name)), plans())
      }
      if (tries >= maxTries)
        throw new MembershipError('ERR_BUSY', `Too many take from "${name}" of one member at once.`, {
          retryAfterSeconds: 1,
        })
      if (tries > 3) await sleep(Math.random() * Math.min(50, tries * 2))
    }
  }

  /** True if the key took already; a hold that is used now is kept. */
  const keepOf = async (row: KeyRow, heldUntil: string | null): Promise<boolean> => {
    if (row.held_until === null || heldUntil !== null)
      return row.held_until === null || row.held_until > now().toISOString()
    return unlessConflict(
      storage.commit([step(statements.keepKey, { ...keyOf(row), now: now().toISOString() }, 1)]),
    )
  }

  const fresh = async (user: User, name: string): Promise<Limit> => {
    await refresh(user)
    return limitOf(name, counting(user).buckets(name))
  }

  /** What this process took shows at once; what others took, when the member is loaded again. */
  const noteTaken = (
    user: User,
    name: string,
    split: {
      readonly buckets: readonly CountedBucket[]
      /** The rows by which they were counted. */
      readonly rows: LimitRows
      readonly parts: readonly { readonly bucket: CountedBucket; readonly take: number }[]
    },
  ): Limit | Promise<Limit> => {
    const counter = counting(user)
    const known = counter.rows()
    const taken = [...known.usage]
    for (const { bucket, take } of split.parts) {
      const at = taken.findIndex((row) => isCountOf(row, name, bucket))
      const row = taken[at]
      // Another use of the same loaded member may have been noted since these parts were split.
      const used = take + (row !== undefined && row.ends_at > bucket.at ? row.used : 0)
      const counted: LimitUsage = {
        name,
        bucket: bucket.bucket,
        starts_at: bucket.starts_at,
        ends_at: bucket.until,
        used,
        ...(bucket.pool !== undefined && { pool: bucket.pool }),
      }
      if (row === undefined) taken.push(counted)
      else taken[at] = counted
    }
    counter.replace({ usage: taken, credits: known.credits, holds: known.holds })
    const buckets =
      known === split.rows
        ? split.buckets.map((bucket) => {
            const part = split.parts.find((each) => each.bucket === bucket)
            return part === undefined ? bucket : { ...bucket, used: bucket.used + part.take }
          })
        : counter.buckets(name)
    const limit = limitOf(name, buckets)
    return deps.tell === null ? limit : notify(user, name).then(() => limit)
  }

  const releaseKey = async (user: User, name: string, key: string): Promise<Limit> => {
    const [row] = await storage.all(statements.keyOf, { member_id: user.id, name, key })
    if (row === undefined)
      throw new MembershipError('ERR_NOT_FOUND', `Nothing of "${name}" was used with the key "${key}".`)
    const released_at = now().toISOString()
    if (row.released_at === null)
      await giveBack(
        row,
        step(statements.releaseKey, { ...keyOf(row), taken_at: row.taken_at, released_at }, 1),
      )
    return fresh(user, name)
  }

  /** Gives back what a key still holds. What it used stays used: a repeated job's failure is not the first one's. */
  const releaseHold = async (user: User, name: string, key: string): Promise<Limit> => {
    const [row] = await storage.all(statements.keyOf, { member_id: user.id, name, key })
    if (row !== undefined && row.held_until !== null && row.released_at === null) {
      const closing = { ...keyOf(row), held_until: row.held_until, released_at: now().toISOString() }
      await giveBack(row, step(statements.letGo, closing, 1))
    }
    return fresh(user, name)
  }

  /** Without a key: what was used last goes back first. */
  const releaseAmount = async (user: User, name: string, amount: number): Promise<Limit> => {
    for (let tries = 1; ; tries++) {
      await refresh(user)
      const taken_at = now().toISOString()
      let missing = amount
      const back = [...counting(user).buckets(name)].reverse().flatMap(({ bucket, pool, used }) => {
        const count = Math.min(missing, used)
        missing -= count
        const row = { member_id: pool ?? user.id, name, bucket, count, taken_at }
        return count > 0 ? [step(statements.giveBack, row, 1)] : []
      })
      if (back.length === 0 || (await unlessConflict(storage.commit(back)))) return fresh(user, name)
      if (tries >= maxTries)
        throw new MembershipError('ERR_BUSY', `Too many use "${name}" of one member at once.`, {
          retryAfterSeconds: 1,
        })
    }
  }

  const limits: Limits = {
    use: async (who, name, amount = 1, { key } = {}) => {
      const user = await load(who)
      checkUse(name, amount, namesOf(user))
      return take(user, name, amount, { key })
    },
    release: async (who, name, what = 1) => {
      const user = await present(await load(who))
      checkUse(name, typeof what === 'number' ? what : 1, namesOf(user))
      return typeof what === 'number' ? releaseAmount(user, name, what) : releaseKey(user, name, what.key)
    },
    reserve: async (who, name, amount = 1, { key = randomId(), minutes = usualHoldMinutes } = {}) => {
      const user = await load(who)
      checkUse(name, amount, namesOf(user))
      if (!(minutes > 0 && minutes <= 60 * 24 * 7))
        throw new MembershipError('ERR_USAGE', 'A reservation lasts from a moment to a week, in minutes.')
      const expires_at = new Date(now().getTime() + minutes * 60_000).toISOString()
      await take(user, name, amount, { key, heldUntil: expires_at })
      const [row] = await storage.all(statements.keyOf, { member_id: user.id, name, key })
      const held = row === undefined ? amount : row.amount
      return {
        key,
        amount: held,
        expires_at: row === undefined ? expires_at : row.held_until,
        keep: () => limits.use(user, name, held, { key }),
        release: async () => releaseHold(await present(user), name, key),
      }
    },
    list: async (who) => {
      const user = await load(who)
      await refresh(user)
      return namesOf(user).map((name) => limitOf(name, counting(user).buckets(name)))
    },
    correct: async ({ memberId, name, amount, reason, by, expiresAt = null }) => {
      const user = await load(memberId)
      checkUse(name, Math.abs(amount), namesOf(user))
      if (amount < 0) return limits.use(user, name as LimitId, -amount)
      const credit = {
        id: randomId(),
        member_id: user.id,
        name,
        amount,
        reason,
        created_by: by,
        created_at: now().toISOString(),
        expires_at: expiresAt?.toISOString() ?? null,
      }
      const given = current.steps(user.id, (write) => [write(statements.credit, credit, 1)])
      if (await unlessConflict(storage.commit(given))) return fresh(user, name)
      return limits.correct({ memberId: (await present(user)).id, name, amount, reason, by, expiresAt })
    },
    letGoDue: async () => {
      for (;;) {
        const at = now().toISOString()
        const due = await storage.all(statements.over, { now: at })
        for (const hold of due)
          await giveBack(
            hold,
            step(statements.letGo, { ...keyOf(hold), held_until: hold.held_until!, released_at: at }, 1),
          )
        if (due.length < 100) return
      }
    },
  }
  return limits
}

/**
 * Tells hooks once for each count that little is left, and that nothing is. A failure is logged alone, because a use
 * that was counted is done; the next use tries again.
 */
function createNotices(
  { storage, tell, log }: Pick<LimitsDeps, 'storage' | 'tell' | 'log'>,
  statements: ReturnType<typeof limitStatements>,
) {
  const readLimits = createLimitReader(storage)
  const notify = async (user: User, name: string): Promise<void> => {
    if (tell === null) return
    const counter = counting(user)
    counter.replace(await readLimits(user.id, counter.pools()))
    const buckets = counter.buckets(name)
    const [first] = buckets
    if (first === undefined) return
    const limit = limitOf(name, buckets)
    const whole = limit.used + limit.left
    if (limit.left * nearPart > whole) return
    const hook = limit.left === 0 ? 'limit.reached' : 'limit.near'
    const counts = first.pool ?? user.id
    const at = { member_id: counts, name, bucket: first.bucket }
    const id = `${hook}:${counts}:${name}:${first.bucket}:${first.until}`
    await unlessConflict(
      storage.commit([
        step(statements.notify, { ...at, level: hook === 'limit.near' ? 1 : 2 }, 1),
        ...tell({ hook, memberId: user.id, limit, id }),
      ]),
    )
  }
  return (user: User, name: string): Promise<void> =>
    notify(user, name).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      log('hooks could not be notified how little is left of a limit', {
        member: user.id,
        limit: name,
        reason,
      })
    })
}

function counting(user: User) {
  const counter = countersOf(user)
  if (counter !== undefined) return counter
  throw new MembershipError('ERR_USAGE', 'This user was not loaded by this package.', {
    action: 'Hand over view.user(), or the id of the member.',
  })
}

function keyOf({ member_id, name, key }: Pick<KeyRow, 'member_id' | 'name' | 'key'>) {
  return {
    member_id,
    name,
    key,
  }
}

function toPart({ bucket, take }: { bucket: CountedBucket; take: number }): LimitPart {
  return bucket.pool === undefined ? [bucket.bucket, take] : [bucket.bucket, take, bucket.pool]
}

function rowOf(member_id: string, name: string, bucket: CountedBucket, used: number) {
  const { starts_at, ends_at, amount, at } = bucket
  return {
    member_id: bucket.pool ?? member_id,
    name,
    bucket: bucket.bucket,
    ends_at,
    used,
    amount,
    at,
    // A provider's clock may be ahead of ours, and what is taken now is given back to this count.
    starts_at: at !== '' && starts_at > at ? at : starts_at,
  }
}

function checkUse(name: string, amount: number, names: readonly string[]): void {
  if (!names.includes(name)) {
    const closest = findNearest(name, names)
    throw new MembershipError('ERR_USAGE', `No plan and no top-up counts "${name}".`, {
      action: closest
        ? `Did you mean "${closest}"?`
        : `Limits: ${names.join(', ') || 'none'}. See docs/limits.md.`,
    })
  }
  if (Number.isSafeInteger(amount) && amount > 0) return
  throw new MembershipError('ERR_USAGE', 'An amount is a whole number above 0.')
}

/** The refusal, with what would open more: dearer amounts of other plans, and top-ups. */
function refused(
  name: string,
  amount: number,
  limit: Limit,
  plans: readonly Plan[],
): MembershipError<'ERR_LIMIT'> {
  const more = plans
    .filter(
      ({ limits, prices }) => (limits?.[name]?.amount ?? 0) > limit.amount && prices.some((p) => !p.retired),
    )
    .map((plan) => ({ plan: plan.id, amount: plan.limits![name]!.amount, every: plan.limits![name]!.every }))
  const topUps = plans
    .flatMap(({ prices }) => prices)
    .filter(({ adds, retired }) => !retired && adds?.[name] !== undefined)
    .map((price) => ({ plan: price.plan, price: price.id, amount: price.adds![name]!.amount }))
  const until = limit.resets_at === null ? '' : ` The count begins anew at ${limit.resets_at}.`
  const extensions: LimitRefusal & Record<string, unknown> = { limit, opens_more: more, top_ups: topUps }
  return new MembershipError(
    'ERR_LIMIT',
    `${amount} of "${name}" asked for, and ${limit.left} left.${until}`,
    { action: offerWords(more, topUps), extensions },
  )
}

function offerWords(
  more: readonly { readonly plan: string; readonly amount: number }[],
  topUps: readonly { readonly price: string; readonly amount: number }[],
): string {
  const offers = [
    ...new Set([
      ...more.map(({ plan, amount }) => `the plan ${plan} (${amount})`),
      ...topUps.map(({ price, amount }) => `the top-up ${price} (${amount} more)`),
    ]),
  ]
  return offers.length === 0 ? 'Wait until the count begins anew.' : `More: ${offers.join(', ')}.`
}
