import { loginRequired } from '../../core/http/route-access.ts'
import { type Statement, type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'

/**
 * A statement that writes something new for a member. No step is built of it but by `Current`, so that nobody forgets that
 * the account may have been merged or deleted since the member was loaded.
 */
export interface ForMember<P extends object> {
  readonly ofMember: Statement<P>
}

/** Marks a statement that writes something new for a member. */
export function forMember<P extends object>(ofMember: Statement<P>): ForMember<P> {
  return {
    ofMember,
  }
}

/** A step of a marked statement without the check. `_why` says who makes sure of the account instead. */
export function unchecked<P extends object>(
  statement: ForMember<P>,
  params: P,
  _why: string,
  expectRows?: number,
): Step {
  return step(statement.ofMember, params, expectRows)
}

/** Builds a step of a marked statement. */
export type MemberWrite = <P extends object>(statement: ForMember<P>, params: P, expectRows?: number) => Step

/** The account that what is written for a member belongs to. */
export interface Current {
  /** The account of a member's id, after merges the one that was kept; null for one that is deleted or unknown. */
  idOf(id: string): Promise<string | null>
  /**
   * Steps that write for a member, after one that locks the member's row. The unit is a conflict if the account was
   * merged or left meanwhile.
   */
  steps(id: string, build: (write: MemberWrite) => readonly Step[]): readonly Step[]
  /**
   * Commits such steps.
   * @throws ERR_LOGIN_REQUIRED for an account that was merged, or is being deleted
   */
  commit(id: string, build: (write: MemberWrite) => readonly Step[]): Promise<void>
  /** The same for an account that may be on its way out: it was not merged into another. */
  unlessMerged(id: string, build: (write: MemberWrite) => readonly Step[]): readonly Step[]
}

const write: MemberWrite = (statement, params, expectRows) => step(statement.ofMember, params, expectRows)

/** Prepares the door. */
export function createCurrent(storage: Storage): Current {
  const find = storage.prepare<{ id: string }, { merged_into: string | null; leaving: string | null }>(
    'member-current-of',
    (db, p) =>
      db
        .selectFrom('members as m')
        .leftJoin('deletions as d', 'd.member_id', 'm.id')
        .select(['m.merged_into', 'd.member_id as leaving'])
        .where('m.id', '=', p.id),
  )
  const isHere = storage.prepare<{ id: string }>('member-here', (db, p) =>
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
  const isCurrent = storage.prepare<{ id: string }>('member-current', (db, p) =>
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
  const steps: Current['steps'] = (id, build) => [step(isHere, { id }, 1), ...build(write)]
  return {
    idOf,
    steps,
    commit: async (id, build) => {
      try {
        await storage.commit(steps(id, build))
      } catch (error) {
        // The sessions of the account ended with it. A login leads to the account that was kept, if there is one.
        throw error instanceof UnitConflict && error.step === isHere.name ? loginRequired() : error
      }
    },
    unlessMerged: (id, build) => [step(isCurrent, { id }, 1), ...build(write)],
  }
}
