import { step } from '../../core/storage/index.ts'
import type { Audit } from '../audit.ts'
import type { Caller } from '../keys/keys.ts'
import type { Preview } from '../preview/index.ts'
import type { Statements } from '../statements/index.ts'
import type { Entries } from './entries.ts'
import type { Entry } from './record.ts'
import { notYours } from './refusals.ts'

export interface Pictures {
  /** Replaces the picture. @throws ERR_NOT_FOUND, ERR_PRECONDITION */
  setPreview(caller: Caller, id: string, picture: Preview, ifMatch?: (entry: Entry) => void): Promise<void>
  /** Stores a picture that the index made, unless the partner gave one. */
  setScreenshot(id: string, picture: Preview): Promise<Entry | null>
}

/** Stores one picture per website; the partner's own takes precedence over the index's. */
export function createPictures(deps: {
  statements: Statements
  entries: Entries
  audit: Audit
  now: () => Date
  randomId: () => string
}): Pictures {
  const { statements, entries, audit, now, randomId } = deps

  const setPreview = async (
    caller: Caller,
    id: string,
    picture: Preview,
    ifMatch?: (entry: Entry) => void,
  ): Promise<void> => {
    const changed = await entries.change(id, async (entry) => {
      if (entry.row.partner_id !== caller.partnerId) throw notYours(id)
      ifMatch?.(entry)
      return withPreview(entry, picture, true)
    })
    if (!changed) throw notYours(id)
  }

  const setScreenshot = (id: string, picture: Preview) =>
    entries.change(id, async (entry) =>
      entry.data.preview?.custom ? null : withPreview(entry, picture, false),
    )

  const withPreview = (entry: Entry, picture: Preview, custom: boolean) => {
    const at = now().toISOString()
    const previewId = `prv_${randomId()}`
    const { bytes, width, height, etag } = picture
    const preview = { id: previewId, width, height, bytes: bytes.length, custom }
    const { id: report_id, partner_id } = entry.row
    return {
      data: { ...entry.data, preview, updated_at: at },
      writer: { by: 'owner' as const },
      steps: [
        step(statements.previewInsert, {
          id: previewId,
          report_id,
          custom: custom ? 1 : 0,
          bytes,
          width,
          height,
          etag,
          created_at: at,
        }),
        step(statements.previewsDelete, { report_id, except: previewId }),
        ...(custom
          ? [audit.step({ actor: `partner:${partner_id}`, action: 'preview-upload', subject: report_id })]
          : []),
      ],
    }
  }

  return { setPreview, setScreenshot }
}
