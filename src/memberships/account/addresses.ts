import { isEmail, normalEmail } from '../../core/email.ts'
import { MembershipError } from '../../core/errors.ts'
import {
  laterThan,
  retryOnConflict,
  type Step,
  type Storage,
  UnitConflict,
} from '../../core/storage/index.ts'
import { createLedgerDoors } from '../ledger/index.ts'
import { createAccountDoor, createAccountReader, type StoredAccount } from '../members/index.ts'

/** A member's new address. */
export interface NewAddress {
  readonly memberId: string
  readonly email: string
  /** True if its owner has proved it. */
  readonly isProved: boolean
  /** The address that it replaces; absent to replace any. */
  readonly from?: string | null
  /** Steps that the unit runs before the address changes. */
  readonly first?: readonly Step[]
  /** Further steps of the unit, built at each try. An error from it ends the tries. */
  readonly also?: () => Promise<readonly Step[]>
}

export interface Addresses {
  /**
   * Returns false if the member has this address already.
   * @throws ERR_FORM when it is another member's, or the account has changed since
   */
  change(input: NewAddress): Promise<boolean>
}

/** Changes members' addresses, each in one unit with its consequences. */
export function createAddresses(deps: {
  storage: Storage
  now: () => Date
  findRow: (id: string) => Promise<StoredAccount>
  noteChange: (memberId: string) => readonly Step[]
}): Addresses {
  const { storage, now, findRow, noteChange } = deps
  const accounts = createAccountReader(storage)
  const account = createAccountDoor(storage)
  const ledger = createLedgerDoors(storage)

  const change = (input: NewAddress): Promise<boolean> =>
    retryOnConflict(async (isLast) => {
      const row = await findRow(input.memberId)
      const email = normalEmail(input.email)
      const isExpected = input.from === undefined || row.email === input.from
      if (!isEmail(email) || !isExpected) throw unusable()
      if (row.email === email && row.email_verified === 1 && input.also === undefined) return false
      const also = (await input.also?.()) ?? []
      try {
        const steps = [...(input.first ?? []), ...also, ...stepsOf(row, email, input.isProved)]
        // Purchases that wait for the address come along. `isAlone` includes those that arrive at this moment.
        await storage.commit(steps, { isAlone: input.isProved })
        return true
      } catch (error) {
        if (error instanceof UnitConflict && !(isLast || (await isTaken(email, row.id)))) throw error
        // Another member has it, or took it at the same moment, which the database reports as an error of its own.
        if (error instanceof UnitConflict || (await isTaken(email, row.id))) throw unusable()
        throw error
      }
    })

  const stepsOf = (row: StoredAccount, email: string, isProved: boolean): Step[] => {
    const { id } = row
    const times = { before: row.updated_at, updated_at: laterThan(row, now()) }
    return [
      account.setEmail({ id, email, email_verified: isProved ? 1 : 0, ...times }),
      // Claims the purchases that waited for the proved address.
      ...(isProved ? [ledger.claimWaiting({ member_id: id, email })] : []),
      ...noteChange(id),
    ]
  }

  const isTaken = async (email: string, by: string): Promise<boolean> => {
    const other = await accounts.findByEmail(email)
    return other !== undefined && other.id !== by
  }

  return { change }
}

function unusable(): MembershipError {
  return new MembershipError('ERR_FORM', 'This address cannot be confirmed any more.', {
    action: 'Change the address in your account again, and open the newest link.',
  })
}
