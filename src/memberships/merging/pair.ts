import { boughtTwice, type Plan } from '../../core/dto/index.ts'
import { MembershipError, type RefusalReason } from '../../core/errors.ts'
import type { Storage } from '../../core/storage/index.ts'
import { createAccountReader, type StoredAccount, takeBackDays, type User } from '../members/index.ts'
import { pairStatements } from './statements.ts'

/** The purchases and grants that move from one account to the other. */
export interface Moves {
  readonly customers: number
  readonly subscriptions: number
  readonly payments: number
  readonly grants: number
  /** Started checkouts. */
  readonly checkouts: number
  /** Fields, consents included, that only the merged account has a value for. */
  readonly fields: readonly string[]
  /** `moves`: its owner enters the kept account by it. `released`: nobody had proved it. */
  readonly address: 'moves' | 'released' | 'none'
}

/** A note for the operator who merges. */
export interface MergeNote {
  readonly code: 'paid_twice' | 'roles_stay' | 'address_released'
  readonly text: string
}

/** Two accounts, read for a merge. */
export interface Pair {
  readonly kept: StoredAccount
  readonly merged: StoredAccount
  readonly moves: Moves
  readonly notes: readonly MergeNote[]
  /** The kept account, completed with the other's values. */
  readonly next: Pick<StoredAccount, 'name' | 'language' | 'content'>
}

/**
 * Reads two accounts and determines what would move.
 * @throws ERR_NOT_FOUND, ERR_USAGE, ERR_ACTION_REFUSED
 */
export function createPairReader(deps: {
  storage: Storage
  findMember: (id: string) => Promise<User | null>
  plans: () => readonly Plan[]
  now: () => Date
}) {
  const { storage, findMember, plans, now } = deps
  const statements = pairStatements(storage)
  const accounts = createAccountReader(storage)

  const readPair = async (keptId: string, mergedId: string): Promise<Pair> => {
    if (keptId === mergedId) throw new MembershipError('ERR_USAGE', 'Both accounts are one and the same.')
    const kept = await rowOf(keptId)
    const merged = await rowOf(mergedId)
    await check(kept, merged)
    const [holds] = await storage.all(statements.holds, { member_id: mergedId })
    const [keeper, goer] = [await findMember(keptId), await findMember(mergedId)]
    const { next, fields } = filled(kept, merged)
    const moves: Moves = {
      customers: Number(holds?.customers ?? 0),
      subscriptions: goer?.subscriptions().length ?? 0,
      payments: goer?.payments().length ?? 0,
      grants: Number(holds?.grants ?? 0),
      checkouts: Number(holds?.intents ?? 0),
      fields,
      address: merged.email === null ? 'none' : merged.email_verified === 1 ? 'moves' : 'released',
    }
    const all = [...(keeper?.subscriptions() ?? []), ...(goer?.subscriptions() ?? [])]
    const twice = boughtTwice(all, plans())
    return {
      kept,
      merged,
      moves,
      next,
      notes: notesOf(
        { kept, merged, moves },
        twice.map(({ id }) => id),
      ),
    }
  }

  const rowOf = async (id: string): Promise<StoredAccount> => {
    const row = await accounts.findById(id)
    if (row) return row
    throw new MembershipError('ERR_NOT_FOUND', `No member ${id}.`)
  }

  const check = async (kept: StoredAccount, merged: StoredAccount): Promise<void> => {
    for (const { id, merged_into } of [kept, merged]) {
      if (merged_into !== null)
        throw refused('account_merged', `${id} is merged into ${merged_into} already.`, 'Name that one.')
      if ((await storage.all(statements.leaving, { member_id: id })).length > 0)
        throw refused('account_deleted', `${id} is being deleted, or is.`, 'Nothing is to be done.')
      // An intruder who changed the address must not move the account before its owner can respond.
      const since = new Date(now().getTime() - takeBackDays * 86_400_000).toISOString()
      if ((await storage.all(statements.takeable, { member_id: id, since })).length > 0)
        throw refused(
          'protected',
          `The address of ${id} was changed less than ${takeBackDays} days ago, and its earlier owner may take that back.`,
          'Merge when that time is over.',
        )
    }
    if (kept.email_verified !== 1)
      throw refused(
        'address_unverified',
        `${kept.id} has not proved an address.`,
        'Merge the other way round, or let them log in first.',
      )
    const open = await storage.all(statements.open, { member_id: merged.id, now: now().toISOString() })
    const own = open.find(({ kept_id }) => kept_id === merged.id)
    if (own)
      throw refused(
        'account_merged',
        `${own.merged_id} was merged into ${merged.id}, which can be taken back until ${own.until.slice(0, 10)}.`,
        `Keep ${merged.id} and merge ${kept.id} into it, or take that back first.`,
      )
  }

  return readPair
}

/** The values that only the merged account has. Values of the kept account are never replaced. */
function filled(kept: StoredAccount, merged: StoredAccount) {
  const own = JSON.parse(kept.content) as Record<string, unknown>
  const given = JSON.parse(merged.content) as Record<string, unknown>
  const names = Object.keys(given).filter((name) => isEmpty(own[name]) && !isEmpty(given[name]))
  const content = { ...own, ...Object.fromEntries(names.map((name) => [name, given[name]])) }
  const ofRow = (['name', 'language'] as const).filter((name) => kept[name] === null && merged[name] !== null)
  return {
    next: {
      name: kept.name ?? merged.name,
      language: kept.language ?? merged.language,
      content: JSON.stringify(content),
    },
    fields: [...ofRow, ...names],
  }
}

// An unticked box is a given answer, so `false` is not empty.
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function notesOf(
  { kept, merged, moves }: Pick<Pair, 'kept' | 'merged' | 'moves'>,
  twice: readonly string[],
): MergeNote[] {
  const own = JSON.parse(kept.roles) as string[]
  const roles = (JSON.parse(merged.roles) as string[]).filter((role) => !own.includes(role))
  return [
    ...(twice.length === 0
      ? []
      : [
          {
            code: 'paid_twice' as const,
            text: `Both pay for the same: ${twice.join(', ')}. Cancel what is not wanted.`,
          },
        ]),
    ...(roles.length === 0
      ? []
      : [{ code: 'roles_stay' as const, text: `Roles are not merged: ${roles.join(', ')} stays behind.` }]),
    ...(moves.address === 'released'
      ? [
          {
            code: 'address_released' as const,
            text: 'Nobody has proved the address of the merged account: it is given up, and opens nothing.',
          },
        ]
      : []),
  ]
}

function refused(reason: RefusalReason, message: string, action: string): MembershipError {
  return new MembershipError('ERR_ACTION_REFUSED', message, { reason, action })
}
