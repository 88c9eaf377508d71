import type { RollbackReport, WriteReport } from '../journal/index.ts'

/** Describes a write for people. */
export const writeText = ({ backup, written, kept }: WriteReport, folder: string): string =>
  [
    `${written.length} ${written.length === 1 ? 'file' : 'files'} written. The files as they were: ${backup}`,
    ...kept.map(({ file, reason }) => `Left as it is: ${file}, because ${reason}.`),
    `Take it back with:    membership migrate ${folder} --rollback\nCheck the site with:  membership doctor ${folder}`,
  ].join('\n')

/** Describes a rollback for people. */
export const rollbackText = ({ restored, merged, untouched, kept }: RollbackReport): string =>
  [
    `${restored.length} ${restored.length === 1 ? 'file is' : 'files are'} as before the migration.`,
    merged.length > 0
      ? `${merged.length} had changed since: the migration was taken out, everything newer stayed:\n${merged.map((file) => `  ${file}`).join('\n')}`
      : '',
    untouched.length > 0 ? `${untouched.length} had not been reached.` : '',
    ...kept.map(
      ({ file, reason, current, original }) =>
        `Left to you: ${file}, because ${reason}.\n  before the migration: ${original}${current ? `\n  as it is now:         ${current}` : ''}`,
    ),
  ]
    .filter(Boolean)
    .join('\n')
