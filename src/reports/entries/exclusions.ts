import { MembershipError } from '../../core/errors.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import { never } from '../hours.ts'
import { type ExclusionRow, type Statements, toPatternPlaces } from '../statements/index.ts'
import type { SiteAddress } from '../visit/index.ts'
import type { Entry } from './record.ts'

/**
 * Rules that keep websites out of the index: a host and everything below it, one folder of a host, or one
 * website alone.
 */
export function createExclusions(deps: {
  storage: Storage
  statements: Statements
  now: () => Date
  randomId: () => string
  contact: string
}) {
  const { storage, statements, now, randomId, contact } = deps

  /** Finds the rule that applies to a website, for the crawler or for everyone. */
  const find = async (
    site: Pick<SiteAddress, 'key' | 'host'>,
    who: 'everyone' | 'crawler',
  ): Promise<ExclusionRow | null> => {
    const places = toPatternPlaces(patternsOf(site))
    const parts = await Promise.all(places.map((some) => storage.all(statements.exclusionsOf, some)))
    const at = now().toISOString()
    return (
      parts
        .flat()
        .find(
          (row) =>
            (row.until === null || row.until > at) && (row.against === 'everyone' || row.against === who),
        ) ?? null
    )
  }

  return {
    find,
    /** @throws ERR_SITE_EXCLUDED */
    check: async (site: SiteAddress): Promise<void> => {
      if (!(await find(site, 'everyone'))) return
      throw new MembershipError('ERR_SITE_EXCLUDED', `${site.host} is kept out of this index.`, {
        action: `Write to the operator when that is wrong: ${contact}`,
      })
    },
    put: (rule: Pick<ExclusionRow, 'pattern' | 'against' | 'reason' | 'until'>): Step =>
      step(statements.exclusionPut, { id: `exc_${randomId()}`, created_at: now().toISOString(), ...rule }),
    drop: (pattern: string): Step => step(statements.exclusionDelete, { pattern }),
    list: () => storage.read((db) => db.selectFrom('exclusions').selectAll().orderBy('created_at')),
  }
}
export type Exclusions = ReturnType<typeof createExclusions>

/** Builds the rule for one website alone, without what is below it. */
export function alone(key: string): string {
  return `=${key}`
}

/** Returns true if a pattern (a host with everything below it, or a folder) covers a website. */
export function isBelow(key: string, pattern: string): boolean {
  if (pattern.startsWith('=')) return key === pattern.slice(1)
  const [host = ''] = key.split(/[/?]/)
  return /[/?]/.test(pattern)
    ? key === pattern || key.startsWith(`${pattern}/`) || key.startsWith(`${pattern}?`)
    : host === pattern || host.endsWith(`.${pattern}`)
}

/** Returns every rule that would cover a website; `a.b.example.com/x/y` has nine. */
function patternsOf({ key, host }: Pick<SiteAddress, 'key' | 'host'>): string[] {
  const labels = host.replace(/^www\./, '').split('.')
  const hosts = labels.map((_, i) => labels.slice(i).join('.')).filter((name) => name.includes('.'))
  const segments = key.replace(/\?.*$/s, '').split('/').slice(0, 20)
  return [host, ...hosts, ...segments.map((_, i) => segments.slice(0, i + 1).join('/')), key, alone(key)]
}

/** Builds the change for a website that the operator excludes. */
export function excludedChange({ data }: Entry) {
  return {
    data: { ...data, status: 'rejected' as const, status_reason: 'excluded', next_check_at: null },
    columns: { due_at: never, indexed: 0 },
    writer: { by: 'owner' as const },
  }
}
