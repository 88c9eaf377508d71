import { badUpload } from './refusals.ts'

// RFC 2046, 5.1.1: 1 to 70 of these characters, the last not a space.
const boundaryPattern = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/
const parameterPattern = /;\s*([^\s=;"]+)\s*=\s*(?:"([^"]*)"|([^\s;"]*))/g

/** A preview upload has at most the file and twenty fields. */
export const maxParts = 21

/** Most header lines of one part. */
export const maxHeaderLines = 16
/** Most bytes of headers of one part. */
export const maxHeaderBytes = 4096

/**
 * Returns the boundary in a `Content-Type` of multipart/form-data.
 * @throws ERR_UPLOAD for other types, and when there is none, more than one, or one that RFC 2046 does not
 *   allow
 */
export function boundaryOf(contentType = ''): string {
  if (!/^\s*multipart\/form-data\s*(;|$)/i.test(contentType))
    throw badUpload('The body is not multipart/form-data.')
  const boundaries = [...contentType.matchAll(parameterPattern)]
    .filter(([, name]) => name?.toLowerCase() === 'boundary')
    .map(([, , quoted, token]) => quoted ?? token ?? '')
  const [boundary] = boundaries
  if (boundaries.length !== 1 || boundary === undefined || !boundaryPattern.test(boundary))
    throw badUpload('The Content-Type needs one boundary of 1 to 70 characters.')
  return boundary
}

/**
 * Checks that every part of the form is complete, before a parser reads it. busboy silently cuts long
 * headers, skips parts that it does not understand, and waits for the end of a truncated body.
 * @throws ERR_UPLOAD
 */
export function checkFraming(body: Buffer, boundary: string): void {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  let at = afterFirst(body, delimiter)
  for (let parts = 0; !isClosing(body, at); parts += 1) {
    if (parts === maxParts) throw badUpload(`The form has more than ${maxParts} parts.`)
    const next = body.indexOf(delimiter, at)
    if (next === -1) throw badUpload('The form ends before its last boundary.')
    checkPart(body.subarray(at, next + 2))
    at = next + delimiter.length
  }
}

/** The first delimiter may start the body without a line break before it. */
function afterFirst(body: Buffer, delimiter: Buffer): number {
  if (body.indexOf(delimiter.subarray(2)) === 0) return delimiter.length - 2
  const first = body.indexOf(delimiter)
  if (first === -1) throw badUpload('The boundary of the Content-Type does not occur in the body.')
  return first + delimiter.length
}

function isClosing(body: Buffer, at: number): boolean {
  return body[at] === dash && body[at + 1] === dash
}
const dash = 0x2d

function checkPart(part: Buffer): void {
  const line = part.indexOf('\r\n')
  if (part.toString('latin1', 0, line).trim() !== '')
    throw badUpload('A line of the form begins like the boundary and goes on.')
  const end = part.indexOf('\r\n\r\n', line)
  if (end === -1) throw badUpload('A part of the form has no end of its headers.')
  if (end - line > maxHeaderBytes)
    throw badUpload(`A part of the form has more than ${maxHeaderBytes} bytes of headers.`)
  checkHeaders(part.toString('latin1', line + 2, Math.max(end, line + 2)))
}

function checkHeaders(text: string): void {
  const lines = text.split('\r\n')
  if (lines.length > maxHeaderLines)
    throw badUpload(`A part of the form has more than ${maxHeaderLines} header lines.`)
  if (lines.some((line) => /[\0\r\n]/.test(line) || !/^([!-9;-~]+:|[ \t])/.test(line)))
    throw badUpload('A part of the form has a broken header line.')
  const dispositions = lines.filter((line) => /^content-disposition:/i.test(line))
  if (dispositions.length !== 1 || !/^[^:]+:[ \t]*form-data[ \t]*(;|$)/i.test(dispositions[0] ?? ''))
    throw badUpload('A part of the form has no Content-Disposition of form-data.')
}
