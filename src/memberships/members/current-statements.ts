import { type Step, type Storage, step } from '../../core/storage/index.ts'

/** The account that what is written for a member belongs to. */
export interface Current {
  /** The account of a member's id, after merges the one that was kept; null for one that is deleted or unknown. */
  idOf(id: string): Promise<string | null>
  /**
   * The step that a write for a member carries: the unit is a conflict if the account was merged or left meanwhile. It
   * locks the member's row.
   */
  step(id: string): Step
}

/** Prepares the door. */
export const createCurrent = (storage: Storage): Current => {
  const find = storage.prepare<{ id: string }, { merged_into: string | null; leaving: string | null }>(
    'member-current-of',
    (db, p) =>
      db
        .selectFrom('members as m')
        .leftJoin('deletions as d', 'd.member_id', 'm.id')
        .select(['m.merged_into', 'd.member_id as leaving'])
        .where('m.id', '=', p.id),
  )
  const isHere = storage.prepare<{ id: string }>({ lock: 'members', name: 'member-here' }, (db, p) =>
    db
      .updateTable('members')
      .set((eb) => ({ merged_into: eb.ref('merged_into') }))
      .where('id', '=', p.id)
      .where('merged_into', 'is', null)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('deletions').select('member_id').where('member_id', '=', p.id))),
      ),
  )
  const idOf = async (id: string): Promise<string | null> => {
    const [row] = await storage.all(find, { id })
    if (!row || row.leaving !== null) return null
    return row.merged_into === null ? id : idOf(row.merged_into)
  }
  return { idOf, step: (id) => step(isHere, { id }, 1) }
}
