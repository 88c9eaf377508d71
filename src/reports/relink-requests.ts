import { isMembershipError, MembershipError } from '../core/errors.ts'
import type { Log } from '../core/log.ts'
import { type Step, type Storage, step, UnitConflict } from '../core/storage/index.ts'
import type { Audit } from './audit.ts'
import type { Entries } from './entries/entries.ts'
import type { Exclusions } from './entries/exclusions.ts'
import { hourBegins, hourOf } from './hours.ts'
import type { Caller } from './keys/keys.ts'
import type { Partners } from './keys/partners.ts'
import type { Notices } from './notices.ts'
import type { Operator } from './operator/operator.ts'
import type { RelinkRequestStatus } from './schemas.ts'
import type { RelinkRequestRow, Statements } from './statements/index.ts'
import { type AddressPolicy, toSiteAddress, Unreachable, type Visits } from './visit/index.ts'

const dayMs = 86_400_000

/** Time for the partner who has the website to object. */
export const objectMs = 14 * dayMs
/** Longest wait for the first proof. */
const provingMs = 7 * dayMs
/** The proof is checked every day, and lapses if it was last seen longer ago than this. */
const proofKeptMs = 3 * dayMs

/** Content of the TXT record or file. */
function proofValue({ secret }: RelinkRequestRow): string {
  return `membership-index=${secret}`
}
function pathOf({ file_name }: RelinkRequestRow): string {
  return `/.well-known/membership-index/${file_name}.txt`
}

export interface RelinkRequestsDeps {
  readonly storage: Storage
  readonly statements: Statements
  readonly audit: Audit
  readonly notices: Notices
  readonly partners: Partners
  readonly entries: Entries
  readonly exclusions: Exclusions
  readonly policy: AddressPolicy
  readonly visits: Visits
  readonly operator: Pick<Operator, 'relink'>
  /** Returns the TXT records of a host. */
  readonly resolveTxt: (host: string) => Promise<readonly (readonly string[])[]>
  /** True if relinking needs no operator. */
  readonly isAutomatic: boolean
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

/**
 * Partners' requests for websites that are already in the index. A partner proves control of the host. The
 * partner who has the website is notified and has fourteen days to object. Then the operator confirms, or the
 * configuration does. No partner can take over a website alone.
 */
export function createRelinkRequests(deps: RelinkRequestsDeps) {
  const { storage, statements, audit, notices, partners, entries, exclusions, policy, operator, now } = deps

  /**
   * Creates a request, or returns the open one for the same website.
   * @throws ERR_NOT_FOUND, ERR_PARAMETER, ERR_URL_NOT_ALLOWED, ERR_SITE_EXCLUDED
   */
  const create = async (caller: Caller, url: string): Promise<{ row: RelinkRequestRow; isNew: boolean }> => {
    const site = toSiteAddress(url, policy)
    await exclusions.check(site)
    const entry = await entries.findIndexed(site.key)
    if (!entry)
      throw new MembershipError('ERR_NOT_FOUND', `${site.url} is not in the index: nobody has it.`, {
        action: 'Add it: curl -X POST -G {base}/reports --data-urlencode url=… -H "X-API-KEY: $KEY"',
      })
    if (entry.row.partner_id === caller.partnerId)
      throw new MembershipError('ERR_PARAMETER', `${site.url} is linked to you already.`, {
        action: `curl -H "X-API-KEY: $KEY" {base}/reports/${entry.row.id}`,
      })
    const key = { report_id: entry.row.id, partner_id: caller.partnerId }
    const [open] = await storage.all(statements.relinkRequestOpen, key)
    if (open) return { row: open, isNew: false }
    const row: RelinkRequestRow = {
      ...key,
      id: `rlr_${deps.randomId()}`,
      holder_id: null,
      url: entry.row.url,
      host: entry.row.host,
      file_name: deps.randomId(),
      secret: deps.randomId(),
      status: 'unproven',
      reason: null,
      proof: null,
      last_check: null,
      created_at: now().toISOString(),
      proven_at: null,
      object_until: null,
      confirmed_by: null,
      batch: null,
      due_at: inMs(provingMs),
      revision: 1,
    }
    await storage.commit([
      step(statements.relinkRequestInsert, row),
      log(row, `partner:${caller.partnerId}`, 'relink-request'),
    ])
    // Of two simultaneous requests the first one is kept.
    const [kept] = await storage.all(statements.relinkRequestOpen, key)
    return { row: kept ?? row, isNew: kept?.id === row.id }
  }

  /** Finds a request that the partner made, or that concerns one of its websites. @throws ERR_NOT_FOUND */
  const find = async (partnerId: string, id: string): Promise<RelinkRequestRow> => {
    const [row] = await storage.all(statements.relinkRequest, { id })
    if (row && (row.partner_id === partnerId || row.holder_id === partnerId)) return row
    throw new MembershipError('ERR_NOT_FOUND', `There is no relink request "${id.slice(0, 60)}" of yours.`, {
      action: 'Yours: curl -H "X-API-KEY: $KEY" {base}/reports/relink-requests',
    })
  }

  const list = (partnerId: string) => storage.all(statements.relinkRequestsOf, { partner_id: partnerId })

  /** Checks the proof now. @throws ERR_NOT_FOUND, ERR_PARAMETER once it is closed */
  const check = async (caller: Caller, id: string): Promise<RelinkRequestRow> =>
    renew(openOf(await ownOf(caller, id)))

  const ownOf = async ({ partnerId }: Caller, id: string): Promise<RelinkRequestRow> => {
    const row = await find(partnerId, id)
    if (row.partner_id === partnerId) return row
    throw new MembershipError('ERR_PARAMETER', 'Only the partner who asks can do this.', {
      action: `To object: curl -X POST -H "X-API-KEY: $KEY" {base}/reports/relink-requests/${id}/objection`,
    })
  }

  /** @throws ERR_NOT_FOUND, ERR_PARAMETER once it is closed */
  const withdraw = async (caller: Caller, id: string): Promise<RelinkRequestRow> => {
    const row = openOf(await ownOf(caller, id))
    return write(row, { status: 'withdrawn', due_at: null }, [
      log(row, `partner:${caller.partnerId}`, 'relink-withdrawn'),
    ])
  }

  /**
   * Records the objection of the partner who has the website.
   * @throws ERR_NOT_FOUND, ERR_PARAMETER when it is too late
   */
  const object = async (caller: Caller, id: string, reason: string | null): Promise<RelinkRequestRow> => {
    const row = openOf(await find(caller.partnerId, id))
    if (row.holder_id !== caller.partnerId)
      throw new MembershipError('ERR_PARAMETER', 'Only the partner who has the website can object.', {
        action: `To withdraw: curl -X DELETE -H "X-API-KEY: $KEY" {base}/reports/relink-requests/${id}`,
      })
    if (row.status === 'objected') return row
    return write(row, { status: 'objected', reason }, [
      log(row, `partner:${caller.partnerId}`, 'relink-objected', { reason }),
      tell(row, row.partner_id, 'relink-objected'),
    ])
  }

  /** Checks the proof and, when it is new, notifies the partner who has the website. */
  const renew = async (row: RelinkRequestRow): Promise<RelinkRequestRow> => {
    const { proof, found } = await prove(row)
    const at = now().toISOString()
    const seen = { last_check: JSON.stringify({ at, ...found }), ...(proof ? { proof, proven_at: at } : {}) }
    if (!proof || row.status !== 'unproven')
      return write(row, { ...seen, due_at: row.status === 'unproven' ? row.due_at : dueAfter(row) })
    const { change, steps } = await notifyHolder(row)
    return write(row, { ...seen, ...change, status: 'proven' }, [
      log(row, `partner:${row.partner_id}`, 'relink-proven', { proof }),
      ...steps,
    ])
  }

  /** Notices show from the next full hour, so the fourteen days start there. */
  const notifyHolder = async (row: RelinkRequestRow) => {
    const holder = (await entries.find(row.report_id))?.row.partner_id ?? null
    const object_until =
      holder === null
        ? now().toISOString()
        : new Date(hourBegins(hourOf(now()) + 1).getTime() + objectMs).toISOString()
    return {
      change: {
        holder_id: holder,
        object_until,
        due_at: holder === null ? now().toISOString() : inMs(dayMs),
      },
      steps:
        holder === null
          ? []
          : [
              notices.step({
                partnerId: holder,
                kind: 'relink-requested',
                reportId: row.report_id,
                url: row.url,
                details: { request: row.id, object_until },
              }),
            ],
    }
  }

  const prove = async (row: RelinkRequestRow) => {
    const [dns, file] = [await lookAtDns(row), await lookAtFile(row)]
    const proof = dns === 'found' ? 'dns' : file === 'found' ? 'file' : null
    return { proof, found: { dns, file } }
  }

  const lookAtDns = async (row: RelinkRequestRow): Promise<string> => {
    try {
      const records = await deps.resolveTxt(row.host)
      return records.some((parts) => parts.join('') === proofValue(row)) ? 'found' : 'not-found'
    } catch (error) {
      return ['ENODATA', 'ENOTFOUND'].includes(String((error as { code?: unknown }).code))
        ? 'not-found'
        : 'failed'
    }
  }

  // Only this host and path count, because a redirect may lead anywhere. The value must match exactly: a page
  // that echoes its address does not know it.
  const lookAtFile = async (row: RelinkRequestRow): Promise<string> => {
    const { origin } = new URL(row.url)
    for (const place of [...new Set([origin, `https://${row.host}`])])
      try {
        const site = toSiteAddress(`${place}${pathOf(row)}`, policy)
        const text = await deps.visits.readFile(site, { party: row.partner_id })
        if (text !== null && text.trim() === proofValue(row)) return 'found'
      } catch (error) {
        if (!(error instanceof Unreachable) && !isMembershipError(error)) throw error
      }
    return 'not-found'
  }

  /** Does everything due: renews proofs, ends expired requests, relinks websites. */
  const runDue = async (): Promise<void> => {
    for (const row of await storage.all(statements.relinkRequestsDue, { now: now().toISOString() }))
      try {
        await advance(row)
      } catch (error) {
        if (!(error instanceof UnitConflict))
          deps.log('a relink request could not be worked on', { request: row.id, reason: String(error) })
      }
  }

  const advance = async (row: RelinkRequestRow): Promise<void> => {
    if (!(await entries.find(row.report_id)))
      return void (await close(row, 'void', 'the website left the index'))
    if (row.status === 'unproven') {
      if (Date.parse(row.created_at) + provingMs > now().getTime()) return void (await renew(row))
      return void (await close(row, 'expired', 'it was not proven within seven days'))
    }
    const renewed = await renew(row)
    if (Date.parse(renewed.proven_at ?? '') + proofKeptMs < now().getTime())
      return void (await close(renewed, 'lapsed', 'the proof was taken away'))
    if (mayLink(renewed)) await link(renewed)
  }

  const mayLink = (row: RelinkRequestRow): boolean =>
    row.status === 'proven' &&
    row.object_until !== null &&
    row.object_until <= now().toISOString() &&
    (row.confirmed_by !== null || deps.isAutomatic)

  /** Relinks as a batch that one command can undo. */
  const link = async (row: RelinkRequestRow): Promise<RelinkRequestRow> => {
    const entry = await entries.find(row.report_id)
    if (!entry) return close(row, 'void', 'the website left the index')
    const { partner_id } = entry.row
    if (partner_id === row.partner_id) return close(row, 'linked', null)
    if (partner_id !== row.holder_id) {
      // The website has changed hands since, and its new partner was not notified yet.
      const { change, steps } = await notifyHolder(row)
      return write(row, { ...change, confirmed_by: null, status: 'proven' }, steps)
    }
    const claimant = await partners.get(row.partner_id)
    if (claimant.status !== 'active') return row
    const actor = row.confirmed_by ?? 'automatic'
    const { batch } = await operator.relink(row.url, row.partner_id, {
      write: true,
      actor,
      from: row.holder_id,
      alongside: (id) => [
        step(statements.relinkRequestWrite, { ...row, status: 'linked', due_at: null, batch: id }, 1),
        log(row, actor, 'relink-request-linked', { batch: id }),
        tell(row, row.partner_id, 'relinked'),
        ...(row.holder_id === null ? [] : [tell(row, row.holder_id, 'unlinked')]),
      ],
    })
    if (batch === null) return close(row, 'void', 'the website cannot be linked')
    return { ...row, status: 'linked', due_at: null, batch, revision: row.revision + 1 }
  }

  /**
   * Confirms for the operator. The website is relinked when the objection period is over, or at once if it
   * is. Overruling an objection must be explicit.
   * @throws ERR_NOT_FOUND, ERR_USAGE
   */
  const confirm = async (
    id: string,
    actor: string,
    { despiteObjection = false }: { despiteObjection?: boolean } = {},
  ): Promise<RelinkRequestRow> => {
    const row = await forOperator(id)
    if (row.status === 'objected' && !despiteObjection)
      throw new MembershipError(
        'ERR_USAGE',
        `The partner who has ${row.url} objected: ${row.reason ?? 'no reason given'}.`,
        {
          action: `membership reports confirm ${id} --despite-objection, or: membership reports decline ${id} --reason …`,
        },
      )
    const renewed = await renew(row)
    if (
      renewed.status === 'unproven' ||
      renewed.proven_at === null ||
      renewed.last_check === null ||
      !isProvenNow(renewed)
    )
      throw new MembershipError(
        'ERR_USAGE',
        `Nothing proves ${row.url} at the moment: ${renewed.last_check}.`,
        {
          action: 'Ask the partner to put the record or the file back.',
        },
      )
    const confirmed = await write(renewed, { confirmed_by: actor, status: 'proven' }, [
      log(row, actor, 'relink-confirmed', { despiteObjection }),
    ])
    const isOverruled = row.status === 'objected'
    return isOverruled || mayLink(confirmed) ? link(confirmed) : confirmed
  }

  const isProvenNow = ({ last_check, proven_at }: RelinkRequestRow): boolean =>
    (JSON.parse(last_check ?? '{}') as { at?: string }).at === proven_at

  /** @throws ERR_NOT_FOUND, ERR_USAGE */
  const decline = async (id: string, reason: string, actor: string): Promise<RelinkRequestRow> => {
    const row = await forOperator(id)
    return write(row, { status: 'declined', reason, due_at: null }, [
      log(row, actor, 'relink-declined', { reason }),
      notices.step({
        partnerId: row.partner_id,
        kind: 'relink-declined',
        reportId: row.report_id,
        url: row.url,
        details: { request: row.id, reason },
      }),
    ])
  }

  const forOperator = async (id: string): Promise<RelinkRequestRow> => {
    const [row] = await storage.all(statements.relinkRequest, { id })
    if (row?.due_at) return row
    if (row) throw new MembershipError('ERR_USAGE', `The request ${id} is closed: ${row.status}.`)
    throw new MembershipError('ERR_NOT_FOUND', `There is no relink request "${id.slice(0, 60)}".`, {
      action: 'membership reports requests',
    })
  }

  /** Lists open requests, or the newest of all. */
  const all = ({ isOpen = true, limit = 200 }: { isOpen?: boolean; limit?: number } = {}) =>
    storage.read((db) => {
      const query = db.selectFrom('relink_requests').selectAll().orderBy('created_at', 'desc').limit(limit)
      return isOpen ? query.where('due_at', 'is not', null) : query
    })

  const close = (row: RelinkRequestRow, status: RelinkRequestStatus, reason: string | null) =>
    write(row, { status, reason, due_at: null }, [log(row, 'index', `relink-${status}`, { reason })])

  const write = async (
    row: RelinkRequestRow,
    change: Partial<RelinkRequestRow>,
    steps: readonly Step[] = [],
  ): Promise<RelinkRequestRow> => {
    const next = { ...row, ...change }
    await storage.commit([step(statements.relinkRequestWrite, next, 1), ...steps])
    return { ...next, revision: row.revision + 1 }
  }

  const log = (
    row: RelinkRequestRow,
    actor: string,
    action: string,
    details: Record<string, unknown> = {},
  ): Step => audit.step({ actor, action, subject: row.id, details: { url: row.url, ...details } })

  const tell = (
    row: RelinkRequestRow,
    partnerId: string,
    kind: 'relink-objected' | 'relinked' | 'unlinked',
  ): Step =>
    notices.step({ partnerId, kind, reportId: row.report_id, url: row.url, details: { request: row.id } })

  // Next check of the proof, or the end of the objection period.
  const dueAfter = ({ object_until }: RelinkRequestRow): string => {
    const tomorrow = inMs(dayMs)
    const isOver = object_until === null || object_until <= now().toISOString()
    return isOver || object_until > tomorrow ? tomorrow : object_until
  }

  const inMs = (ms: number): string => new Date(now().getTime() + ms).toISOString()

  return { create, find, list, check, withdraw, object, runDue, confirm, decline, all }
}
export type RelinkRequests = ReturnType<typeof createRelinkRequests>

function openOf(row: RelinkRequestRow): RelinkRequestRow {
  if (row.due_at !== null) return row
  throw new MembershipError('ERR_PARAMETER', `The request is closed: ${row.status}.`, {
    action: 'Make another one: POST {base}/reports/relink-requests?url=…',
  })
}

/** Converts a request for one of its two partners; neither learns who the other is. */
export function toRelinkRequest(row: RelinkRequestRow, partnerId: string) {
  const isOwn = row.partner_id === partnerId
  return {
    id: row.id,
    url: row.url,
    role: isOwn ? ('claimant' as const) : ('holder' as const),
    status: row.status as RelinkRequestStatus,
    reason: row.reason,
    created_at: row.created_at,
    proven_at: row.proven_at,
    object_until: row.object_until,
    report_id: !isOwn || row.status === 'linked' ? row.report_id : null,
    proofs: isOwn
      ? {
          dns: { name: row.host, type: 'TXT' as const, value: proofValue(row) },
          file: { url: new URL(pathOf(row), row.url).href, content: proofValue(row) },
        }
      : null,
    last_check: isOwn && row.last_check ? (JSON.parse(row.last_check) as RelinkCheck) : null,
  }
}

interface RelinkCheck {
  readonly at: string
  readonly dns: 'found' | 'not-found' | 'failed'
  readonly file: 'found' | 'not-found'
}
