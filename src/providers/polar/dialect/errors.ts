import type { Answer, Refusal, RefusalCode } from '../../../merchant/index.ts'

/** An answer that is an error. https://polar.sh/docs/api-reference/introduction */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.name = 'ApiError'
    this.status = status
    this.code = code
  }
}

/** 404 of an id that nobody has. */
export const missing = (): ApiError => new ApiError(404, 'ResourceNotFound', 'Not found')

/** 422 of a field that is wrong. */
export const invalid = (field: string, message: string): ApiError =>
  Object.assign(new ApiError(422, 'RequestValidationError', message), { field })

// Names of the server's own errors: https://github.com/polarsource/polar/tree/main/server/polar
const words: Partial<Record<RefusalCode, readonly [status: number, code: string]>> = {
  declined: [402, 'PaymentFailed'],
  'cannot be paused': [403, 'CannotPauseSubscription'],
  'has schedule': [403, 'CannotPauseSubscription'],
  'is not paused': [403, 'NotPausedSubscription'],
  'refunded already': [403, 'RefundedAlready'],
  'more than is left': [403, 'RefundAmountTooHigh'],
  'charged back': [403, 'RefundDisputedPayment'],
}

/** What the merchant does not do, in Polar's words. */
export const toApiError = ({ code }: Refusal): ApiError => {
  const [status, word] = words[code] ?? [422, 'RequestValidationError']
  return new ApiError(status, word, code)
}

/** The body of an error: what was not understood is a list of places. */
export const errorAnswer = (error: ApiError): Answer => {
  const { status, code, message } = error
  const field = (error as { field?: string }).field
  const wrong = { loc: ['body', field], msg: message, type: 'value_error' }
  return { status, body: { error: code, detail: field === undefined ? message : [wrong] } }
}
