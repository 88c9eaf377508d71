import type { Detection, Scan } from '../detection/index.ts'
import type { Reason, VisitedPage } from '../visit/index.ts'
import type { ReportData } from './record.ts'

/** A page that was analysed, and if it runs the system. */
export interface Seen<K extends 'listed' | 'rejected'> {
  readonly kind: K
  readonly page: VisitedPage
  readonly scan: Scan
  readonly detection: Detection
  /** System that it runs instead, if known. */
  readonly other?: Detection | null
  /** Version of the rules that were used. */
  readonly rules?: string
}
/** A listed page that did not change. */
export interface Same {
  readonly kind: 'unchanged'
  readonly page: VisitedPage
}
/** A website that could not be read. */
export interface Failed {
  readonly kind: 'unreachable'
  readonly reason: Reason
  readonly httpStatus: number | null
  readonly retryAfterSeconds: number | null
  /** True if the name does not exist. */
  readonly isUnknownName: boolean
}
/** A page that was analysed. */
export type Judged = Seen<'listed'> | Seen<'rejected'>
/** Result of a check. */
export type Finding = Judged | Same | Failed

/** Adds the facts of an analysed page. */
export function withPage(
  data: ReportData,
  { page, scan, detection, rules, other = null }: Seen<'listed' | 'rejected'>,
): ReportData {
  return {
    ...data,
    ...(rules === undefined ? {} : { seen: { ...page.validators, rules } }),
    final_url: page.url,
    title: scan.metadata.title,
    description: scan.metadata.description,
    language: scan.metadata.language,
    favicon_url: scan.metadata.favicon_url,
    system: {
      name: detection.name,
      detected: detection.detected,
      version: detection.version,
      confidence: detection.score,
      certainty: detection.certainty,
    },
    details: {
      evidence: detection.evidence.map(({ channel, rule, matched, weight }) => ({
        channel,
        rule,
        matched,
        weight,
      })),
      channels: [...detection.channels],
      summary: detection.summary,
      other_system: other && {
        name: other.name,
        version: other.version,
        certainty: other.certainty,
      },
      icons: [...scan.metadata.icons],
      image_url: scan.metadata.image_url,
      http: httpOf(page),
      cut: scan.stopped && { at: scan.stopped, head_tail_read: scan.isHeadTailRead },
      checks: data.details.checks,
    },
  }
}

/** Digest of everything worth a visit. If it stays the same, the next visit may wait longer. */
export function fingerprintOf({
  final_url,
  title,
  description,
  language,
  favicon_url,
  system,
  details,
}: ReportData): string {
  return JSON.stringify([
    final_url,
    title,
    description,
    language,
    favicon_url,
    system,
    details.icons,
    details.image_url,
  ])
}

/** Returns the facts of a visit. */
export function httpOf({ status, hops, bytes, milliseconds }: VisitedPage) {
  return {
    status,
    hops: [...hops],
    bytes,
    milliseconds,
  }
}

/** Returns a key that two pages of a host share if their visible content is equal. */
export function contentKeyOf({ page, scan }: Pick<Seen<'listed'>, 'page' | 'scan'>): string {
  return `${page.key.split(/[/?]/, 1)[0]} ${scan.content}`
}
