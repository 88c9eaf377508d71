import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { createInvalidation } from './invalidation.ts'
import { type MemberRow, memberStatements } from './statements.ts'

/** The steps of somebody's proof that an address is theirs, for a unit of more. */
export interface Proving {
  /** Steps that verify a member with that address: they conflict when it has another one meanwhile. */
  verification(member: { id: string; email: string | null; isVerified: boolean }): Step[]
  /** Steps that make a new member: they conflict when somebody has the address meanwhile. */
  creation(row: MemberRow): Step[]
}

export interface ProvingDeps {
  readonly storage: Storage
  readonly now: () => Date
  /** The step that notes that a member changed, for whoever is told of it. */
  readonly noteChange: (memberId: string) => readonly Step[]
  /** Steps that are queued when an address is known to be a member's for the first time. */
  readonly proved?: (memberId: string) => readonly Step[]
}

/** With the first proof, every session from before it ends, and what was asked for in them counts no more. */
export const createProving = ({ storage, now, noteChange, proved = () => [] }: ProvingDeps): Proving => {
  const statements = memberStatements(storage)
  const invalidation = createInvalidation(storage)
  const at = () => now().toISOString()

  const claim = (member_id: string, email: string | null): Step[] =>
    email === null ? [] : [step(statements.claim, { member_id, email })]

  // Whoever used the account before its owner proved to be it was a guest, and what they asked for counts no more.
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
      step(statements.insert, row, 1),
      ...(row.email_verified === 1 ? claim(row.id, row.email) : []),
      ...noteChange(row.id),
    ],
  }
}
