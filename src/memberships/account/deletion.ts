import { withoutAddresses } from '../../core/dto/index.ts'
import { emailHash } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import { clockSkewMs } from '../../core/jobs/clocks.ts'
import type { Log } from '../../core/log.ts'
import {
  createClaim,
  retryOnConflict,
  type Step,
  type Storage,
  step,
  type Unit,
  UnitConflict,
} from '../../core/storage/index.ts'
import { type MemberLife, nothing, stepsOf } from '../life.ts'
import { createAccountReader, createCurrent, type User, unchecked } from '../members/index.ts'
import { createMergedAccounts } from '../merging/index.ts'
import {
  type DeletionRow,
  type DeletionStep,
  deletionQueues,
  deletionStatements,
  sweepsMs,
} from './deletion-statements.ts'
import { accountLifeStatements } from './life-statements.ts'

/** The progress of an account's deletion. */
export interface Deletion {
  readonly member_id: string
  readonly requested_at: string
  /** The next step; `sweep` once the account is empty and only late data is erased. */
  readonly step: DeletionStep
  /** The error of the last failed try. */
  readonly error: string | null
  readonly attempts: number
  readonly next_try_at: string | null
  /** When the last personal data was erased. */
  readonly done_at: string | null
}

/** Deletes accounts: first at the provider, the member's data last. A deletion continues where it was interrupted. */
export interface Deletions {
  /**
   * Locks the account at once and runs as far as possible. Requesting again changes nothing.
   * @throws ERR_NOT_FOUND
   */
  request(memberId: string): Promise<Deletion>
  /** Continues the deletions that are due. Returns the number handled. */
  runDue(): Promise<number>
  /** True if the account is deleted or being deleted. Nobody may enter it. */
  isLocked(memberId: string): Promise<boolean>
  find(memberId: string): Promise<Deletion | null>
  /** Lists unfinished deletions, oldest first. */
  unfinished(): Promise<Deletion[]>
}

export interface DeletionDeps {
  readonly storage: Storage
  /** The duties of each module when an account goes. */
  readonly lives: readonly MemberLife[]
  readonly findUser: (memberId: string) => Promise<User | null>
  /**
   * Cancels every living subscription now.
   * @throws when a provider does not confirm it
   */
  readonly cancelAll: (user: User) => Promise<void>
  /** True for a provider whose purchases only their buyer can end, in an app store. The account leaves without them. */
  readonly isManagedElsewhere: (provider: string) => boolean
  /** Steps that keep anonymous data about the member. */
  readonly remember?: (user: User) => Step[]
  /** Steps of the erasing unit, such as a last mail. `user` is the member as of before. */
  readonly farewell?: (
    member: {
      id: string
      email: string
      name: string | null
      language: string | null
      /** Ids that the site's login gave the member. */
      userIds: readonly string[]
    },
    user: User | null,
  ) => Step[]
  /** Steps of the erasing unit that tell the site's login, and forget the member's ids there. */
  readonly leaveLogin?: (memberId: string) => Promise<{ steps: Step[]; userIds: string[] }>
  readonly now: () => Date
  readonly log: Log
}

const leaseMs = 120_000 + clockSkewMs
const maxTries = 10
const backoffMinutes = [1, 5, 15, 60, 360]

/** Creates the deletions. A failed step is retried after 1, 5, 15 and 60 minutes, then every six hours. */
export function createDeletions(deps: DeletionDeps): Deletions {
  const { storage, now, log } = deps
  const statements = deletionStatements(storage)
  const claims = deletionQueues(leaseMs).map((queue) => createClaim(storage, queue))
  const accounts = createAccountReader(storage)
  const current = createCurrent(storage)
  const mergedInto = createMergedAccounts(storage)
  const { formerAddresses } = accountLifeStatements(storage)

  const request: Deletions['request'] = (memberId) => retryOnConflict(() => requestOnce(memberId))

  /** @throws UnitConflict where the account was merged meanwhile */
  const requestOnce: Deletions['request'] = async (memberId) => {
    const member = await accounts.findById(memberId)
    if (!member) throw new MembershipError('ERR_NOT_FOUND', 'There is no such account.')
    const at = now().toISOString()
    if (member.merged_into !== null)
      throw new MembershipError(
        'ERR_ACTION_REFUSED',
        `${memberId} is merged into ${member.merged_into}, and leaves with it.`,
        {
          reason: 'account_merged',
          action: 'Delete that account, or take the merge back: membership members unmerge.',
        },
      )
    // This process holds the deletion from the start.
    const row = newRow(memberId, at, new Date(now().getTime() + leaseMs).toISOString())
    try {
      await storage.commit([
        ...current.unlessMerged(memberId, (write) => [write(statements.insert, row, 1)]),
        ...(await lock(memberId, at)),
      ])
      await run(row)
    } catch (error) {
      if (!(error instanceof UnitConflict)) throw error
      const begun = await find(memberId)
      if (begun === null) throw error
      // It was requested before and continues by itself.
      return begun
    }
    return (await find(memberId))!
  }

  const lock = (id: string, at: string): Promise<Step[]> => stepsOf(deps.lives, 'lock', { id, at })

  const runDue: Deletions['runDue'] = async () => {
    let looked = 0
    for (const claim of claims)
      for (;;) {
        // One deletion at a time: a silent provider takes long, and other processes can take the rest.
        const [row] = await claim(now(), 1)
        if (!row) break
        await run(row)
        looked++
      }
    return looked
  }

  /** Runs one deletion as far as possible, while it is held until `due_at`. A failure is stored and retried later. */
  const run = async (row: DeletionRow): Promise<void> => {
    const { member_id } = row
    const lease = row.due_at!
    try {
      for (let next: DeletionStep | null = row.step; next !== null; )
        next = await take({ ...row, step: next }, lease)
    } catch (error) {
      // Another process holds it, or an event about the member arrived. It is then due again.
      if (error instanceof UnitConflict) return
      const message = error instanceof Error ? error.message : String(error)
      const reason = withoutAddresses(message).slice(0, 500)
      log('the deletion of an account did not get on', { member: member_id, step: row.step, reason })
      await storage.commit([
        step(statements.fail, { member_id, lease, due_at: nextTry(now(), row.attempts), error: reason }),
      ])
    }
  }

  /** Runs one step; null after the last one for now. */
  const take = async (row: DeletionRow, lease: string): Promise<DeletionStep | null> => {
    switch (row.step) {
      case 'sweep':
        return advance(row, 'cancel', lease)
      case 'cancel':
        await cancel(row)
        return advance(row, 'verify', lease)
      case 'verify':
        await verify(row)
        return advance(row, 'erase', lease)
      case 'erase':
        await eraseAll(row, lease)
        return null
      default:
        throw new TypeError(`unhandled ${row.step satisfies never}`)
    }
  }

  const advance = async (row: DeletionRow, to: DeletionStep, lease: string): Promise<DeletionStep> => {
    const { member_id, step: from } = row
    await storage.commit([step(statements.advance, { member_id, from, to, lease }, 1)])
    return to
  }

  const cancel = async ({ member_id, done_at }: DeletionRow): Promise<void> => {
    // The first run always asks, because a provider may know a subscription that is not stored here yet.
    if (done_at !== null && (await livingOf(member_id)).length === 0) return
    const user = await deps.findUser(member_id)
    if (user) await deps.cancelAll(user)
  }

  const livingOf = async (member_id: string) => {
    const living = await storage.all(statements.living, { member_id })
    return living.filter(({ provider }) => !deps.isManagedElsewhere(provider))
  }

  const verify = async ({ member_id }: DeletionRow): Promise<void> => {
    const living = await livingOf(member_id)
    if (living.length === 0) return
    const names = living.map(({ provider, id }) => `${provider} ${id}`).join(', ')
    throw new MembershipError('ERR_PROVIDER_ANSWER', `Still not cancelled: ${names}.`)
  }

  const eraseAll = async (row: DeletionRow, lease: string): Promise<void> => {
    const { member_id } = row
    const member = await accounts.findById(member_id)
    // An unproved address may be another person's, whose purchases must not end here.
    const email = member?.email_verified === 1 ? member.email : null
    const user = row.done_at === null ? await deps.findUser(member_id) : null
    const remembered = user ? (deps.remember?.(user) ?? []) : []
    const former = await storage.all(formerAddresses, { member_id })
    const addresses = [...new Set([member?.email ?? [], former.map((change) => change.email)].flat())]
    for (const { eraseRecords } of deps.lives)
      if (eraseRecords !== nothing) await emptied(() => eraseRecords({ id: member_id, email }))
    const at = now().toISOString()
    // Never later than now, in case an earlier clock was wrong. The sweeps are counted from it.
    const done_at = row.done_at !== null && row.done_at < at ? row.done_at : at
    const due_at = nextSweep(done_at, now())
    const hash = email === null ? row.email_hash : emailHash(email)
    const finished = { member_id, lease, done_at, due_at, email_hash: due_at === null ? null : hash }
    const merged = await mergedInto(member_id)
    const { steps: login, userIds } = (await deps.leaveLogin?.(member_id)) ?? { steps: [], userIds: [] }
    await storage.commit([
      step(statements.finish, finished, 1),
      // Accounts merged into this one are deleted with it: their addresses, and late data about them.
      ...merged.map(({ id }) =>
        unchecked(statements.insert, newRow(id, at, at), 'it leaves with its account'),
      ),
      ...remembered,
      ...(await stepsOf(deps.lives, 'erase', {
        id: member_id,
        email,
        addresses,
        at,
        isFirst: row.done_at === null,
        isLast: due_at === null,
      })),
      ...(await lock(member_id, at)),
      ...login,
      ...(row.done_at === null && member?.email
        ? (deps.farewell?.({ ...member, email: member.email, userIds }, user) ?? [])
        : []),
    ])
    // Deleted data stays in the database file until it is overwritten.
    await storage.forget()
  }

  /** Writes the units one by one, and all of them again where another event about the member arrived meanwhile. */
  const emptied = async (units: () => AsyncIterable<Unit>): Promise<void> => {
    for (let tries = 1; ; tries++)
      try {
        for await (const unit of units()) await storage.commit(unit)
        return
      } catch (error) {
        if (!(error instanceof UnitConflict) || tries >= maxTries) throw error
      }
  }

  const find: Deletions['find'] = async (member_id) => {
    const [row] = await storage.all(statements.find, { member_id })
    return row ? toDeletion(row) : null
  }

  return {
    request,
    runDue,
    isLocked: async (member_id) => (await storage.all(statements.find, { member_id })).length > 0,
    find,
    unfinished: async () => {
      const rows = await storage.read((db) =>
        db.selectFrom('deletions').selectAll().where('step', '!=', 'sweep').orderBy('requested_at'),
      )
      return rows.map((row) => toDeletion(row as DeletionRow))
    },
  }
}

function newRow(member_id: string, requested_at: string, due_at: string): DeletionRow {
  return {
    member_id,
    requested_at,
    step: 'cancel',
    attempts: 0,
    due_at,
    error: null,
    done_at: null,
    email_hash: null,
  }
}

function toDeletion({ due_at, email_hash: _, ...row }: DeletionRow): Deletion {
  return {
    ...row,
    next_try_at: due_at,
  }
}

function nextTry(from: Date, attempts: number): string {
  return new Date(from.getTime() + (backoffMinutes[attempts] ?? 360) * 60_000).toISOString()
}

/** The next sweep for late data, or null after the last. */
function nextSweep(doneAt: string, now: Date): string | null {
  const moments = sweepsMs.map((ms) => Date.parse(doneAt) + ms)
  const next = moments.find((moment) => moment > now.getTime())
  return next === undefined ? null : new Date(next).toISOString()
}
