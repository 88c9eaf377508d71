import type { Membership } from '../../src/index.ts'
import type { MemberLife } from '../../src/memberships/life.ts'
import { createLives } from '../../src/site/assembly/lives.ts'

/**
 * All rows of the members' tables, without what is random, so that two sites with the same history have equal rows.
 * `names`: the members' ids with a name for each.
 */
export async function rowsOfMembers(
  { storage }: Pick<Membership, 'storage'>,
  names: ReadonlyMap<string, string>,
): Promise<Record<string, string[]>> {
  const lives: readonly MemberLife[] = createLives({ storage, now: () => new Date() })
  const rows: Record<string, string[]> = {}
  for (const table of lives.flatMap(({ tables }) => tables).sort()) {
    const found = await storage.read((db) => db.selectFrom(table).selectAll())
    rows[table] = found.map((row) => masked(table, row, names)).sort()
  }
  return rows
}

// The number of a place, and what follows from the moment in which the site asked the provider: the terms of a purchase are
// completed by the prices that were read by then.
const byChance = new Set('seq revision wishes marks prior_at prior_marks pause_moments'.split(' '))

/** A row without what is random: ids, signatures, ports, seconds. */
function masked(table: string, row: object, names: ReadonlyMap<string, string>): string {
  const values = Object.entries(row)
    .filter(([column]) => !byChance.has(column) && !column.endsWith('hash'))
    // The next look at a member may come early, and finds nothing then.
    .filter(([column]) => table !== 'notify_queue' || column !== 'due_at')
    .map(([column, value]) => `${column}=${value instanceof Date ? value.toISOString() : String(value)}`)
  let text = values.sort().join('; ')
  for (const [id, name] of names) text = text.replaceAll(id, name)
  return text
    .replace(/\breq_\w+/g, '*')
    .replace(/127\.0\.0\.1:\d+/g, 'site')
    .replace(/:\d\d(\.\d{3})?Z/g, 'Z')
    .replace(/[\w.-]{20,}/g, (word) => (isMoment(word) ? word : '*'))
}
function isMoment(word: string): boolean {
  return /^\d{4}-\d\d-\d\dT/.test(word)
}
