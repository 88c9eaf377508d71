import { MembershipError } from '../../core/errors.ts'
import type { Log } from '../../core/log.ts'
import { type Step, type Storage, step, UnitConflict, unlessConflict } from '../../core/storage/index.ts'
import type { Actor, Audit } from '../audit.ts'
import { hourOf } from '../hours.ts'
import { type Notices, noticeOfCheck } from '../notices.ts'
import type { ReportRow, Statements } from '../statements/index.ts'
import { identityOf, type SiteAddress } from '../visit/index.ts'
import { contentKeyOf, type Finding } from './finding.ts'
import { afterCheck, type IntervalRules } from './outcome.ts'
import { changeOf, type Entry, newEntry, type ReportData, toEntry, type Writer } from './record.ts'

export interface EntriesDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly audit: Audit
  readonly notices: Notices
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
  readonly systemName: string
  readonly rules: IntervalRules
  /** Returns a number from 0 to 1. */
  readonly chance: () => number
}

/** Lease of a website during its check. */
export const leaseMs = 600_000

/**
 * Stores the websites. Each write is one unit, and a write that was overtaken starts again from its reading.
 */
export function createEntries(deps: EntriesDeps) {
  const { storage, statements, audit, now, randomId, systemName, rules, chance } = deps

  const first = (rows: readonly ReportRow[]): Entry | null => (rows[0] ? toEntry(rows[0]) : null)
  const find = async (id: string) => first(await storage.all(statements.report, { id }))
  const findOf = async (partner_id: string, id: string) =>
    first(await storage.all(statements.reportOf, { id, partner_id }))
  const findIndexed = async (url_key: string) =>
    first(await storage.all(statements.reportIndexed, { url_key }))
  const findTried = async (partner_id: string, url_key: string) =>
    first(await storage.all(statements.reportTried, { url_key, partner_id }))

  /** Returns the steps that an owner's write adds to a unit: the partner's version is raised. */
  const ownerSteps = (...partners: (string | null)[]): Step[] =>
    [...new Set(partners)].flatMap((id) =>
      id === null ? [] : [step(statements.partnerChanged, { id, at: now().toISOString() })],
    )

  // The held state belongs to the version that the partner sees now.
  const crawlerSteps = (id: string | null, version: number): Step[] =>
    id === null ? [] : [step(statements.partnerCrawled, { id, version }, 1)]

  /**
   * Creates a website that its creator is about to check.
   * @throws UnitConflict when the partner has had it since a moment ago
   */
  const create = async (
    site: SiteAddress,
    by: { source: 'partner' | 'crawler' | 'operator'; partnerId: string | null; actor: Actor },
  ): Promise<Entry> => {
    const at = now()
    const { source, partnerId } = by
    const entry = newEntry(site, {
      id: `rpt_${randomId()}`,
      source,
      partnerId,
      systemName,
      at,
      // If this process dies before the check ends, the crawler takes it over.
      dueAt: new Date(at.getTime() + leaseMs),
      intervalSeconds: rules.baseSeconds,
    })
    const { row } = entry
    await storage.commit([
      ...ownerSteps(partnerId),
      ...(partnerId === null
        ? []
        : [step(statements.partnerIsFirst, { id: partnerId, url_key: site.key }, 1)]),
      step(statements.reportInsert, row),
      audit.step({ actor: by.actor, action: 'report-add', subject: row.id, details: { url: site.url } }),
    ])
    return entry
  }

  /**
   * Applies `change` to the newest state, and again if another write was faster. The first try uses `known`,
   * which was read before. Returns null if the website is gone.
   * @throws ERR_BUSY when no try succeeds
   */
  const change = async (
    id: string,
    plan: (entry: Entry) => Promise<{
      data: ReportData
      columns?: Parameters<typeof changeOf>[2]['columns']
      writer: Writer
      steps?: readonly Step[]
    } | null>,
    known?: Entry,
  ): Promise<Entry | null> => {
    for (let tries = 0; tries < 10; tries++) {
      const entry = tries === 0 && known ? known : await find(id)
      const next = entry && (await plan(entry))
      if (!entry || !next) return entry
      const write = changeOf(entry, next.writer, next)
      try {
        await storage.commit([
          step(statements.reportWrite, write, 1),
          ...(next.writer.by === 'owner'
            ? ownerSteps(entry.row.partner_id, write.partner_id)
            : crawlerSteps(entry.row.partner_id, next.writer.version)),
          ...(next.steps ?? []),
        ])
        return { row: { ...entry.row, ...write, revision: entry.row.revision + 1 }, data: next.data }
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
      }
    }
    throw new MembershipError('ERR_BUSY', 'This website is being changed by others.', {
      action: 'Send it again in two seconds.',
      retryAfterSeconds: 2,
    })
  }

  /**
   * Stores the result of a check of `site`, starting from `known` if it was read before. The entry keeps the
   * address that worked: a spelling that failed says nothing about a listed website's own address.
   * @throws TakenMeanwhile when another entry put the website into the index
   */
  const saveCheck = async (
    id: string,
    site: SiteAddress,
    finding: Finding,
    by: 'owner' | 'crawler',
    known?: Entry,
  ): Promise<Entry | null> => {
    try {
      return await change(
        id,
        async (entry) => {
          const isOther = site.url !== entry.row.url
          if (isOther && entry.row.indexed === 1 && finding.kind !== 'listed') return null
          const at = now()
          const next = afterCheck({ entry, finding, now: at, rules, chance: chance() })
          const twin = finding.kind === 'listed' ? await twinOf(entry, finding) : null
          if (twin && entry.row.indexed === 0) throw new TakenMeanwhile(twin)
          const summary = finding.kind === 'rejected' ? finding.detection.summary : null
          const why = twin
            ? `leads to ${twin.row.url}, listed as ${twin.row.id}`
            : next.needsReview
              ? summary
              : null
          const columns = {
            ...next.columns,
            ...(twin ? { content_key: null } : {}),
            ...(isOther ? { url: site.url, host: site.host, domain: site.domain } : {}),
          }
          return {
            ...next,
            data: isOther ? { ...next.data, or_http: site.orHttp } : next.data,
            columns,
            writer: await writerOf(entry, by),
            steps: [...reviewSteps(entry, why), ...noticeSteps(entry, next.data)],
          }
        },
        known,
      )
    } catch (error) {
      // Two entries of one website arrived at the same moment, but the index lists it once.
      const entry = error instanceof TakenMeanwhile ? null : await find(id)
      const taken = entry && finding.kind === 'listed' ? await twinOf(entry, finding) : null
      if (taken) throw new TakenMeanwhile(taken)
      throw error
    }
  }

  const writerOf = async ({ row }: Entry, by: 'owner' | 'crawler'): Promise<Writer> => {
    // A check that a partner waits for counts as the partner's own, whoever runs it.
    if (by === 'owner' || row.status === 'pending') return { by: 'owner' }
    const [partner] =
      row.partner_id === null ? [] : await storage.all(statements.partner, { id: row.partner_id })
    return { by: 'crawler', hour: hourOf(now()), version: partner?.version ?? 0 }
  }

  /**
   * Finds another entry of the same website. It has the same address, the address that this one redirects to
   * or declares, or the same host and content.
   */
  const twinOf = async ({ row }: Entry, { page, scan }: Listed): Promise<Entry | null> => {
    const names = new Set([row.url_key, page.key, ...canonicalKey(page.url, scan.canonical)])
    // In the index each address is unique, so its own needs no search.
    if (row.indexed === 1) names.delete(row.url_key)
    for (const key of names) {
      const found = await findIndexed(key)
      if (found && found.row.id !== row.id) return found
    }
    const content_key = contentKeyOf({ page, scan })
    const same = first(await storage.all(statements.reportOfContent, { content_key }))
    return same && same.row.id !== row.id ? same : null
  }

  const reviewSteps = ({ row }: Entry, why: string | null): Step[] =>
    why === null
      ? []
      : [
          step(statements.reviewPut, {
            url_key: row.url_key,
            url: row.url,
            report_id: row.id,
            why,
            at: now().toISOString(),
          }),
        ]

  // Only for websites in the index: a refused attempt is reported in its answer.
  const noticeSteps = ({ row, data }: Entry, next: ReportData): Step[] => {
    const notice = row.indexed === 1 ? noticeOfCheck(data, next) : null
    if (notice === null || row.partner_id === null) return []
    return [deps.notices.step({ ...notice, partnerId: row.partner_id, reportId: row.id, url: row.url })]
  }

  /** Removes a website with its pictures. Returns false if another write was faster. */
  const remove = async (entry: Entry, steps: readonly Step[] = []): Promise<boolean> => {
    const { id, revision, partner_id } = entry.row
    return unlessConflict(
      storage.commit([
        step(statements.reportDelete, { id, revision }, 1),
        step(statements.previewsDelete, { report_id: id, except: '' }),
        ...ownerSteps(partner_id),
        ...steps,
      ]),
    )
  }

  return { find, findOf, findIndexed, findTried, create, change, saveCheck, remove, ownerSteps }
}
export type Entries = ReturnType<typeof createEntries>

type Listed = Extract<Finding, { kind: 'listed' }>

function keyHost(key: string): string {
  return key.split(/[/?]/, 1)[0]!
}

// Only addresses of the same host count, so that a page cannot take another website's place by declaring its
// address.
function canonicalKey(pageUrl: string, canonical: string | null): string[] {
  if (canonical === null) return []
  const [page, named] = [new URL(pageUrl), new URL(canonical)]
  const [own, other] = [identityOf(page, page.hostname), identityOf(named, named.hostname)]
  return keyHost(own) === keyHost(other) ? [other] : []
}

/** Thrown when another entry of the website is in the index already. */
export class TakenMeanwhile extends Error {
  readonly entry: Entry
  constructor(entry: Entry) {
    super('the website came into the index by another entry')
    this.name = 'TakenMeanwhile'
    this.entry = entry
  }
}
