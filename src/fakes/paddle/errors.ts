import { type Answer, ApiError, type Json, type Refusal, type RefusalCode } from '../engine/index.ts'

/** Builds an error answer. https://developer.paddle.com/api-reference/about/errors */
export function fault(status: number, code: string, detail: string, field?: string): ApiError {
  return new ApiError(status, detail, { code, field })
}

/** 400 for an invalid field. */
export function invalid(field: string, message: string): ApiError {
  return fault(400, 'invalid_field', message, field)
}

/** 404 for an unknown id. */
export function missing(what: string, id: string): ApiError {
  return fault(404, 'not_found', `${what} ${id} not found`)
}

// https://developer.paddle.com/errors
const words: Partial<Record<RefusalCode, readonly [code: string, detail: string]>> = {
  declined: ['subscription_payment_declined', 'payment declined'],
  'no items': ['subscription_must_contain_recurring_item', 'a subscription needs a recurring item'],
  'cannot be paused': ['subscription_cannot_be_paused', 'the subscription cannot be paused'],
  'is not paused': ['subscription_must_be_paused', 'action can only be performed on paused subscription'],
  'no method': [
    'subscription_missing_payment_method_cannot_update',
    'Automatically-collected subscriptions require a payment method',
  ],
  'not paid': [
    'adjustment_transaction_invalid_status_for_refund',
    'The transaction has a non supported status',
  ],
  'charged back': [
    'adjustment_transaction_invalid_status_for_refund',
    'The transaction has a non supported status',
  ],
  'refunded already': ['adjustment_total_amount_above_remaining_allowed', 'the amount is above what remains'],
  'more than is left': [
    'adjustment_total_amount_above_remaining_allowed',
    'the amount is above what remains',
  ],
}

/** Translates a refusal of the engine to Paddle's error. */
export function toApiError({ code }: Refusal): ApiError {
  const [word, detail] = words[code] ?? ['bad_request', code]
  return fault(400, word, detail)
}

/** Builds the body of an error. */
export function errorAnswer(error: ApiError, requestId: string): Answer {
  const { status, message, extras } = error
  const { code = 'internal_error', field } = extras
  return {
    status,
    body: {
      error: {
        type: status >= 500 ? 'api_error' : 'request_error',
        code,
        detail: message,
        documentation_url: `https://developer.paddle.com/errors/shared/${code}`,
        ...(field === undefined ? {} : { errors: [{ field, message }] }),
      } satisfies Json,
      meta: { request_id: requestId },
    },
  }
}
