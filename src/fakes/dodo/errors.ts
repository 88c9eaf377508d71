import { type Answer, ApiError, type Refusal, type RefusalCode } from '../engine/index.ts'

/** 404 for an unknown id. */
export const missing = (what: string): ApiError =>
  new ApiError(404, `${what} not found`, { code: 'NOT_FOUND' })

/** 422 for an invalid request. */
export const invalid = (message: string, code = 'INVALID_REQUEST_BODY'): ApiError =>
  new ApiError(422, message, { code })

// https://docs.dodopayments.com/api-reference/error-codes
const words: Partial<Record<RefusalCode, string>> = {
  'refunded already': 'PAYMENT_ALREADY_REFUNDED',
  'more than is left': 'REFUND_AMOUNT_EXCEEDS',
  'charged back': 'REFUND_NOT_ALLOWED',
  'not paid': 'PAYMENT_NOT_SUCCEEDED',
}

/** Translates a refusal of the engine to Dodo's error. */
export const toApiError = ({ code }: Refusal): ApiError => invalid(code, words[code])

/** Builds the body of an error. */
export const errorAnswer = ({
  status,
  message,
  extras: { code = 'INTERNAL_SERVER_ERROR' },
}: ApiError): Answer => ({
  status,
  body: { code, message },
})
