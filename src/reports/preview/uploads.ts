import type { IncomingMessage } from 'node:http'
import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import { isMembershipError, type MembershipError } from '../../core/errors.ts'
import { createBodyReader, type Parsed, refuse } from '../../core/http/raw-body.ts'
import { boundaryOf, checkFraming, maxHeaderBytes, maxHeaderLines, maxParts } from './framing.ts'
import { maxBodyBytes, previewBytesLimit } from './limits.ts'
import { badUpload, bodyTooLarge, fileTooLarge, formConsumed, lengthRequired } from './refusals.ts'

/** Limits of an upload. */
export interface UploadOptions {
  /** Time for a body to arrive. Default: 10 seconds. */
  readonly timeoutMs?: number
}

/** Receives pictures within their limits. */
export interface Uploads {
  /**
   * Returns the bytes of the one file in `preview`. The client's file names are never kept.
   * @throws ERR_LENGTH_REQUIRED, ERR_BODY_TOO_LARGE, ERR_BODY_SLOW, ERR_BODY_UNREADABLE, ERR_BODY_CONSUMED,
   *   ERR_BUSY, ERR_UPLOAD
   */
  read(request: IncomingMessage, sender: string, parsed?: Parsed): Promise<Buffer>
  /** Does the same for a form on a page, and returns its text fields too. */
  form(request: IncomingMessage, sender: string, parsed?: Parsed): Promise<PreviewForm>
}

/**
 * Reads one multipart form with the file field `preview`, at most 256 kB, within limits that all uploads
 * share.
 */
export function createUploads({ timeoutMs = 10_000 }: UploadOptions = {}): Uploads {
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

// The reader was made for webhooks, so its errors are replaced by ones that help an uploader.
function rethrowForUploads(error: unknown): never {
  if (isMembershipError(error, 'ERR_BODY_TOO_LARGE')) throw bodyTooLarge()
  if (isMembershipError(error, 'ERR_BODY_CONSUMED')) throw formConsumed()
  throw error
}

const fieldNameLength = 100
const parseMs = 2000

/** Content of an upload: the bytes of its one file, and its text fields. */
interface PreviewForm {
  readonly file: Buffer
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Reads a complete multipart body: the one file in the field `preview`, and the text fields.
 * @throws ERR_UPLOAD, ERR_BODY_TOO_LARGE
 */
function readPreviewForm(body: Buffer, boundary: string): Promise<PreviewForm> {
  return new Promise((done, failed) => {
    const chunks: Buffer[] = []
    const fields = new Map<string, string>()
    let isFound = false
    const form = openForm(boundary)
    const refuse = (error: MembershipError) => {
      clearTimeout(timer)
      failed(error)
      form.destroy()
    }
    // busboy never ends the stream of a truncated file, so its error, its finish and this timer race.
    const timer = setTimeout(() => refuse(badUpload('The form could not be read to its end.')), parseMs)
    const onFile = (name: string | undefined, file: BusboyFileStream) => {
      file.on('error', (cause: Error) => refuse(badUpload('The file in the form is broken.', cause)))
      if (name !== 'preview') return refuse(badUpload('The form has a file in another field than "preview".'))
      isFound = true
      file.on('limit', () => refuse(fileTooLarge()))
      file.on('data', (chunk: Buffer) => chunks.push(chunk))
    }
    const onField = (name: string | undefined, text: string, _isNameCut: boolean, isCut: boolean) => {
      if (name === 'preview') return refuse(badUpload('The field "preview" is text, not a file.'))
      if (isCut || (name ?? '').length > fieldNameLength)
        return refuse(badUpload('A field of the form is too long.'))
      if (name !== undefined) fields.set(name, text)
    }
    form
      .on('error', (cause: unknown) => refuse(badUpload('The form is malformed.', cause)))
      .on('filesLimit', () => refuse(badUpload('The form has more than one file.')))
      .on('fieldsLimit', () => refuse(badUpload('The form has too many fields.')))
      .on('partsLimit', () => refuse(badUpload('The form has too many parts.')))
      .on('file', onFile)
      .on('field', onField)
      .on('finish', () => {
        if (!isFound) return refuse(badUpload('The form has no file in "preview".'))
        const bytes = Buffer.concat(chunks)
        if (bytes.length === 0) return refuse(badUpload('The file in "preview" is empty.'))
        clearTimeout(timer)
        done({ file: bytes, fields: Object.fromEntries(fields) })
      })
      .end(body)
  })
}

function openForm(boundary: string) {
  return Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      files: 1,
      fields: maxParts - 1,
      parts: maxParts,
      headerPairs: maxHeaderLines,
      headerSize: maxHeaderBytes,
      fieldSize: 1024,
      // busboy accepts up to this many bytes, one less than the limit.
      fileSize: previewBytesLimit - 1,
    },
    isPartAFile,
  })
}

// RFC 7578 only recommends a file name, so a picture without one still counts as a file.
function isPartAFile(_field?: string, contentType = '', fileName?: string): boolean {
  return (
    fileName !== undefined || contentType === 'application/octet-stream' || contentType.startsWith('image/')
  )
}
