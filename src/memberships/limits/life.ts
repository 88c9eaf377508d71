import { isExtra } from '../../core/access/index.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { type MemberLife, nothing } from '../life.ts'
import type { LimitPart } from '../members/index.ts'
import { limitLifeStatements, type UsageRow } from './life-statements.ts'
import { limitStatements } from './statements.ts'

/** Counted allowances in the life of a member. */
export function limitLife(storage: Storage) {
  const statements = limitLifeStatements(storage)
  const limits = limitStatements(storage)

  /**
   * What happened to the merged account's keys within the merge happens to its own ones, too: a released key is
   * released, and a hold goes on there alone. Top-ups and shared counts are left out: their rows are not copies.
   */
  const keysBack = async (pair: Ids, { since, at }: { since: string; at: string }) => {
    const steps: Step[] = []
    const returned: Returned[] = []
    for (const both of await storage.all(statements.keyPairs, pair)) {
      const { name, key, taken_at, copy_taken_at, copy_held_until } = both
      const isCopy = copy_taken_at === taken_at
      const isReleased = both.copy_released_at !== null ? isCopy : copy_taken_at > since && !isCopy
      const giveBack = (member_id: string): Step => {
        const parts = (JSON.parse(both.parts) as LimitPart[]).filter(
          ([bucket, , pool]) => pool === undefined && !isExtra(bucket),
        )
        returned.push(...parts.map(([bucket, count]) => ({ member_id, name, bucket, count, taken_at })))
        return step(limits.releaseKey, { member_id, name, key, taken_at, released_at: at }, 1)
      }
      if (isReleased) steps.push(giveBack(pair.merged))
      else if (isCopy && copy_held_until !== null)
        steps.push(
          step(statements.holdBack, { member_id: pair.merged, name, key, held_until: copy_held_until }, 1),
          giveBack(pair.kept),
        )
    }
    return { steps, returned }
  }

  /**
   * Each use counts at the account whose plan opened it. The account that stayed keeps its count. Beyond what it could
   * use by itself, it used what the other account's plan includes, and that counts there, too.
   */
  const countsBack = async (pair: Ids, at: string, returned: readonly Returned[]): Promise<Step[]> => {
    const rows = await storage.all(statements.usageOfBoth, { ...pair, at })
    const usedOf = (row: UsageRow | undefined): number => {
      if (row === undefined) return 0
      const back = returned.filter(
        (item) =>
          item.member_id === row.member_id &&
          item.name === row.name &&
          item.bucket === row.bucket &&
          row.starts_at <= item.taken_at,
      )
      return back.reduce((used, { count }) => (used >= count ? used - count : used), row.used)
    }
    const steps: Step[] = []
    for (const row of rows) {
      const isKept = row.member_id === pair.kept
      const other = rows.find(
        ({ member_id, name, bucket }) =>
          member_id !== row.member_id && name === row.name && bucket === row.bucket,
      )
      const { member_id, name, bucket, used: before } = row
      const own = isKept ? other : row
      const joint = isKept ? row : other
      const beyond = joint === undefined ? 0 : usedOf(joint) - (own?.kept_own ?? 0)
      const used = Math.max(usedOf(own), beyond, 0)
      // States what was read: a use in this moment has all of it read again.
      if (isKept)
        steps.push(step(statements.setUsage, { member_id, name, bucket, before, used: usedOf(row) }, 1))
      if (isKept && own !== undefined) continue
      const { starts_at, ends_at, amount, at: judged } = row
      const window = { starts_at, ends_at, amount, at: judged }
      steps.push(step(statements.putUsage, { member_id: pair.merged, name, bucket, ...window, used }))
    }
    return steps
  }

  return {
    name: 'limits',
    tables: ['limit_usage', 'limit_keys', 'limit_credits'],
    eraseRecords: nothing,
    lock: nothing,
    erase: ({ id: member_id }) => [
      step(statements.usageErase, { member_id }),
      step(statements.keysErase, { member_id }),
      step(statements.creditsErase, { member_id }),
    ],
    export: async ({ id: member_id }) => {
      const [used, keys, credits] = await Promise.all([
        storage.all(statements.usageOf, { member_id }),
        storage.all(statements.keysOf, { member_id }),
        storage.all(statements.creditsOf, { member_id }),
      ])
      return { limits: { used, keys, credits } }
    },
    merge: ({ kept, merged, at }) => {
      const pair = { kept: kept.id, merged: merged.id }
      return [
        step(statements.move, pair),
        step(statements.noteOwn, { ...pair, at }),
        step(statements.addUsage, { ...pair, at }),
        step(statements.addKeys, pair),
        step(statements.endHolds, pair),
      ]
    },
    unmerge: async ({ kept, merged, since, at }) => {
      const pair = { kept: kept.id, merged: merged.id }
      const keys = await keysBack(pair, { since, at })
      return [
        step(statements.moveBack, pair),
        step(statements.usageBack, pair),
        ...keys.steps,
        ...(await countsBack(pair, at, keys.returned)),
      ]
    },
    restore: nothing,
  } as const satisfies MemberLife
}

interface Ids {
  readonly kept: string
  readonly merged: string
}

/** A part of a use that goes back to the count that it was taken from. */
interface Returned {
  readonly member_id: string
  readonly name: string
  readonly bucket: string
  readonly count: number
  readonly taken_at: string
}
