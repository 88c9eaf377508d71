import { isEnded, type Subscription } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { User } from '../members/index.ts'
import { type DeclarationRow, declarationStatements } from './statements.ts'

/** A declaration of somebody without a login, by whatever name and address they type. */
export interface Declared {
  readonly kind: 'cancellation' | 'withdrawal'
  /** The nature of a cancellation: for the period's end, or at once for a reason that is named. */
  readonly nature: 'ordinary' | 'extraordinary' | null
  readonly reason: string | null
  /** The day on which a cancellation is to end the contract, such as 2027-01-31; null: as early as possible. */
  readonly ends_on: string | null
  readonly name: string
  readonly contract: string
  readonly email: string
}

/** A declaration as the operator's list and the office have it. */
export interface Declaration extends Declared {
  readonly id: string
  /** When it arrived, ISO 8601 UTC. */
  readonly received_at: string
  /** The day by which it has to be carried out, such as 2027-01-31. */
  readonly due_on: string
  /** `open`: somebody of the site has to look. `done`: carried out by itself, or by `done_by`. */
  readonly status: 'received' | 'open' | 'done'
  /** The member of the address and the subscription that is meant, as far as that is sure. */
  readonly member_id: string | null
  readonly subscription_id: string | null
  readonly done_at: string | null
  readonly done_by: string | null
}

/** Which declarations a list has. */
export interface DeclarationQuery {
  /** Only those that wait for a person, oldest first; else all of them, newest first. */
  readonly open?: boolean
  readonly limit?: number
}

/**
 * Cancellations and withdrawals that are declared on a public page. Whoever declares proves nothing, so that the answer is
 * the same for every address, and what is done is what can be taken back: an ordinary cancellation is carried out for the
 * end of the period, where the address is that of the contract, one contract alone is meant and its provider takes an end
 * back, and its owner is written at once. All else is received, confirmed, and waits for the site's own people: an end at
 * once, an end for good, money back, several contracts.
 */
export const createDeclarations = (deps: {
  storage: Storage
  outbox: Outbox
  findByEmail: (email: string) => Promise<User | null>
  /** The titles of a contract, in every language that pages speak. */
  titlesOf: (subscription: Subscription) => readonly string[]
  /** True if a cancellation of it can be taken back until the end of what is paid. */
  takesBack: (subscription: Subscription) => boolean
  cancel: (wish: { user: User; subscriptionId: string; when: 'period_end' }) => Promise<unknown>
  /** The mail that confirms it; none where the site sends no mails. */
  receipt: (declaration: Declaration, language: string) => Message[]
  now: () => Date
  randomId: () => string
}) => {
  const { storage, outbox, now, randomId } = deps
  const statements = declarationStatements(storage)
  const put = (declaration: Declaration) => step(statements.put, toRow(declaration))

  /** Takes it down, with its receipt, in one commit. `isWritten`: false where the address had too many receipts. */
  const declare = async (
    declared: Declared,
    { language, isWritten }: { language: string; isWritten: boolean },
  ): Promise<Declaration> => {
    const at = now().toISOString()
    const received: Declaration = {
      ...declared,
      id: `${at.replace(/\D/g, '').slice(0, 14)}-${randomId().slice(0, 8)}`,
      received_at: at,
      due_on: dueOn(declared, at),
      status: 'received',
      member_id: null,
      subscription_id: null,
      done_at: null,
      done_by: null,
    }
    const work: Message = {
      id: `declaration:${received.id}`,
      lane: `declaration:${received.id}`,
      kind,
      payload: { id: received.id },
    }
    await storage.commit([
      put(received),
      ...outbox.steps([...(isWritten ? deps.receipt(received, language) : []), work]),
    ])
    outbox.nudge()
    return received
  }

  const find = async (id: string): Promise<Declaration | null> => {
    const [row] = await storage.all(statements.one, { id })
    return row ? toDeclaration(row) : null
  }

  const handlers: Handlers = {
    [kind]: async ({ payload }) => {
      const item = await find((payload as { id: string }).id)
      if (item === null || item.status !== 'received') return
      const user = await deps.findByEmail(item.email)
      const meant = user === null ? null : contractOf(user, item.contract, deps.titlesOf)
      const known = { ...item, member_id: user?.id ?? null, subscription_id: meant?.id ?? null }
      const isSafe =
        item.kind === 'cancellation' &&
        item.nature === 'ordinary' &&
        user !== null &&
        meant !== null &&
        !isLater(item, meant) &&
        deps.takesBack(meant)
      const isDone = isSafe && (await cancelled(user, meant))
      await storage.commit([
        put(
          isDone ? { ...known, status: 'done', done_at: now().toISOString() } : { ...known, status: 'open' },
        ),
      ])
    },
  }

  /** False where the provider cannot do it, so that somebody has to. */
  const cancelled = async (user: User, { id }: Subscription): Promise<boolean> => {
    try {
      await deps.cancel({ user, subscriptionId: id, when: 'period_end' })
      return true
    } catch (error) {
      if (isMembershipError(error) && error.status < 502) return false
      throw error
    }
  }

  return {
    declare,
    handlers,
    find,
    list: async ({ open = false, limit = 100 }: DeclarationQuery = {}): Promise<Declaration[]> =>
      (await storage.all(open ? statements.open : statements.newest, { limit })).map(toDeclaration),
    /** Notes that somebody of the site has carried it out. @throws ERR_NOT_FOUND */
    settle: async (id: string, by: string): Promise<Declaration> => {
      const found = await find(id)
      if (found === null) throw new MembershipError('ERR_NOT_FOUND', `No declaration ${id}.`)
      await storage.commit([step(statements.settle, { id, done_at: now().toISOString(), done_by: by })])
      return (await find(id))!
    },
  }
}
export type Declarations = ReturnType<typeof createDeclarations>

const kind = 'declaration'

/** True if it is to go on beyond what is paid: nobody ends it sooner than was declared. */
const isLater = ({ ends_on: day }: Declaration, s: Subscription): boolean => {
  const paidUntil = s.current_period_end ?? s.trial_ends_at
  return day != null && (paidUntil === null || day > paidUntil.slice(0, 10))
}

/** The one running contract whose number or plan is named; null where none fits, or several do. That somebody has a single
 *  contract does not make it the one that was meant. */
const contractOf = (
  user: User,
  named: string,
  titlesOf: (subscription: Subscription) => readonly string[],
): Subscription | null => {
  const running = user.subscriptions().filter((s) => !isEnded(s) && s.status !== 'incomplete')
  const wanted = named.trim().toLowerCase()
  const fitting = running.filter(
    (s) => s.id.toLowerCase() === wanted || titlesOf(s).some((title) => title.toLowerCase().includes(wanted)),
  )
  return fitting.length === 1 ? fitting[0]! : null
}

/** Money goes back within fourteen days of a withdrawal (directive 2011/83/EU, article 13). A cancellation counts from when
 *  it arrives, or ends the contract on the day that it names. */
function dueOn({ kind, ends_on }: Declared, receivedAt: string): string {
  const day = receivedAt.slice(0, 10)
  if (kind === 'withdrawal')
    return new Date(Date.parse(receivedAt) + 14 * 86_400_000).toISOString().slice(0, 10)
  return ends_on !== null && ends_on > day ? ends_on : day
}

const toRow = (declaration: Declaration): DeclarationRow => ({ ...declaration })

const toDeclaration = ({
  kind,
  nature,
  status,
  name,
  contract,
  email,
  ...row
}: DeclarationRow): Declaration => ({
  ...row,
  kind: kind as Declaration['kind'],
  nature: nature as Declaration['nature'],
  status: status as Declaration['status'],
  name: name ?? '',
  contract: contract ?? '',
  email: email ?? '',
})
