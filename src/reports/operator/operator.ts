import { MembershipError } from '../../core/errors.ts'
import { type Storage, step } from '../../core/storage/index.ts'
import type { Actor } from '../audit.ts'
import { excludedChange, isBelow } from '../entries/exclusions.ts'
import { type Entry, toEntry } from '../entries/record.ts'
import { never } from '../hours.ts'
import type { ReportRow } from '../statements/index.ts'
import { toSiteAddress } from '../visit/index.ts'
import { createRelink, type RelinkDeps } from './relink.ts'

const mostReviews = 1000

/** Two entries of the index that are one website. */
export interface WebsiteMerge {
  /** Id or address of the website that stays. */
  readonly keep: string
  /** Id or address of the website that is merged into it. */
  readonly merge: string
  readonly by?: Actor
  /** Without it nothing is changed. */
  readonly write?: boolean
}

/** Actions of the operator; all are recorded in the audit log. */
export function createOperator(deps: RelinkDeps) {
  const { storage, statements, audit, entries, exclusions, policy, now } = deps

  /** Finds a website by id or address. @throws ERR_NOT_FOUND */
  const get = async (name: string): Promise<Entry> => {
    const byId = await entries.find(name)
    const found = byId ?? (await byAddress(name))
    if (found) return found
    throw new MembershipError('ERR_NOT_FOUND', `There is no website "${name.slice(0, 200)}" in the index.`, {
      action: 'Give its id, such as rpt_…, or its full address.',
    })
  }

  const byAddress = async (address: string): Promise<Entry | null> => {
    const key = keyOf(address)
    if (key === null) return null
    const indexed = await entries.findIndexed(key)
    if (indexed) return indexed
    const [row] = await storage.read((db) =>
      db.selectFrom('reports').selectAll().where('url_key', '=', key).orderBy('created_at', 'desc').limit(1),
    )
    return row ? toEntry(row) : null
  }

  const keyOf = (address: string): string | null => {
    try {
      return toSiteAddress(address, policy).key
    } catch {
      return null
    }
  }

  /**
   * Keeps a host with everything below it, or one folder, out of the index, and removes its websites.
   * @throws ERR_USAGE when the pattern names nothing
   */
  const exclude = async (pattern: string, reason: string, actor: Actor = 'operator') => {
    const key = keyOf(pattern)
    if (key === null)
      throw new MembershipError('ERR_USAGE', `"${pattern.slice(0, 200)}" is no host and no address.`, {
        action: 'membership reports exclude example.com --reason "the owner asked"',
      })
    await storage.commit([
      exclusions.put({ pattern: key, against: 'everyone', reason, until: null }),
      ...(await reviews())
        .filter(({ url_key }) => isBelow(url_key, key))
        .map(({ url_key }) => step(statements.reviewDone, { url_key, at: now().toISOString() })),
      audit.step({ actor, action: 'exclude', subject: key, details: { reason } }),
    ])
    const rows = await websitesBelow(key)
    for (const { id } of rows) await entries.change(id, async (entry) => excludedChange(entry))
    return { pattern: key, websites: rows.length }
  }

  /** Lists the websites that a pattern covers. */
  const websitesBelow = async (pattern: string): Promise<Pick<ReportRow, 'id'>[]> => {
    const [host = ''] = pattern.replace(/^=/, '').split(/[/?]/)
    const below = `%.${host.replace(/[\\%_]/g, '\\$&')}`
    const rows = await storage.all(statements.reportsOfHost, { host, www: `www.${host}`, below })
    return rows.filter(({ url_key }) => isBelow(url_key, pattern))
  }

  // Lists the candidates that the crawler met while the pattern was in force.
  const candidatesBelow = async (pattern: string): Promise<string[]> => {
    const rows = await storage.read((db) =>
      db.selectFrom('candidates').select('url_key').where('state', '=', 'excluded'),
    )
    return rows.map(({ url_key }) => url_key).filter((key) => isBelow(key, pattern))
  }

  /**
   * Lifts an exclusion. Its websites are checked again at the next crawl.
   * @throws ERR_NOT_FOUND when the pattern was not excluded
   */
  const restore = async (pattern: string, actor: Actor = 'operator') => {
    const key = pattern.startsWith('=') ? pattern : (keyOf(pattern) ?? pattern)
    if (!(await exclusions.list()).some((rule) => rule.pattern === key))
      throw new MembershipError('ERR_NOT_FOUND', `"${pattern.slice(0, 200)}" is not excluded.`, {
        action: 'Give the pattern as it was excluded: membership reports excluded',
      })
    await storage.commit([
      exclusions.drop(key),
      ...(await candidatesBelow(key)).map((url_key) =>
        step(statements.candidateDone, { url_key, state: 'waiting', due_at: now().toISOString() }),
      ),
      audit.step({ actor, action: 'restore', subject: key }),
    ])
    const rows = await websitesBelow(key)
    let websites = 0
    for (const { id } of rows)
      await entries.change(id, async ({ data }) => {
        if (data.status_reason !== 'excluded') return null
        websites++
        return {
          data: { ...data, status: 'pending', status_reason: null, updated_at: now().toISOString() },
          columns: { due_at: now().toISOString() },
          writer: { by: 'owner' },
        }
      })
    return { pattern: key, websites }
  }

  /** Lists a website from now on although its signs do not suffice. @throws ERR_NOT_FOUND */
  const accept = async (name: string, actor: Actor = 'operator'): Promise<Entry> => {
    const { row } = await get(name)
    const listed = await entries.findIndexed(row.url_key)
    if (listed && listed.row.id !== row.id)
      throw new MembershipError('ERR_USAGE', `${row.url} is in the index already, as ${listed.row.id}.`)
    const at = now().toISOString()
    const changed = await entries.change(row.id, async ({ data }) => ({
      data: { ...data, status: 'listed', status_reason: null, accepted: true, updated_at: at },
      columns: { indexed: 1, keep_until: null, misses: 0, due_at: at },
      writer: { by: 'owner' },
      steps: [
        step(statements.reviewDone, { url_key: row.url_key, at }),
        audit.step({ actor, action: 'accept', subject: row.id, details: { url: row.url } }),
      ],
    }))
    return changed ?? get(name)
  }

  /**
   * Merges two websites. `keep` stays, and takes over the other's partner and picture if it has none of its
   * own. Without `write` nothing is changed. Returns the website that stays.
   * @throws ERR_NOT_FOUND, ERR_USAGE
   */
  const merge = async (input: WebsiteMerge): Promise<Entry> => {
    const { by: actor = 'operator', write = false } = input
    const [gone, kept] = [await get(input.merge), await get(input.keep)]
    if (gone.row.id === kept.row.id)
      throw new MembershipError('ERR_USAGE', 'Both names are of the same website.', {
        action: 'membership reports merge KEEP MERGE: give the one that stays, then the one that goes.',
      })
    if (gone.row.partner_id && kept.row.partner_id && gone.row.partner_id !== kept.row.partner_id)
      throw new MembershipError('ERR_USAGE', 'The two websites belong to different partners.', {
        action: `Link one of them first: membership reports relink --partner ${kept.row.partner_id}`,
      })
    if (!write) return kept
    const partner_id = kept.row.partner_id ?? gone.row.partner_id
    const first_seen_at =
      gone.data.first_seen_at < kept.data.first_seen_at ? gone.data.first_seen_at : kept.data.first_seen_at
    const merged = await entries.change(kept.row.id, async ({ data }) => ({
      data: {
        ...data,
        preview: data.preview ?? gone.data.preview,
        first_seen_at,
        updated_at: now().toISOString(),
      },
      columns: { partner_id },
      writer: { by: 'owner' },
      steps: [
        step(statements.reportDelete, { id: gone.row.id, revision: gone.row.revision }, 1),
        data.preview === null
          ? step(statements.previewsMove, { from: gone.row.id, into: kept.row.id })
          : step(statements.previewsDelete, { report_id: gone.row.id, except: '' }),
        step(statements.reviewDone, { url_key: gone.row.url_key, at: now().toISOString() }),
        ...entries.ownerSteps(gone.row.partner_id),
        audit.step({ actor, action: 'merge', subject: kept.row.id, details: { url: gone.row.url } }),
      ],
    }))
    return merged ?? get(input.keep)
  }

  /** Brings checks forward, of one website or of all in a state. @throws ERR_NOT_FOUND */
  const retry = async (what: string, actor: Actor = 'operator'): Promise<number> => {
    const states = ['unreachable', 'gone', 'archived', 'rejected', 'listed']
    const rows = states.includes(what)
      ? await storage.read((db) =>
          db
            .selectFrom('reports')
            .select(['id', 'due_at'])
            .where('status', '=', what)
            .where('indexed', '=', 1),
        )
      : [(await get(what)).row]
    const until = now().toISOString()
    await storage.commit([
      ...rows.map(({ id, due_at }) => step(statements.reportLease, { id, due_at, until })),
      audit.step({ actor, action: 'retry', subject: what, details: { websites: rows.length } }),
    ])
    return rows.length
  }

  /** Lists cases for review. Accepting or excluding the website closes them. */
  const reviews = () =>
    storage.read((db) =>
      db.selectFrom('reviews').selectAll().where('resolved_at', 'is', null).orderBy('at').limit(mostReviews),
    )

  return {
    ...createRelink(deps),
    get,
    exclude,
    restore,
    accept,
    merge,
    retry,
    crawlStatus: createStatus(deps),
    exclusions: exclusions.list,
    reviews,
  }
}
export type Operator = ReturnType<typeof createOperator>

/** Counts websites and candidates by state, counts those due, and finds the next due time. */
function createStatus({ storage, now }: { storage: Storage; now: () => Date }) {
  const crawlStatus = async () => {
    const [websites, candidates, due, due_candidates, open] = await Promise.all([
      statesOf(),
      candidateStates(),
      dueOf('reports'),
      dueOf('candidates'),
      storage.read((db) =>
        db
          .selectFrom('reviews')
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('resolved_at', 'is', null),
      ),
    ])
    const next = [due.next, due_candidates.next].filter((at) => at !== null && at < never).sort()
    return {
      websites,
      candidates,
      due: due.count,
      due_candidates: due_candidates.count,
      next_due_at: next[0] ?? null,
      reviews: Number(open[0]?.count ?? 0),
    }
  }

  const statesOf = async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('reports')
        .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
        .groupBy('status')
        .orderBy('status'),
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
  }

  const candidateStates = async () => {
    const rows = await storage.read((db) =>
      db
        .selectFrom('candidates')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .groupBy('state')
        .orderBy('state'),
    )
    return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
  }

  const dueOf = async (table: 'reports' | 'candidates') => {
    const at = now().toISOString()
    const [[due], [upcoming]] = await Promise.all([
      storage.read((db) =>
        db
          .selectFrom(table)
          .select((eb) => eb.fn.countAll<number>().as('count'))
          .where('due_at', '<=', at),
      ),
      storage.read((db) =>
        db.selectFrom(table).select('due_at').where('due_at', '>', at).orderBy('due_at').limit(1),
      ),
    ])
    return { count: Number(due?.count ?? 0), next: upcoming?.due_at ?? null }
  }

  return crawlStatus
}
