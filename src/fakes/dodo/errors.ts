import { type Answer, ApiError, type Refusal, type RefusalCode } from '../engine/index.ts'

/** 404 for an unknown id. */
export function missing(what: string): ApiError {
  return new ApiError(404, `${what} not found`, { code: 'NOT_FOUND' })
}

/** 422 for an invalid request. */
export function invalid(message: string, code = 'INVALID_REQUEST_BODY'): ApiError {
  return new ApiError(422, message, { code })
}

// https://docs.dodopayments.com/api-reference/error-codes
const words: Partial<Record<RefusalCode, string>> = {
  'refunded already': 'PAYMENT_ALREADY_REFUNDED',
  'more than is left': 'REFUND_AMOUNT_EXCEEDS',
  'charged back': 'REFUND_NOT_ALLOWED',
  'not paid': 'PAYMENT_NOT_SUCCEEDED',
}

/** Translates a refusal of the engine to Dodo's error. */
export function toApiError({ code }: Refusal): ApiError {
  return invalid(code, words[code])
}

/** Builds the body of an error. */
export function errorAnswer({
  status,
  message,
  extras: { code = 'INTERNAL_SERVER_ERROR' },
}: ApiError): Answer {
  return {
    status,
    body: { code, message },
  }
}
