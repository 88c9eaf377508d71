import type { Payment, Subscription } from '../core/dto/index.ts'
import type { Row, Step, Tables, Unit } from '../core/storage/index.ts'

/** The name of a table. */
export type TableName = keyof Tables & string

/** A duty that a module does not have. It says so, so that nobody forgets one. */
export const nothing = 'nothing' as const
export type Nothing = typeof nothing

/** A member whose account goes. Read before anything is emptied, so that no life depends on another's order. */
export interface Leaving {
  readonly id: string
  /** The proved address; an unproved one may be another person's. */
  readonly email: string | null
  /** Every address that the account had, proved or not. */
  readonly addresses: readonly string[]
  readonly at: string
  /** True in the unit that empties the account for the first time. Later ones look for late data. */
  readonly isFirst: boolean
  /** True in the last of these units, a month later. */
  readonly isLast: boolean
}

/** The id and the address that find the records of a member whose account goes. */
export type LeavingKey = Pick<Leaving, 'id' | 'email'>

/** A member whose data is copied for them. */
export interface Exporting {
  readonly id: string
  /** The proved address. */
  readonly email: string | null
  readonly subscriptions: () => readonly Subscription[]
  readonly payments: () => readonly Payment[]
}

/** An account of a pair, as it was read. */
export type Account = Pick<
  Row<'members'>,
  'id' | 'email' | 'name' | 'language' | 'content' | 'updated_at' | 'roles'
> & { readonly email_verified: number; readonly merged_into: string | null }

/** Two accounts that become one, or two again. */
export interface Merging {
  readonly kept: Account
  readonly merged: Account
  /** The values of the kept account afterwards. */
  readonly next: Pick<Account, 'name' | 'language' | 'content'> & { readonly updated_at: string }
  /** The address of the merged account afterwards. */
  readonly email: string | null
  readonly at: string
}

/** A merge that is taken back. */
export interface Unmerging extends Merging {
  /** When the accounts became one. */
  readonly since: string
}

/** An older copy of the database that is made safe to use. */
export interface Restoring {
  readonly at: string
  /** True if addresses of feeds stay valid. */
  readonly keepFeeds: boolean
}

/** What a life does about an older copy. */
export interface RestoredPart<Ended extends object = object> {
  /** Numbers of what was valid in the copy, and is valid no more. */
  readonly ended: Ended
  readonly steps: readonly Step[]
  /** Steps that run once more after accounts were deleted again. */
  readonly afterwards: readonly Step[]
}

/**
 * What a module does in the life of a member. Every duty is there; a module that does not have one says `nothing`. The
 * lives read, then return steps that state what was read. The steps of all lives are one unit, and a conflict asks all
 * lives again.
 */
export interface MemberLife<
  Table extends TableName = TableName,
  Exported extends object = object,
  Ended extends object = object,
> {
  readonly name: string
  /** The tables that only this module writes. */
  readonly tables: readonly Table[]
  /** Steps of the unit that requests a deletion, and of the one that empties the account: nobody enters it any more. */
  readonly lock: ((member: Pick<Leaving, 'id' | 'at'>) => readonly Step[]) | Nothing
  /**
   * Units of at most 50 steps that empty records before the account goes. They can be interrupted anywhere and run again,
   * and no life depends on another's order.
   */
  readonly eraseRecords: ((member: LeavingKey) => AsyncIterable<Unit>) | Nothing
  /** Steps of the unit that empties an account. They find by id and by address. */
  readonly erase: ((member: Leaving) => Promise<readonly Step[]> | readonly Step[]) | Nothing
  /** The keys of the member's copy that this module fills. */
  readonly export: ((member: Exporting) => Promise<Exported>) | Nothing
  readonly merge: ((pair: Merging) => Promise<readonly Step[]> | readonly Step[]) | Nothing
  /** Takes back holdings, never what was used. */
  readonly unmerge: ((pair: Unmerging) => Promise<readonly Step[]> | readonly Step[]) | Nothing
  /** What an older copy must not do again. */
  readonly restore: ((restoring: Restoring) => Promise<RestoredPart<Ended>>) | Nothing
}

/** Steps as units of at most 50. */
export function* inUnits(steps: readonly Step[]): Generator<Unit> {
  for (let from = 0; from < steps.length; from += unitSize) yield steps.slice(from, from + unitSize)
}
const unitSize = 50

/** The steps of one duty, of all lives that have it. */
export async function stepsOf<Name extends 'lock' | 'erase' | 'merge' | 'unmerge'>(
  lives: readonly MemberLife[],
  duty: Name,
  given: Parameters<Exclude<MemberLife[Name], Nothing>>[0],
): Promise<Step[]> {
  const steps: Step[] = []
  for (const life of lives) {
    const does = life[duty] as ((given: unknown) => Promise<readonly Step[]> | readonly Step[]) | Nothing
    if (does !== nothing) steps.push(...(await does(given)))
  }
  return steps
}
