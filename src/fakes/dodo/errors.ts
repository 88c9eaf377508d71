import { type Answer, ApiError, type Refusal, type RefusalCode } from '../engine/index.ts'

/** 404 of an id that nobody has. */
export const missing = (what: string): ApiError =>
  new ApiError(404, `${what} not found`, { code: 'NOT_FOUND' })

/** 422 of what cannot be done so. */
export const invalid = (message: string, code = 'INVALID_REQUEST_BODY'): ApiError =>
  new ApiError(422, message, { code })

// https://docs.dodopayments.com/api-reference/error-codes
const words: Partial<Record<RefusalCode, string>> = {
  'refunded already': 'PAYMENT_ALREADY_REFUNDED',
  'more than is left': 'REFUND_AMOUNT_EXCEEDS',
  'charged back': 'REFUND_NOT_ALLOWED',
  'not paid': 'PAYMENT_NOT_SUCCEEDED',
}

/** States a refusal of the engine in Dodo's words. */
export const toApiError = ({ code }: Refusal): ApiError => invalid(code, words[code])

/** The body of an error. */
export const errorAnswer = ({
  status,
  message,
  said: { code = 'INTERNAL_SERVER_ERROR' },
}: ApiError): Answer => ({
  status,
  body: { code, message },
})
