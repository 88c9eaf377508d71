import type { Storage } from '../../core/storage/index.ts'
import { crawlStatements } from './crawl-statements.ts'
import { officeStatements } from './office-statements.ts'
import { partnerStatements } from './partner-statements.ts'
import { relinkStatements } from './relink-statements.ts'
import { reportStatements } from './report-statements.ts'

/** Every hot query and every write of the index, compiled once. */
export function createStatements(storage: Storage) {
  return {
    ...partnerStatements(storage),
    ...reportStatements(storage),
    ...crawlStatements(storage),
    ...officeStatements(storage),
    ...relinkStatements(storage),
  }
}
export type Statements = ReturnType<typeof createStatements>
export { type CandidateRow, type CrawlHourRow, candidateQueue } from './crawl-statements.ts'
export { type DueLine, type ExclusionRow, type ImportLineRow, toPatternPlaces } from './office-statements.ts'
export type { KeyHolder, KeyRow, PartnerRow } from './partner-statements.ts'
export type { NoticeRow, RelinkRequestRow } from './relink-statements.ts'
export { type ReportChange, type ReportRow, reportQueue } from './report-statements.ts'
