import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { MembershipError } from '../../core/errors.ts'
import type { CopiedFile, PlannedFile } from './answers.ts'

/** Shows the changes as one unified diff. For a file with secrets it shows only the added lines. */
export function siteDiff(files: readonly PlannedFile[]): string {
  return files
    .map(({ path, before, after, isSecret }) =>
      createTwoFilesPatch(
        before === null ? '/dev/null' : `a/${path}`,
        `b/${path}`,
        isSecret ? withLastLine(before) : (before ?? ''),
        after,
        '',
        '',
        {
          context: isSecret ? 0 : 3,
        },
      )
        .replace(/^=+\n/, '')
        .replaceAll('\t\n', '\n'),
    )
    .join('\n')
}

// Adds the final line break, else the diff would show the last line as changed.
function withLastLine(text: string | null): string {
  return text === null || /(^|\n)$/.test(text) ? (text ?? '') : `${text}\n`
}

/**
 * Writes every file or none. If one fails, those written before are restored. Ctrl-C waits meanwhile.
 * @throws ERR_USAGE with the file that could not be written
 */
export function writeSite(
  folder: string,
  files: readonly PlannedFile[],
  copies: readonly CopiedFile[] = [],
): void {
  const wait = () => undefined
  process.on('SIGINT', wait)
  const undo: (() => void)[] = []
  try {
    for (const { path, before, after } of files) {
      const file = join(folder, path)
      const made = mkdirSync(dirname(file), { recursive: true })
      if (made !== undefined) undo.push(() => rmSync(made, { recursive: true, force: true }))
      undo.push(() => (before === null ? rmSync(file, { force: true }) : writeFileSync(file, before)))
      writeFileSync(file, after)
    }
    for (const { from, path } of copies) {
      const file = join(folder, path)
      if (resolve(from) === resolve(file)) continue
      if (!existsSync(file)) undo.push(() => rmSync(file, { force: true }))
      copyFileSync(from, file)
    }
  } catch (error) {
    for (const back of undo.reverse()) back()
    throw new MembershipError('ERR_USAGE', `Nothing was written: ${(error as Error).message}`, {
      action: 'Let yourself write into this folder, or choose another.',
      cause: error,
    })
  } finally {
    process.off('SIGINT', wait)
  }
}
