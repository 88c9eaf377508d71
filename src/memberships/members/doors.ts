import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { createCurrent, type MemberWrite, unchecked } from './current-statements.ts'
import { type ImportedMember, memberDoorStatements, type ProfileRow } from './door-statements.ts'
import { type CustomerOfMember, type GrantRow, type MemberRow, memberStatements } from './statements.ts'

/** An account to create. */
export type NewAccount = MemberRow

/** An account as it is stored. */
export interface StoredAccount extends MemberRow {
  /** The account that it was merged into. */
  merged_into: string | null
}

/** Reads accounts as they are stored, also merged ones and those that are being deleted. */
export interface AccountReader {
  /** Finds an account by its id. */
  findById(id: string): Promise<StoredAccount | undefined>
  /** Finds the account with an address, proved or not. */
  findByEmail(email: string): Promise<StoredAccount | undefined>
  /** Lists a member's customers at all providers. */
  customersOf(memberId: string): Promise<readonly CustomerOfMember[]>
}

/** Prepares the reader. */
export function createAccountReader(storage: Storage): AccountReader {
  const { byId, byEmail, customers } = memberStatements(storage)
  return {
    findById: async (id) => (await storage.all(byId, { id }))[0],
    findByEmail: async (email) => (await storage.all(byEmail, { email }))[0],
    customersOf: (member_id) => storage.all(customers, { member_id }),
  }
}

export interface AccountDoor {
  /** Writes a profile that nobody changed since it was read, unless the account is being deleted. */
  changeProfile(row: ProfileRow & { before: string }): Step
  /** Sets the language, unless the account is being deleted. */
  setLanguage(row: { id: string; language: string; updated_at: string }): Step
  /** Sets a free address, if nobody changed the row since it was read and the account is not being deleted. */
  setEmail(row: {
    id: string
    email: string
    email_verified: number
    updated_at: string
    before: string
  }): Step
  /** Takes an address from another account that has not proved it. */
  releaseEmail(row: { email: string; id: string; updated_at: string }): Step
  /** Sets an unknown language to that of the page of a purchase. */
  setLanguageOfPurchase(purchase: { id: string; member: string; at: string }): Step
  /** Turns optional mails off, or on with null. */
  setMailsOff(row: { id: string; mails_off_at: string | null }): Step
  /** Creates an account, unless somebody has the address. */
  add(row: NewAccount): Step
  /** The member still has this address, with the same verification state. */
  hasAddress(member: { id: string; email: string; email_verified: number }): Step
  /** The account is still merged into the same account, or into none. */
  isMergedInto(id: string, merged_into: string | null): Step
  /** Nobody has this address. */
  nobodyHas(email: string): Step
  /** Creates an imported account. */
  addImported(row: ImportedMember): Step
  /** Copies an account of another database. Writes nothing if somebody has the address. */
  copy(row: NewAccount): Step
}

/** Makes steps about accounts, for the units of other modules. */
export function createAccountDoor(storage: Storage): AccountDoor {
  const statements = memberDoorStatements(storage)
  return {
    changeProfile: (row: ProfileRow & { before: string }): Step => step(statements.profile, row, 1),
    setLanguage: (row: { id: string; language: string; updated_at: string }): Step =>
      step(statements.language, row),
    setEmail: (row: {
      id: string
      email: string
      email_verified: number
      updated_at: string
      before: string
    }): Step => step(statements.email, row, 1),
    releaseEmail: (row: { email: string; id: string; updated_at: string }): Step =>
      step(statements.release, row),
    setLanguageOfPurchase: (purchase: { id: string; member: string; at: string }): Step =>
      step(statements.speaks, purchase),
    setMailsOff: (row: { id: string; mails_off_at: string | null }): Step => step(statements.mailsOff, row),
    add: (row: NewAccount): Step => step(statements.memberInsert, row, 1),
    hasAddress: (member: { id: string; email: string; email_verified: number }): Step =>
      step(statements.memberStands, member, 1),
    isMergedInto: (id: string, merged_into: string | null): Step =>
      step(statements.memberMerged, { id, merged_into }, 1),
    nobodyHas: (email: string): Step => step(statements.nobodyHas, { email }, 0),
    addImported: (row: ImportedMember): Step => step(statements.memberImport, row, 1),
    copy: (row: NewAccount): Step => step(statements.memberInsert, row),
  }
}

export interface GrantDoor {
  /** Lists every grant that a member ever had. An import does not give a revoked one again. */
  listIds(memberId: string): Promise<string[]>
  /** Gives access in a unit that makes sure of the account itself. `why` says how. */
  addUnchecked(row: GrantRow, why: string): Step
  /** Revokes access that was not revoked before. */
  revoke(id: string, revoked_at: string): Step
  /** Gives access that an import brings. The account exists, or the same unit creates it. */
  addImported(rows: readonly GrantRow[], more: { isNew: boolean }): readonly Step[]
  /** Gives access that a gift will open. It waits for its time. */
  addOfGift(
    write: MemberWrite,
    row: { id: string; member_id: string; gate: string; created_at: string },
  ): Step
  /** Sets the time of a gift's access. */
  setTime(row: { id: string; starts_at: string | null; expires_at: string | null; waits: number }): Step
  /** Revokes access, or gives it back with null. */
  setRevoked(id: string, revoked_at: string | null): Step
}

/** Makes steps about access that does not come from a purchase, for the units of other modules. */
export function createGrantDoor(storage: Storage): GrantDoor {
  const statements = memberDoorStatements(storage)
  const { grantInsert, grantRevoke } = memberStatements(storage)
  const current = createCurrent(storage)
  return {
    listIds: async (memberId: string): Promise<string[]> =>
      (await storage.all(statements.grantIds, { member_id: memberId })).map(({ id }) => id),
    addUnchecked: (row: GrantRow, why: string): Step => unchecked(grantInsert, row, why),
    revoke: (id: string, revoked_at: string): Step => step(grantRevoke, { id, revoked_at }),
    addImported: (rows: readonly GrantRow[], { isNew }: { isNew: boolean }): readonly Step[] => {
      const [first] = rows
      if (first === undefined) return []
      return isNew
        ? rows.map((row) => unchecked(statements.grantImport, row, 'this unit creates the account'))
        : current.unlessMerged(first.member_id, (write) =>
            rows.map((row) => write(statements.grantImport, row)),
          )
    },
    addOfGift: (
      write: MemberWrite,
      row: { id: string; member_id: string; gate: string; created_at: string },
    ): Step => write(statements.grantOfGift, row, 1),
    setTime: (row: {
      id: string
      starts_at: string | null
      expires_at: string | null
      waits: number
    }): Step => step(statements.grantRun, row),
    setRevoked: (id: string, revoked_at: string | null): Step =>
      step(statements.grantRevoked, { id, revoked_at }),
  }
}

export interface SessionDoor {
  /** Ends all sessions of a member. */
  endAll(memberId: string, revoked_at: string): Step
  /** Ends the sessions that purchases opened for an unproved address, when another browser bought with that address. */
  yieldTo(purchase: { id: string; member: string; at: string }): Step
  /** Gives every open session its whole time again. */
  prolong(times: { now: string; until: string }): Step
}

/** Makes steps about sessions, for the units of other modules. */
export function createSessionDoor(storage: Storage): SessionDoor {
  const statements = memberDoorStatements(storage)
  const { sessionsRevoke } = memberStatements(storage)
  return {
    endAll: (memberId: string, revoked_at: string): Step =>
      step(sessionsRevoke, { member_id: memberId, revoked_at }),
    yieldTo: (purchase: { id: string; member: string; at: string }): Step =>
      step(statements.yielded, purchase),
    prolong: (times: { now: string; until: string }): Step => step(statements.sessionsProlong, times),
  }
}
