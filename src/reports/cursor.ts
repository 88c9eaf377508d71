import { MembershipError } from '../core/errors.ts'
import type { ReportRow } from './statements/index.ts'

/**
 * Encodes positions in a list ordered by `created_at` and `id` as opaque text. The error's `action` says
 * where cursors come from.
 */
export function createCursor(action: string) {
  return {
    write: ({ created_at, id }: Pick<ReportRow, 'created_at' | 'id'>): string =>
      Buffer.from(`${created_at} ${id}`).toString('base64url'),
    /** @throws ERR_PARAMETER for text that `write` did not produce */
    read: (cursor: string): { at: string; id: string } => {
      const bytes = Buffer.from(cursor, 'base64url')
      const [, at, id] =
        /^(\d{4}-\d\d-\d\dT[\d:.]{1,20}Z) (rpt_[\w-]{1,60})$/.exec(bytes.toString('utf8')) ?? []
      // Decoding skips invalid characters, so the cursor must equal its re-encoding.
      if (at !== undefined && id !== undefined && bytes.toString('base64url') === cursor) return { at, id }
      throw new MembershipError(
        'ERR_PARAMETER',
        'The query parameter "cursor" is not one that a list gave.',
        {
          action,
        },
      )
    },
  }
}
