import { MembershipError } from '../core/errors.ts'
import { type Step, type Storage, step } from '../core/storage/index.ts'
import type { ReportData } from './entries/record.ts'
import { hourBegins, hourOf } from './hours.ts'
import type { NoticeKind } from './schemas.ts'
import type { NoticeRow, Statements } from './statements/index.ts'

/** Age at which notices are deleted. */
export const noticesKeptMs = 90 * 86_400_000

/** Notices on one page. */
export const noticesPerPage = 100

/**
 * Longer than a write of the previous hour takes to arrive. A page that was read therefore never gets an
 * earlier notice added later.
 */
const settleMs = 60_000

/** A notice before it gets an id and a time. */
export interface Notice {
  readonly partnerId: string
  readonly kind: NoticeKind
  readonly reportId: string
  readonly url: string
  readonly details?: Readonly<Record<string, string | null>>
}

/**
 * Notices to partners about their websites. They are written in the unit of the change, and shown from the
 * next full hour.
 */
export function createNotices(deps: {
  storage: Storage
  statements: Statements
  now: () => Date
  randomId: () => string
}) {
  const { storage, statements, now, randomId } = deps

  const toStep = ({ partnerId, kind, reportId, url, details = {} }: Notice): Step =>
    step(statements.noticeInsert, {
      id: `ntc_${randomId()}`,
      partner_id: partnerId,
      at: now().toISOString(),
      kind,
      report_id: reportId,
      url,
      details: JSON.stringify(details),
    })

  /**
   * Lists a page after `cursor`, oldest first. `links.next` always continues, also from the newest page to
   * future notices.
   * @throws ERR_PARAMETER
   */
  const list = async (partnerId: string, cursor: string | null, base: string) => {
    const from = cursor === null ? { at: '', id: '' } : readCursor(cursor)
    const hour = hourBegins(hourOf(new Date(now().getTime() - settleMs)))
    const rows = await storage.all(statements.noticesOf, {
      partner_id: partnerId,
      at: from.at,
      id: from.id,
      before: hour.toISOString(),
      limit: noticesPerPage,
    })
    const last = rows.at(-1)
    const here = `${base}/reports/notices`
    const next = last ? writeCursor(last) : cursor
    return {
      data: rows.map(toNotice),
      meta: { count: rows.length, generated_at: hour.toISOString() },
      links: {
        self: cursor === null ? here : `${here}?cursor=${cursor}`,
        next: next === null ? here : `${here}?cursor=${next}`,
      },
    }
  }

  return { step: toStep, list }
}
export type Notices = ReturnType<typeof createNotices>
export type NoticePage = Awaited<ReturnType<Notices['list']>>

function toNotice({ id, at, kind, report_id, url, details }: NoticeRow) {
  return {
    id,
    at,
    kind: kind as NoticeKind,
    report_id,
    url,
    details: JSON.parse(details) as Record<string, string | null>,
  }
}

/** Returns the notice that a check causes; null if nothing changed. */
export function noticeOfCheck(
  before: ReportData,
  after: ReportData,
): Pick<Notice, 'kind' | 'details'> | null {
  if (before.status === after.status || before.status === 'pending') return null
  const details = { reason: after.status_reason }
  switch (after.status) {
    case 'listed':
      return { kind: 'back' }
    case 'unreachable':
      return { kind: 'down', details }
    case 'gone':
    case 'archived':
      return { kind: after.status, details }
    case 'rejected':
      return { kind: 'moved', details: { system: after.details.other_system?.name ?? null } }
    default:
      return null
  }
}

function writeCursor({ at, id }: NoticeRow): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

function readCursor(cursor: string): { at: string; id: string } {
  const text = Buffer.from(cursor, 'base64url').toString('utf8')
  const [, at, id] = /^(\d{4}-\d\d-\d\dT[\d:.]{1,20}Z) (ntc_[\w-]{1,60})$/.exec(text) ?? []
  if (at !== undefined && id !== undefined) return { at, id }
  throw new MembershipError('ERR_PARAMETER', 'The query parameter "cursor" is not one that this feed gave.', {
    action: 'Begin at GET {base}/reports/notices and follow links.next.',
  })
}

/** Formats the page as an Atom feed (RFC 4287) for feed readers. */
export function toAtom({ data, meta, links }: NoticePage): string {
  const entries = data.map(
    ({ id, at, kind, url, details }) =>
      `<entry><id>urn:membership-index:${id}</id><updated>${at}</updated><title>${escapeXml(`${url}: ${sentences[kind](details)}`)}</title>` +
      `<link rel="alternate" href="${escapeXml(url)}"/><category term="${kind}"/></entry>`,
  )
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">' +
    `<id>${escapeXml(links.self.split('?')[0]!)}</id><title>Your websites in the index</title>` +
    `<updated>${data.at(-1)?.at ?? meta.generated_at}</updated><author><name>Website index</name></author>` +
    `<link rel="self" href="${escapeXml(`${links.self}${links.self.includes('?') ? '&' : '?'}format=atom`)}"/>` +
    `<link rel="next" href="${escapeXml(`${links.next}${links.next.includes('?') ? '&' : '?'}format=atom`)}"/>` +
    `${entries.join('')}</feed>\n`
  )
}

const sentences: Record<NoticeKind, (details: Record<string, string | null>) => string> = {
  down: ({ reason }) => `could not be read (${reason})`,
  back: () => 'is back',
  gone: () => 'is gone',
  archived: () => 'is archived',
  moved: ({ system }) => (system ? `runs ${system} now` : 'runs another system now'),
  'relink-requested': ({ object_until }) => `another partner proved it; you can object until ${object_until}`,
  'relink-objected': () => 'the partner who has it objected; the operator decides',
  'relink-declined': ({ reason }) => `your request was declined (${reason})`,
  relinked: () => 'is linked to you now',
  unlinked: () => 'was linked to another partner',
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
