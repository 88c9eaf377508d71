import { revertAccount } from './accounts/index.ts'
import { rootOf } from './find.ts'
import {
  backupFolder,
  type FileEntry,
  type RollbackReport,
  rollBack,
  type WriteReport,
  writePlan,
} from './journal/index.ts'
import type { Plan, SiteFacts } from './plan.ts'
import { type PlanOptions, planSite } from './site.ts'
import type { Source } from './source.ts'

export { type ConfigNote, migrateConfig } from './config/data.ts'
export { prefixOf, toV2Path } from './config/keys.ts'
export { backupFolder, documentRoot, type RollbackReport, type WriteReport } from './journal/index.ts'
export { legacyProvider } from './legacy-provider.ts'
export {
  type Decision,
  type FileChange,
  type Level,
  type Part,
  type Plan,
  parts,
  type SiteFacts,
  shortPrefix,
} from './plan.ts'
export { isDone, type PlanOptions, planSite } from './site.ts'

/** Options of a migration. Without `write` and `rollback` nothing changes. */
export interface MigrateOptions extends PlanOptions {
  /** Applies the plan. */
  readonly write?: boolean
  /** Undoes every written migration instead. */
  readonly rollback?: boolean
  /** Folder for journals and backups, outside the document root; chosen automatically by default. */
  readonly backup?: string
  readonly now?: () => Date
}

/** Findings and changes of a migration; null for each that was not requested. */
export interface Migration {
  readonly plan: Plan | null
  readonly written: WriteReport | null
  readonly rolledBack: RollbackReport | null
}

/**
 * Plans the migration of a v1 site to v2, and applies it with `write`. Otherwise nothing changes. Nothing of
 * the site is executed. With `rollback` a written migration is undone.
 * @throws ERR_USAGE for an invalid folder or option, ERR_STORAGE when something cannot be written
 */
export async function migrateSite(folder: string, options: MigrateOptions = {}): Promise<Migration> {
  const onProgress = options.onProgress ?? (() => undefined)
  if (options.rollback) {
    const root = rootOf(folder)
    const backup = backupFolder(root, options.backup)
    const report = (done: number, all: number) => onProgress('taking back', done, all)
    const rolledBack = await rollBack(root, { backup, revert: revertAccounts, onProgress: report })
    return { plan: null, written: null, rolledBack }
  }
  const plan = await planSite(folder, options)
  if (!options.write || (plan.changes.length === 0 && plan.databases.length === 0))
    return { plan, written: null, rolledBack: null }
  const written = await writePlan(plan, {
    backup: backupFolder(plan.root, options.backup),
    now: options.now ?? (() => new Date()),
    onProgress: (done, all) => onProgress('writing', done, all),
  })
  return { plan, written, rolledBack: null }
}

/** Undoes the migration key by key in an account that changed since, for example by a purchase. */
function revertAccounts({ part, file }: FileEntry, current: Source, facts: SiteFacts): string | null {
  return part === 'accounts' ? revertAccount(current.text, file, facts) : null
}
