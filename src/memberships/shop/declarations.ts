import { isEnded, type Subscription } from '../../core/dto/index.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import type { Handlers, Message, Outbox } from '../../core/jobs/outbox.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { createCurrent, type User, unchecked } from '../members/index.ts'
import { type DeclarationRow, declarationStatements } from './statements.ts'

/** A declaration by a person without a login, under any name and address they type. */
export interface Declared {
  readonly kind: 'cancellation' | 'withdrawal'
  /** The kind of cancellation: at the period's end, or at once for a stated reason. */
  readonly nature: 'ordinary' | 'extraordinary' | null
  readonly reason: string | null
  /** The day on which a cancellation ends the contract, such as 2027-01-31; null for the earliest possible. */
  readonly ends_on: string | null
  readonly name: string
  readonly contract: string
  readonly email: string
}

/** A stored declaration, as operators see it. */
export interface Declaration extends Declared {
  readonly id: string
  /** When it arrived, ISO 8601 UTC. */
  readonly received_at: string
  /** The last day to carry it out, such as 2027-01-31. */
  readonly due_on: string
  /** `open`: an operator has to act. `done`: carried out automatically, or by `done_by`. */
  readonly status: 'received' | 'open' | 'done'
  /** The member with the address, and the subscription that is meant, if both are certain. */
  readonly member_id: string | null
  readonly subscription_id: string | null
  readonly done_at: string | null
  readonly done_by: string | null
}

/** Filters the list of declarations. */
export interface DeclarationQuery {
  /** True for those that wait for an operator, oldest first; else all, newest first. */
  readonly open?: boolean
  /** Id of the last declaration of the previous page. */
  readonly before?: string
  /** Default: 100. */
  readonly limit?: number
}

export interface Declarations {
  /**
   * Stores a declaration and its acknowledgement in one commit. `isWritten` is false if the address already got too many
   * acknowledgements.
   */
  declare(declared: Declared, more: { language: string; isWritten: boolean }): Promise<Declaration>
  readonly handlers: Handlers
  find(id: string): Promise<Declaration | null>
  /** @throws ERR_NOT_FOUND */
  get(id: string): Promise<Declaration>
  list(query?: DeclarationQuery): Promise<Declaration[]>
  /**
   * Records that an operator has carried it out.
   * @throws ERR_NOT_FOUND
   */
  settle(id: string, by: string): Promise<Declaration>
}

/**
 * Cancellations and withdrawals declared on a public page. The page proves no identity, so the answer is the same for
 * every address, and only what can be undone is automatic. An ordinary cancellation takes effect at the period's end if
 * the address is the contract's, a single contract is meant, and its provider can undo the end. The owner is mailed at
 * once. Everything else is confirmed and waits for an operator: an end at once, an end for good, a refund, several
 * contracts.
 */
export function createDeclarations(deps: {
  storage: Storage
  outbox: Outbox
  findByEmail: (email: string) => Promise<User | null>
  /** A contract's titles in every language of the pages. */
  titlesOf: (subscription: Subscription) => readonly string[]
  /** True if its cancellation can be undone until the paid period ends. */
  takesBack: (subscription: Subscription) => boolean
  cancel: (request: { user: User; subscriptionId: string; when: 'period_end' }) => Promise<unknown>
  /** Builds the acknowledgement mail; none where the site sends no mails. */
  acknowledgement: (declaration: Declaration, language: string) => Message[]
  now: () => Date
  randomId: () => string
}): Declarations {
  const { storage, outbox, now, randomId } = deps
  const statements = declarationStatements(storage)
  const current = createCurrent(storage)
  const put = (declaration: Declaration): readonly Step[] => {
    const row = toRow(declaration)
    return row.member_id === null
      ? [unchecked(statements.put, row, 'nobody is known to have declared it')]
      : current.unlessMerged(row.member_id, (write) => [write(statements.put, row)])
  }

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
      ...put(received),
      ...outbox.steps([...(isWritten ? deps.acknowledgement(received, language) : []), work]),
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
      await storage.commit(
        put(
          isDone ? { ...known, status: 'done', done_at: now().toISOString() } : { ...known, status: 'open' },
        ),
      )
    },
  }

  /** Returns false where the provider cannot do it, so that an operator has to. */
  const cancelled = async (user: User, { id }: Subscription): Promise<boolean> => {
    try {
      await deps.cancel({ user, subscriptionId: id, when: 'period_end' })
      return true
    } catch (error) {
      if (isMembershipError(error) && error.status < 502) return false
      throw error
    }
  }

  const get = async (id: string): Promise<Declaration> => {
    const found = await find(id)
    if (found !== null) return found
    throw new MembershipError('ERR_NOT_FOUND', `No declaration ${id}.`)
  }

  return {
    declare,
    handlers,
    find,
    get,
    list: async ({ open = false, before, limit = 100 }: DeclarationQuery = {}): Promise<Declaration[]> => {
      const rows = open
        ? await storage.all(statements.open, { after: before ?? '', limit })
        : await storage.all(statements.newest, { before: before ?? '~', limit })
      return rows.map(toDeclaration)
    },
    settle: async (id: string, by: string): Promise<Declaration> => {
      await get(id)
      await storage.commit([step(statements.settle, { id, done_at: now().toISOString(), done_by: by })])
      return (await find(id))!
    },
  }
}

const kind = 'declaration'

/** True if it should continue beyond the paid period. It must not end earlier than declared. */
function isLater({ ends_on: day }: Declaration, s: Subscription): boolean {
  const paidUntil = s.current_period_end ?? s.trial_ends_at
  return day != null && (paidUntil === null || day > paidUntil.slice(0, 10))
}

/**
 * The only running contract with that number or plan; null where none or several match. A person's single contract is
 * not necessarily the one meant.
 */
function contractOf(
  user: User,
  named: string,
  titlesOf: (subscription: Subscription) => readonly string[],
): Subscription | null {
  const running = user.subscriptions().filter((s) => !isEnded(s) && s.status !== 'incomplete')
  const wanted = named.trim().toLowerCase()
  const fitting = running.filter(
    (s) => s.id.toLowerCase() === wanted || titlesOf(s).some((title) => title.toLowerCase().includes(wanted)),
  )
  return fitting.length === 1 ? fitting[0]! : null
}

/**
 * The day by which it must be done. Money is refunded within fourteen days of a withdrawal (directive 2011/83/EU,
 * article 13). A cancellation takes effect when it arrives, or ends the contract on the day that it names.
 */
function dueOn({ kind, ends_on }: Declared, receivedAt: string): string {
  const day = receivedAt.slice(0, 10)
  if (kind === 'withdrawal')
    return new Date(Date.parse(receivedAt) + 14 * 86_400_000).toISOString().slice(0, 10)
  return ends_on !== null && ends_on > day ? ends_on : day
}

function toRow(declaration: Declaration): DeclarationRow {
  return { ...declaration }
}

function toDeclaration({ kind, nature, status, name, contract, email, ...row }: DeclarationRow): Declaration {
  return {
    ...row,
    kind: kind as Declaration['kind'],
    nature: nature as Declaration['nature'],
    status: status as Declaration['status'],
    name: name ?? '',
    contract: contract ?? '',
    email: email ?? '',
  }
}
