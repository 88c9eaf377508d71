import { type Moment, toDate } from '../../core/moment.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Deletions } from '../account/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import { createLostDays } from './lost-days.ts'
import { restoringStatements } from './statements.ts'

/** The result of the work after restoring an older copy of the database. */
export interface Restored {
  /** Sessions, login links, address changes and return pages that were valid in the copy. */
  readonly ended: {
    readonly sessions: number
    readonly links: number
    readonly emailChanges: number
    readonly returnPages: number
    /** Addresses of private feeds. Members copy new ones from their account. */
    readonly feeds: number
  }
  /**
   * Mails, hooks and events for receivers that waited in the copy and were delivered since. They are given up, and
   * `outbox list --dead` shows them.
   */
  readonly messages: number
  /**
   * The facts that the copy cannot know, for an operator to look at: gifts that may have been redeemed since, and groups that may
   * have lost seats. The office lists them, with those that the provider's events add later.
   */
  readonly held: {
    readonly gifts: number
    readonly groups: number
  }
  /** Accounts deleted since the copy, and deleted again. */
  readonly deleted: readonly string[]
  /** Given members that the copy does not know, or that were deleted in it already. */
  readonly unknown: readonly string[]
}

/** The counts of the lives in an older copy. */
export type EndedByLives = Restored['ended'] & Pick<Restored, 'messages'> & Restored['held']

export interface Restoring {
  /** `deleted`: the ids of accounts deleted since the copy was made, from `deletedSince`. */
  afterRestore(input?: { deleted?: readonly string[]; keepFeeds?: boolean }): Promise<Restored>
  /** Lists accounts whose deletion was requested since then, oldest first. Keep the list beside the backups. */
  deletedSince(since: Moment): Promise<{ id: string; at: string }[]>
}

/** Makes an older copy of a database safe to use. Run it before the site starts. A second run does no harm. */
export function createRestoring(deps: {
  storage: Storage
  lives: readonly MemberLife[]
  deletions: Pick<Deletions, 'request' | 'find'>
  now: () => Date
}): Restoring {
  const { storage, lives, deletions, now } = deps
  const statements = restoringStatements(storage)
  const lostDays = createLostDays(storage)

  const afterRestore = async ({
    deleted = [],
    keepFeeds = false,
  }: {
    deleted?: readonly string[]
    keepFeeds?: boolean
  } = {}): Promise<Restored> => {
    const given = { at: now().toISOString(), keepFeeds }
    const [newest] = await storage.all(statements.newestEvent, {})
    await lostDays.add({ since: newest?.received_at ?? '', until: given.at })
    const parts = await Promise.all(
      lives.flatMap(({ restore }) => (restore === nothing ? [] : [restore(given)])),
    )
    await storage.commit(parts.flatMap(({ steps }) => steps))
    const again: string[] = []
    const unknown: string[] = []
    for (const id of deleted) {
      const [known] = await storage.all(statements.isMember, { id })
      const isNew = known !== undefined && (await deletions.find(id)) === null
      if (isNew) await deletions.request(id)
      ;(isNew ? again : unknown).push(id)
    }
    await storage.commit(parts.flatMap(({ afterwards }) => afterwards))
    const counted = Object.assign({}, ...parts.map((part) => part.ended)) as EndedByLives
    const { messages, gifts, groups, ...ended } = counted
    return { ended, messages, held: { gifts, groups }, deleted: again, unknown }
  }

  const deletedSince = async (since: Moment): Promise<{ id: string; at: string }[]> => {
    const rows = await storage.all(statements.deleted, { since: toDate(since, 'since').toISOString() })
    return rows.map(({ member_id, requested_at }) => ({ id: member_id, at: requested_at }))
  }

  return { afterRestore, deletedSince }
}
