import { Busboy, type BusboyFileStream } from '@fastify/busboy'
import type { MembershipError } from '../../core/errors.ts'
import { maxHeaderBytes, maxHeaderLines, maxParts } from './framing.ts'
import { previewBytesLimit } from './limits.ts'
import { badUpload, fileTooLarge } from './refusals.ts'

const fieldNameLength = 100
const parseMs = 2000

/** Content of an upload: the bytes of its one file, and its text fields. */
export interface PreviewForm {
  readonly file: Buffer
  readonly fields: Readonly<Record<string, string>>
}

/** The one file in the field `preview` of a whole multipart body, and the text fields beside it.
 *  @throws ERR_UPLOAD, ERR_BODY_TOO_LARGE */
export const readPreviewForm = (body: Buffer, boundary: string): Promise<PreviewForm> =>
  new Promise((done, failed) => {
    const chunks: Buffer[] = []
    const fields = new Map<string, string>()
    let isFound = false
    const form = openForm(boundary)
    const refuse = (error: MembershipError) => {
      clearTimeout(timer)
      failed(error)
      form.destroy()
    }
    // busboy never ends the stream of a file that was cut short; its error, its finish and this timer race.
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

const openForm = (boundary: string) =>
  Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: {
      files: 1,
      fields: maxParts - 1,
      parts: maxParts,
      headerPairs: maxHeaderLines,
      headerSize: maxHeaderBytes,
      fieldSize: 1024,
      // busboy allows this many bytes; one more is the limit.
      fileSize: previewBytesLimit - 1,
    },
    isPartAFile,
  })

// RFC 7578 only recommends a file name, so a picture without one is a file all the same.
const isPartAFile = (_field?: string, contentType = '', fileName?: string): boolean =>
  fileName !== undefined || contentType === 'application/octet-stream' || contentType.startsWith('image/')
