import type { IncomingMessage } from 'node:http'
import { isMembershipError } from '../../core/errors.ts'
import { createBodyReader, type Parsed, refuse } from '../../core/http/raw-body.ts'
import { type PreviewForm, readPreviewForm } from './form.ts'
import { boundaryOf, checkFraming } from './framing.ts'
import { maxBodyBytes } from './limits.ts'
import { bodyTooLarge, formConsumed, lengthRequired } from './refusals.ts'

/** Limits of an upload. */
export interface UploadOptions {
  /** Time for a body to arrive. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/** Receives pictures within their limits. */
export interface Uploads {
  /** The bytes of the one file in `preview`. The names that the client gave are never kept.
   *  @throws ERR_LENGTH_REQUIRED, ERR_BODY_TOO_LARGE, ERR_BODY_SLOW, ERR_BODY_UNREADABLE, ERR_BODY_CONSUMED,
   *  ERR_BUSY, ERR_UPLOAD */
  read(request: IncomingMessage, sender: string, parsed?: Parsed): Promise<Buffer>
  /** The same with the text fields beside it: of a form on a page. */
  form(request: IncomingMessage, sender: string, parsed?: Parsed): Promise<PreviewForm>
}

/** Reads one multipart form with the file field `preview`: at most 256 kB, within limits that all uploads share. */
export const createUploads = ({ timeoutMs = 10_000 }: UploadOptions = {}): Uploads => {
  const body = createBodyReader({
    bytes: maxBodyBytes,
    bytesInFlight: 64 * maxBodyBytes,
    milliseconds: timeoutMs,
  })
  const form: Uploads['form'] = async (request, sender, parsed) => {
    // A chunked body may have no end.
    if (request.headers['content-length'] === undefined) return refuse(request, lengthRequired())
    const bytes = await body.read(request, sender, parsed).catch(rethrowForUploads)
    const boundary = boundaryOf(request.headers['content-type'])
    checkFraming(bytes, boundary)
    return readPreviewForm(bytes, boundary)
  }
  return { form, read: async (...given) => (await form(...given)).file }
}

// The reader was made for webhooks; its refusals say here what helps an uploader.
const rethrowForUploads = (error: unknown): never => {
  if (isMembershipError(error, 'ERR_BODY_TOO_LARGE')) throw bodyTooLarge()
  if (isMembershipError(error, 'ERR_BODY_CONSUMED')) throw formConsumed()
  throw error
}
