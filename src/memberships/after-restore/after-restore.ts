import { type Moment, toDate } from '../../core/moment.ts'
import { createDocuments, type Storage, step } from '../../core/storage/index.ts'
import type { Deletions } from '../account/index.ts'
import { countOpen, restoringStatements } from './statements.ts'

/** The result of the work after an older copy of the database took the place of the newer one. */
export interface Restored {
  /** Sessions, login links, changes of an address and return pages that were good in the copy. */
  readonly ended: {
    readonly sessions: number
    readonly links: number
    readonly emailChanges: number
    readonly returnPages: number
  }
  /** Mails and hooks that waited in the copy, and were delivered since: given up, and listed by `outbox list --dead`. */
  readonly messages: number
  /** Accounts that had been deleted, and are deleted again. */
  readonly deleted: readonly string[]
  /** The named members that the copy does not know, or had deleted already. */
  readonly unknown: readonly string[]
}

/** An older copy of a database is made safe to go on with; run it before the site starts, and twice does no harm. */
export const createRestoring = (deps: {
  storage: Storage
  deletions: Pick<Deletions, 'request' | 'find'>
  now: () => Date
}) => {
  const { storage, deletions, now } = deps
  const statements = restoringStatements(storage)

  const silence = [
    step(statements.messages, { error: 'An older copy was restored: this was delivered since.' }),
  ]

  /** `deleted`: the ids of accounts that were deleted since the copy was made, as `deletedSince` listed them. */
  const afterRestore = async ({ deleted = [] }: { deleted?: readonly string[] } = {}): Promise<Restored> => {
    const at = now().toISOString()
    const counted = await countOpen(storage)
    await storage.commit([
      step(statements.sessions, { at }),
      step(statements.links, { at }),
      step(statements.emailChanges, { at }),
      step(statements.mergeRequests, { at }),
      step(statements.returnPages, { at }),
      ...silence,
    ])
    await forgetNotifications(at)
    const again: string[] = []
    const unknown: string[] = []
    for (const id of deleted) {
      const [known] = await storage.all(statements.isMember, { id })
      const isNew = known !== undefined && (await deletions.find(id)) === null
      if (isNew) await deletions.request(id)
      ;(isNew ? again : unknown).push(id)
    }
    // Who left was told so already.
    await storage.commit(silence)
    return { ...counted, deleted: again, unknown }
  }

  // What happened before this moment was told of already, by the database that is no more.
  const forgetNotifications = async (at: string): Promise<void> => {
    const hooks = createDocuments(storage, 'hooks')
    if ((await hooks.get('since')) === null) return
    await hooks.put('since', at)
    await storage.commit([step(statements.told, {}), step(statements.look, { at })])
  }

  /** The accounts whose deletion was asked for since then, oldest first: to be kept beside the backups. */
  const deletedSince = async (since: Moment): Promise<{ id: string; at: string }[]> => {
    const rows = await storage.all(statements.deleted, { since: toDate(since, 'since').toISOString() })
    return rows.map(({ member_id, requested_at }) => ({ id: member_id, at: requested_at }))
  }

  return { afterRestore, deletedSince }
}
export type Restoring = ReturnType<typeof createRestoring>
