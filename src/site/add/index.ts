import { rmSync } from 'node:fs'
import { rootOf } from '../../migrate/find.ts'
import {
  backupFolder,
  type RollbackReport,
  rollBack,
  type WriteReport,
  writePlan,
} from '../../migrate/journal/index.ts'
import type { AddPlan } from './plan.ts'

export type { Left } from './parts.ts'
export { type AddAnswers, type AddPlan, planAdd } from './plan.ts'
export { type AddHost, addHosts } from './project.ts'

function journalOf(root: string): string {
  return backupFolder(root, undefined, '.membership-add')
}

/**
 * Writes a plan with the migration's journal, so that `undoAdd` can take it out again.
 * @throws ERR_STORAGE when a file cannot be written
 */
export function writeAdd({ root, writable }: AddPlan, now: () => Date): Promise<WriteReport> {
  return writePlan(writable, { backup: journalOf(root), now })
}

/**
 * Takes out what `add` wrote. Files that changed since keep their newer changes. The journal is deleted once
 * nothing is left to take out.
 * @throws ERR_USAGE when there is nothing to take out, ERR_STORAGE when a file cannot be written
 */
export async function undoAdd(folder: string): Promise<RollbackReport> {
  const root = rootOf(folder)
  const backup = journalOf(root)
  const report = await rollBack(root, { backup })
  if (report.kept.length === 0) rmSync(backup, { recursive: true, force: true })
  return report
}
