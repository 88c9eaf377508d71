import { MembershipError } from '../../core/errors.ts'
import { maxBodyBytes, maxPixels, previewBytesLimit } from './limits.ts'

const curl = 'curl -X POST -H "X-API-KEY: $KEY" -F preview=@screenshot.jpg {base}/reports/$ID'
const smaller = `Send a JPEG smaller than ${previewBytesLimit} bytes: ${curl}`

/** 400: the form is not as required; `what` is a sentence. */
export function badUpload(what: string, cause?: unknown) {
  return new MembershipError(
    'ERR_UPLOAD',
    `${what} Send one multipart form with one file in the field "preview".`,
    {
      action: curl,
      cause,
    },
  )
}

/** 411: without a declared length nothing is read. */
export function lengthRequired() {
  return new MembershipError('ERR_LENGTH_REQUIRED', 'The upload came without a Content-Length.', {
    action: `Send the length of the body instead of "Transfer-Encoding: chunked": ${curl}`,
  })
}

/** 413 for the whole form. */
export function bodyTooLarge() {
  return new MembershipError('ERR_BODY_TOO_LARGE', `The form is larger than ${maxBodyBytes} bytes.`, {
    action: smaller,
  })
}

/** 413 for the file in the form. */
export function fileTooLarge() {
  return new MembershipError(
    'ERR_BODY_TOO_LARGE',
    `The picture is not smaller than ${previewBytesLimit} bytes.`,
    {
      action: smaller,
    },
  )
}

/** 503: another parser read the body first. */
export function formConsumed() {
  return new MembershipError(
    'ERR_BODY_CONSUMED',
    'A body parser read this form before the upload could be.',
    {
      action: 'Mount membership before the parser, or let the parser leave multipart/form-data alone.',
      retryAfterSeconds: 60,
    },
  )
}

/** 415: the first bytes decide, never a name or a declared type. */
export function notJpeg() {
  return new MembershipError('ERR_NOT_JPEG', 'The file is not a JPEG: it does not begin with FF D8 FF.', {
    action: `Save the picture as a JPEG; a new file name alone does not do it. ${curl}`,
  })
}

/** 422: a JPEG that cannot become a preview; `what` is a sentence. */
export function badImage(what: string, cause?: unknown) {
  return new MembershipError('ERR_IMAGE', what, {
    action: `Open the picture, save it again as a baseline JPEG of at most ${maxPixels} pixels, and send that.`,
    cause,
  })
}

/** 422: more pixels than are decoded. */
export function tooManyPixels(width: number, height: number) {
  return badImage(`The picture has ${width} × ${height} pixels, more than ${maxPixels}.`)
}

/** 503: too many pictures wait for decoding. */
export function imagesBusy() {
  return new MembershipError('ERR_BUSY', 'Too many pictures are being worked on.', {
    action: 'Send it again shortly.',
    retryAfterSeconds: 5,
  })
}

/** 422: the operator of the index could change this; `what` begins a sentence. */
export function needsSharp(what: string) {
  return new MembershipError(
    'ERR_IMAGE',
    `${what} can only be converted with sharp, which is not installed.`,
    {
      action: 'npm install sharp',
    },
  )
}
