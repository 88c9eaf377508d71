import { isEmail, normalEmail } from '../core/email.ts'
import { MembershipError } from '../core/errors.ts'
import { type Step, type Storage, step } from '../core/storage/index.ts'
import { createInvalidation } from '../memberships/account/index.ts'
import { createIntentDoor } from '../memberships/checkout/index.ts'
import { createAccountReader, createSessionDoor } from '../memberships/members/index.ts'
import { type OperatorRow, operatorStatements } from './operator-statements.ts'

/** A person's rights in the office: everything and its people, everything, or viewing. */
export type Role = 'owner' | 'operator' | 'viewer'

/** A person who may enter the office. */
export interface Operator {
  readonly email: string
  readonly role: Role
  readonly added_at: string
  readonly added_by: string
  /** True if they have a second factor. Until then the first visit asks for one. */
  readonly enrolled: boolean
}

export interface Operators {
  list(): Promise<Operator[]>
  find(email: string): Promise<Operator | null>
  /**
   * Adds an operator, or changes the role. They log in again.
   * @throws ERR_USAGE
   */
  add(given: { email: string; role: string; by: string }): Promise<Operator>
  /**
   * Removes an operator at once, wherever they are logged in.
   * @throws ERR_NOT_FOUND
   */
  remove(given: string): Promise<void>
  /**
   * Removes a lost second factor. They log in again, and set up a new one.
   * @throws ERR_NOT_FOUND
   */
  reset(given: string): Promise<void>
}

/** The operators of the office. They log in with the member's account of the same address. */
export function createOperators({ storage, now }: { storage: Storage; now: () => Date }): Operators {
  const statements = operatorStatements(storage)
  const accounts = createAccountReader(storage)
  const sessions = createSessionDoor(storage)
  const invalidation = createInvalidation(storage, createIntentDoor(storage))

  const list = async (): Promise<Operator[]> => (await storage.all(statements.all, {})).map(toOperator)

  const find = async (email: string): Promise<Operator | null> => {
    const [row] = await storage.all(statements.byEmail, { email: normalEmail(email) ?? '' })
    return row ? toOperator(row) : null
  }

  /**
   * Steps after which the person logs in again, by a link that they ask for. A session or a link from before may be
   * somebody else's, who would set up the second factor in their place.
   */
  const loggedOut = async (email: string): Promise<Step[]> => {
    const at = now().toISOString()
    const member = await accounts.findByEmail(email)
    // A link to the address of a merged account logs in the kept one.
    const merged = member ? await storage.all(statements.mergedInto, { id: member.id }) : []
    return [
      step(statements.leaveAll, { email }),
      ...[{ id: member?.id ?? '', email }, ...merged].flatMap((account) => invalidation.all(account, at)),
      ...(member ? [sessions.endAll(member.id, at)] : []),
    ]
  }

  const add = async (given: { email: string; role: string; by: string }): Promise<Operator> => {
    const email = normalEmail(given.email)
    if (!isEmail(email)) throw new MembershipError('ERR_USAGE', `"${given.email}" is no e-mail address.`)
    const role = roleOf(given.role)
    if (role !== 'owner') await requireOtherOwner(email)
    const row: OperatorRow = {
      email,
      role,
      added_at: now().toISOString(),
      added_by: given.by,
      secret: null,
      last_step: 0,
      tries: 0,
      locked_until: null,
    }
    await storage.commit([step(statements.put, row), ...(await loggedOut(email))])
    return (await find(email))!
  }

  const remove = async (given: string): Promise<void> => {
    const { email } = await get(given)
    await requireOtherOwner(email)
    await storage.commit([
      step(statements.remove, { email }),
      step(statements.dropCodes, { email }),
      step(statements.leaveAll, { email }),
    ])
  }

  const reset = async (given: string): Promise<void> => {
    const { email } = await get(given)
    await storage.commit([
      step(statements.forget, { email }),
      step(statements.dropCodes, { email }),
      ...(await loggedOut(email)),
    ])
  }

  const get = async (email: string): Promise<Operator> => {
    const found = await find(email)
    if (found !== null) return found
    throw new MembershipError('ERR_NOT_FOUND', `${email} is no operator and no viewer.`, {
      action: 'membership operators list shows who is.',
    })
  }

  /** @throws ERR_ACTION_REFUSED for the last owner */
  const requireOtherOwner = async (email: string): Promise<void> => {
    const owners = (await list()).filter(({ role }) => role === 'owner')
    if (owners.length !== 1 || owners[0]!.email !== email) return
    throw new MembershipError('ERR_ACTION_REFUSED', `${email} is the last owner.`, {
      reason: 'last_owner',
      action: 'Make somebody else an owner first.',
    })
  }

  return { list, find, add, remove, reset }
}

/** @throws ERR_USAGE */
function roleOf(given: string): Role {
  if (given === 'owner' || given === 'operator' || given === 'viewer') return given
  throw new MembershipError('ERR_USAGE', `"${given}" is no role.`, {
    action: 'Name owner, operator or viewer.',
  })
}

function toOperator({ email, role, added_at, added_by, secret }: OperatorRow): Operator {
  return {
    email,
    role: role as Role,
    added_at,
    added_by,
    enrolled: secret !== null,
  }
}
