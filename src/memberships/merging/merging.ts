import type { Plan, Subscription } from '../../core/dto/index.ts'
import { MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { laterThan, retryOnConflict, type Step, type Storage, step } from '../../core/storage/index.ts'
import type { AuditLog } from '../audit-log/index.ts'
import { createFreeDays, type FreeDays } from '../ledger/index.ts'
import { type MemberLife, stepsOf } from '../life.ts'
import { createAccountReader, type StoredAccount, type User } from '../members/index.ts'
import type { RequestedBy } from '../subscriptions/index.ts'
import { createPairReader, type MergeNote, type Moves, type Pair } from './pair.ts'
import { type MergeRow, mergeStatements, pairStatements } from './statements.ts'

/** The account to keep, and the account to merge into it. */
export interface MergeInput {
  readonly keep: string
  readonly merge: string
  /** The operator's name, recorded in the audit log. */
  readonly by: string
  /** Writes the merge. Without it nothing is written. */
  readonly write?: boolean
}

/** A merge, performed or previewed. */
export interface Merge {
  readonly keptId: string
  readonly mergedId: string
  readonly moves: Moves
  readonly notes: readonly MergeNote[]
  readonly written: boolean
  /** When the chance to undo it ends; null while nothing is written. */
  readonly until: string | null
}

/** The result of undoing a merge. */
export interface Unmerge {
  readonly keptId: string
  readonly mergedId: string
  /** The restored address; null where it had none, or another member has it. */
  readonly email: string | null
}

/** Merges two accounts of one person, and separates them again. */
export interface Merging {
  /**
   * Previews a merge, and performs it with `write`. It moves customers with their purchases, grants, started checkouts,
   * the proved address, and fields that only the merged account has. It is one unit, all or nothing. The merged
   * account's sessions, links and requested changes end. Later events about it go to the kept account. Merging again
   * changes nothing.
   * @throws ERR_NOT_FOUND, ERR_USAGE, ERR_ACTION_REFUSED
   */
  merge(input: MergeInput): Promise<Merge>
  /**
   * Undoes a merge within 30 days. Each account gets back what it had received, and sessions of both end.
   * @throws ERR_NOT_FOUND, ERR_ACTION_REFUSED
   */
  unmerge(input: UnmergeInput): Promise<Unmerge>
}

/** The merged account to separate, and the operator who asks. */
export interface UnmergeInput {
  readonly merged: string
  readonly by: string
}

/** The unit that a merge joins: its id, and the steps before those that end anything. */
export interface Within {
  readonly id: string
  readonly first: () => readonly Step[]
}

export interface MergingDeps {
  readonly storage: Storage
  /** What each module does when accounts become one, and two again. */
  readonly lives: readonly MemberLife[]
  readonly auditLog: Pick<AuditLog, 'step'>
  readonly findMember: (id: string) => Promise<User | null>
  readonly plans: () => readonly Plan[]
  readonly noteChange: (memberId: string) => readonly Step[]
  /** True if a subscription's free days replace days paid for one of `left` before a provider switch. */
  readonly continues?: (subscription: Subscription, left: readonly Subscription[]) => Promise<boolean>
  /** Closes a member's open checkouts, because both accounts may have one for the same plan. */
  readonly closeCheckouts?: (memberId: string, requestedBy: RequestedBy) => Promise<void>
  readonly log?: Log
  readonly now: () => Date
  readonly randomId: () => string
}

// Everything of the member moves, including what another writer adds at this moment.
const whole = { isAlone: true } as const

/** Days during which a merge can be undone. */
export const mergeDays = 30

export interface MergingService {
  merge(input: MergeInput, within?: Within): Promise<Merge>
  unmerge(input: UnmergeInput, first?: () => readonly Step[]): Promise<Unmerge>
  /** Finds the undoable merge of an account that is part of another. */
  findOpen(mergedId: string): Promise<MergeRow | undefined>
  /** Deletes addresses kept for undoing a merge once its time is over. */
  forgetOld(): Promise<void>
}

/** Merges accounts for operators, and for units that do more. */
export function createMerging(deps: MergingDeps): MergingService {
  const { storage, lives, auditLog, noteChange, now, randomId } = deps
  const statements = mergeStatements(storage)
  const { open } = pairStatements(storage)
  const freeDays = createFreeDays(storage)
  const accounts = createAccountReader(storage)
  const readPair = createPairReader(deps)
  const at = () => now().toISOString()

  const merge = (
    { keep, merge: merged_id, by, write = false }: MergeInput,
    within?: Within,
  ): Promise<Merge> =>
    retryOnConflict(async () => {
      const before = await findOpen(merged_id)
      if (before?.kept_id === keep) return doneBefore(before)
      const pair = await readPair(keep, merged_id)
      const { moves, notes } = pair
      const summary = { keptId: keep, mergedId: merged_id, moves, notes }
      if (!write) return { ...summary, written: false, until: null }
      const row = rowOf(pair, within?.id ?? randomId())
      await storage.commit([...(within?.first() ?? []), ...(await unitOf(pair, row, by))], whole)
      await closeOpen(keep)
      return { ...summary, written: true, until: row.until }
    })

  const findOpen = async (mergedId: string): Promise<MergeRow | undefined> =>
    (await storage.all(open, { member_id: mergedId, now: at() })).find((item) => item.merged_id === mergedId)

  const rowOf = ({ kept, merged, moves }: Pair, id: string): MergeRow => ({
    id,
    kept_id: kept.id,
    merged_id: merged.id,
    at: at(),
    until: new Date(now().getTime() + mergeDays * 86_400_000).toISOString(),
    filled: JSON.stringify(moves.fields),
    released_email: moves.address === 'released' ? merged.email : null,
    undone_at: null,
  })

  const unitOf = async ({ kept, merged, moves, next }: Pair, row: MergeRow, by: string): Promise<Step[]> => [
    ...(await stepsOf(lives, 'merge', {
      kept,
      merged,
      at: at(),
      next: { ...next, updated_at: laterThan(kept, now()) },
      email: moves.address === 'moves' ? merged.email : null,
    })),
    step(statements.insert, row, 1),
    ...(await freeDaysOf(kept.id, merged.id)).map((days) => freeDays.close({ ...days, opens_at: null })),
    ...noteChange(kept.id),
    ...noteChange(merged.id),
    auditLog.step(
      { by, action: 'merge', memberId: kept.id, subject: merged.id },
      { ...moves, until: row.until },
    ),
  ]

  const unmerge = (
    { merged: merged_id, by }: UnmergeInput,
    first: () => readonly Step[] = () => [],
  ): Promise<Unmerge> =>
    retryOnConflict(async () => {
      const row = await findOpen(merged_id)
      if (row === undefined) throw notOpen(merged_id)
      const kept = await accounts.findById(row.kept_id)
      const merged = await accounts.findById(merged_id)
      if (!kept || !merged) throw notOpen(merged_id)
      const email = merged.email ?? (await freeAgain(row))
      const pair = { kept: kept.id, merged: merged_id }
      await storage.commit(
        [
          ...first(),
          ...(await stepsOf(lives, 'unmerge', {
            kept,
            merged,
            email,
            at: at(),
            since: row.at,
            next: { ...restored(kept, merged, row), updated_at: laterThan(kept, now()) },
          })),
          ...(await freeDaysOfOthers(kept.id, pair)).map(freeDays.close),
          step(statements.undo, { id: row.id, at: at() }, 1),
          ...noteChange(kept.id),
          ...noteChange(merged_id),
          auditLog.step({ by, action: 'unmerge', memberId: kept.id, subject: merged_id }),
        ],
        whole,
      )
      for (const { id } of [kept, merged]) await closeOpen(id)
      return { keptId: kept.id, mergedId: merged_id, email }
    })

  /** Closed free days of both accounts. They open again once the accounts are one. */
  const freeDaysOf = async (...ids: readonly string[]): Promise<Omit<FreeDays, 'opens_at'>[]> => {
    const members = await Promise.all(ids.map((id) => deps.findMember(id)))
    return (
      members
        .flatMap((member) => member?.subscriptions() ?? [])
        // A subscription that was ended here at once stays closed.
        .filter(({ opens_at, on_trial }) => opens_at !== null && on_trial)
        .map(({ provider, account, id }) => ({ provider, account, id }))
    )
  }

  /**
   * Free days that stay with one account while the subscription that paid for them returns to the other. Left open, one
   * payment would open two accounts.
   */
  const freeDaysOfOthers = async (
    keptId: string,
    pair: { kept: string; merged: string },
  ): Promise<FreeDays[]> => {
    const kept = await deps.findMember(keptId)
    const going = new Set((await freeDays.goingBack(pair)).map(customerKey))
    const goes = (s: Subscription) => going.has(customerKey(s))
    const all = kept?.subscriptions() ?? []
    const found: FreeDays[] = []
    for (const s of all) {
      const left = all.filter((other) => goes(other) !== goes(s))
      if (!s.on_trial || left.length === 0 || deps.continues === undefined) continue
      const { provider, account, id, trial_ends_at } = s
      if (await deps.continues(s, left)) found.push({ provider, account, id, opens_at: trial_ends_at })
    }
    return found
  }

  // The merge holds whatever the provider answers. A checkout that stays open belongs to whoever pays it.
  const closeOpen = async (memberId: string): Promise<void> => {
    try {
      await deps.closeCheckouts?.(memberId, { kind: 'rule', name: 'merge-closes-checkouts' })
    } catch (error) {
      deps.log?.('an open checkout of a merged account could not be closed', {
        member: memberId,
        reason: error instanceof Error ? error.message : String(error),
      })
    }
  }

  /** The released unproved address, unless another member has it. */
  const freeAgain = async ({ released_email: email }: MergeRow): Promise<string | null> => {
    if (email === null) return null
    return (await accounts.findByEmail(email)) === undefined ? email : null
  }

  const forgetOld = (): Promise<void> => storage.commit([step(statements.forget, { now: at() })])

  return { merge, unmerge, findOpen, forgetOld }
}

function doneBefore({ kept_id, merged_id, until }: MergeRow): Merge {
  return {
    keptId: kept_id,
    mergedId: merged_id,
    moves: {
      customers: 0,
      subscriptions: 0,
      payments: 0,
      grants: 0,
      checkouts: 0,
      fields: [],
      address: 'none',
    },
    notes: [],
    written: true,
    until,
  }
}

function customerKey(of: { provider: string; account: string; customer_id: string | null }): string {
  return JSON.stringify([of.provider, of.account, of.customer_id])
}

function notOpen(id: string): MembershipError {
  return new MembershipError(
    'ERR_ACTION_REFUSED',
    `${id} is not merged into another account, or cannot be taken back any more.`,
    {
      reason: 'not_reversible',
      action: `A merge can be taken back for ${mergeDays} days, and until the member leaves.`,
    },
  )
}

/** Removes the values that a merge gave the kept account, where they are unchanged. Pure. */
function restored(
  kept: StoredAccount,
  merged: StoredAccount,
  { filled }: Pick<MergeRow, 'filled'>,
): Pick<StoredAccount, 'name' | 'language' | 'content'> {
  const content = JSON.parse(kept.content) as Record<string, unknown>
  const given = JSON.parse(merged.content) as Record<string, unknown>
  const names = JSON.parse(filled) as string[]
  for (const name of names)
    if (name in content && JSON.stringify(content[name]) === JSON.stringify(given[name])) delete content[name]
  const own = (name: 'name' | 'language') =>
    names.includes(name) && kept[name] === merged[name] ? null : kept[name]
  return { name: own('name'), language: own('language'), content: JSON.stringify(content) }
}
