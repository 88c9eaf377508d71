import { type Answer, ApiError, type Refusal, type RefusalCode } from '../engine/index.ts'

/** 404 for an unknown id. */
export function missing(): ApiError {
  return new ApiError(404, 'Not found', { code: 'ResourceNotFound' })
}

/** 422 for an invalid field. */
export function invalid(field: string, message: string): ApiError {
  return new ApiError(422, message, { code: 'RequestValidationError', field })
}

/** 403 for an action that the current state does not allow. */
export function forbidden(code: string, message: string): ApiError {
  return new ApiError(403, message, { code })
}

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

/** Translates a refusal of the engine to Polar's error. */
export function toApiError({ code }: Refusal): ApiError {
  const [status, word] = words[code] ?? [422, 'RequestValidationError']
  return new ApiError(status, code, { code: word })
}

/**
 * Builds the body of an error; a validation error is a list of places.
 * https://polar.sh/docs/api-reference/introduction
 */
export function errorAnswer({ status, message, extras }: ApiError): Answer {
  const wrong = { loc: ['body', extras.field], msg: message, type: 'value_error' }
  const error = extras.code ?? 'InternalServerError'
  return { status, body: { error, detail: extras.field === undefined ? message : [wrong] } }
}
