import { resolve } from 'node:path'
import { uncommitted } from '../migrate/git.ts'
import { plain } from './output.ts'

/**
 * Warns before anything is written: afterwards both kinds of changes are in the same files. `changes` names
 * those of the command.
 */
export async function nameUncommitted(folder: string, changes: string): Promise<void> {
  const files = await uncommitted(resolve(folder))
  if (files.length === 0) return
  const more = files.length > 5 ? ` and ${files.length - 5} more` : ''
  console.error(
    plain(
      `Changed and not committed to git yet: ${files.slice(0, 5).join(', ')}${more}. Commit them first if you want to see ${changes} by themselves; --rollback takes only those back.`,
    ),
  )
}
