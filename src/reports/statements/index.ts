import type { Storage } from '../../core/storage/index.ts'
import { crawlStatements } from './crawl.ts'
import { officeStatements } from './office.ts'
import { partnerStatements } from './partners.ts'
import { reportStatements } from './reports.ts'

/** Every hot query and every write of the index, compiled once. */
export const createStatements = (storage: Storage) => ({
  ...partnerStatements(storage),
  ...reportStatements(storage),
  ...crawlStatements(storage),
  ...officeStatements(storage),
})
export type Statements = ReturnType<typeof createStatements>
export { type CandidateRow, type CrawlHourRow, candidateQueue } from './crawl.ts'
export { type DueLine, type ExclusionRow, type ImportLineRow, toPatternPlaces } from './office.ts'
export type { KeyHolder, KeyRow, PartnerRow } from './partners.ts'
export { type ReportChange, type ReportRow, reportQueue } from './reports.ts'
