import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { createLedgerDoors } from '../ledger/index.ts'
import { createAccountDoor } from './doors.ts'
import type { Invalidation } from './invalidation.ts'
import { type MemberRow, memberStatements } from './statements.ts'

/** Steps of a person's proof that an address is theirs, for use in a larger unit. */
export interface Proving {
  /** Steps that verify a member with that address. They conflict if it was merged, or has another address meanwhile. */
  verification(member: { id: string; email: string | null; isVerified: boolean }): Step[]
  /** Steps that create a member. They conflict if somebody has the address meanwhile. */
  creation(row: MemberRow): Step[]
}

export interface ProvingDeps {
  readonly storage: Storage
  readonly invalidation: Invalidation
  readonly now: () => Date
  /** The steps that queue a notification about the changed member. */
  readonly noteChange: (memberId: string) => readonly Step[]
  /** Steps that run when an address is verified for the first time. */
  readonly proved?: (memberId: string) => readonly Step[]
}

/** The first proof ends every earlier session and voids every request made in them. */
export function createProving({
  storage,
  invalidation,
  now,
  noteChange,
  proved = () => [],
}: ProvingDeps): Proving {
  const statements = memberStatements(storage)
  const account = createAccountDoor(storage)
  const ledger = createLedgerDoors(storage)
  const at = () => now().toISOString()

  const claim = (member_id: string, email: string | null): Step[] =>
    email === null ? [] : [ledger.claimWaiting({ member_id, email })]

  // Anybody who used the account before its owner's proof was a guest. Their requests are void.
  const guestsOut = (member_id: string, email: string | null): Step[] => [
    ...invalidation.all({ id: member_id, email }, at()),
    step(statements.sessionsRevoke, { member_id, revoked_at: at() }),
  ]

  return {
    verification: ({ id, email, isVerified }) => [
      step(statements.verify, { id, email, updated_at: at() }, 1),
      ...claim(id, email),
      ...(isVerified ? [] : [...guestsOut(id, email), ...proved(id)]),
      ...noteChange(id),
    ],
    creation: (row) => [
      account.add(row),
      ...(row.email_verified === 1 ? claim(row.id, row.email) : []),
      ...noteChange(row.id),
    ],
  }
}
