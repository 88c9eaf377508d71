import type { ReportData } from '../entries/record.ts'
import type { Report } from '../schemas.ts'
import type { ReportRow } from '../statements/index.ts'

/** Converts a report to its public form. `base` is the site's address, for the picture's URL. */
export function toReport(
  row: Pick<ReportRow, 'id' | 'url' | 'host' | 'source'>,
  { preview, details, ...data }: ReportData,
  { base, expand }: { base: string; expand: boolean },
): Report {
  return {
    id: row.id,
    url: row.url,
    final_url: data.final_url,
    host: row.host,
    title: data.title,
    description: data.description,
    language: data.language,
    favicon_url: data.favicon_url,
    preview: preview && {
      url: `${base}/reports/previews/${preview.id}.jpg`,
      width: preview.width,
      height: preview.height,
      bytes: preview.bytes,
      custom: preview.custom,
    },
    system: data.system,
    status: data.status,
    status_reason: data.status_reason,
    source: row.source as Report['source'],
    first_seen_at: data.first_seen_at,
    checked_at: data.checked_at,
    next_check_at: data.next_check_at,
    created_at: data.created_at,
    updated_at: data.updated_at,
    ...(expand ? { details } : {}),
  }
}
