import { type Statement, type Step, type Storage, step } from '../../core/storage/index.ts'

/**
 * A statement that writes something new for a member. No step is built of it but by `Current`, so that nobody forgets that
 * the account may have been merged or deleted since the member was loaded.
 */
export interface ForMember<P extends { member_id: string }> {
  readonly ofMember: Statement<P>
}

/** Marks a statement that writes something new for a member. */
export const forMember = <P extends { member_id: string }>(ofMember: Statement<P>): ForMember<P> => ({
  ofMember,
})

/** A step of a marked statement without the check. `_why` says who makes sure of the account instead. */
export const unchecked = <P extends { member_id: string }>(
  statement: ForMember<P>,
  params: P,
  _why: string,
): Step => step(statement.ofMember, params)

/** Builds a step of a marked statement. */
export type MemberWrite = <P extends { member_id: string }>(
  statement: ForMember<P>,
  params: P,
  expectRows?: number,
) => Step

/** The account that what is written for a member belongs to. */
export interface Current {
  /** The account of a member's id, after merges the one that was kept; null for one that is deleted or unknown. */
  idOf(id: string): Promise<string | null>
  /**
   * The step that a write for a member carries: the unit is a conflict if the account was merged or left meanwhile. It
   * locks the member's row.
   */
  step(id: string): Step
  /** Steps that write for a member, after the one that the account is still there. */
  steps(id: string, build: (write: MemberWrite) => readonly Step[]): readonly Step[]
  /** The same for an account that may be on its way out: it was not merged into another. */
  unlessMerged(id: string, build: (write: MemberWrite) => readonly Step[]): readonly Step[]
}

const write: MemberWrite = (statement, params, expectRows) => step(statement.ofMember, params, expectRows)

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
  /** Locks the member's row, and changes none if the account was merged meanwhile. */
  const isCurrent = storage.prepare<{ id: string }>({ lock: 'members', name: 'member-current' }, (db, p) =>
    db
      .updateTable('members')
      .set((eb) => ({ merged_into: eb.ref('merged_into') }))
      .where('id', '=', p.id)
      .where('merged_into', 'is', null),
  )
  const idOf = async (id: string): Promise<string | null> => {
    const [row] = await storage.all(find, { id })
    if (!row || row.leaving !== null) return null
    return row.merged_into === null ? id : idOf(row.merged_into)
  }
  return {
    idOf,
    step: (id) => step(isHere, { id }, 1),
    steps: (id, build) => [step(isHere, { id }, 1), ...build(write)],
    unlessMerged: (id, build) => [step(isCurrent, { id }, 1), ...build(write)],
  }
}
