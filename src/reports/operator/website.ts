import { toReport } from '../answers/view.ts'
import type { Entry } from '../entries/record.ts'
import type { Report } from '../schemas.ts'

/** A website as the operator sees it: what a partner sees, whose it is, and how it fares. */
export interface Website extends Report {
  readonly partner_id: string | null
  readonly indexed: boolean
  readonly accepted: boolean
  /** Visits in a row that failed, and since when. */
  readonly failures: number
  readonly failing_since: string | null
  /** Until when a refused one is kept. */
  readonly keep_until: string | null
}

/** `base` is the site's own address, for the picture's. */
export const toWebsite = ({ row, data: { accepted = false, ...data } }: Entry, base = ''): Website => ({
  ...toReport(row, data, { base, expand: true }),
  partner_id: row.partner_id,
  indexed: row.indexed === 1,
  accepted,
  failures: row.failures,
  failing_since: row.failing_since,
  keep_until: row.keep_until,
})
