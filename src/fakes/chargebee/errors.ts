import { type Answer, ApiError, type KeyTrouble, type Refusal, type RefusalCode } from '../engine/index.ts'

/** 400 for an invalid parameter. */
export function wrong(param: string, message: string): ApiError {
  return new ApiError(400, message, { code: 'param_wrong_value', field: param })
}

/** 404 for an unknown id. */
export function missing(what: string, id: string): ApiError {
  return new ApiError(404, `${what} ${id} not found`, { code: 'resource_not_found' })
}

/** 400 for an action that the current state does not allow. */
export function untimely(message: string): ApiError {
  return new ApiError(400, message, { code: 'invalid_state_for_request' })
}

/** 400 for a declined card; nothing was changed. */
export function refused(): ApiError {
  return new ApiError(400, 'The payment could not be collected: (card_declined)', {
    code: 'payment_processing_failed',
    type: 'payment',
  })
}

const limits: ReadonlySet<RefusalCode> = new Set(['refunded already', 'more than is left'])

/** Translates a refusal of the engine to Chargebee's error. */
export function toApiError({ code }: Refusal): ApiError {
  if (code === 'declined') return refused()
  if (code === 'no method')
    return new ApiError(400, 'no payment method', { code: 'payment_method_not_present', type: 'payment' })
  return limits.has(code)
    ? wrong('refund_amount', `cannot be more than what is left: ${code}`)
    : untimely(code)
}

/** Builds the error of an unusable key. https://apidocs.chargebee.com/docs/api/idempotency */
export function keyTrouble(trouble: KeyTrouble): ApiError {
  return trouble === 'in use'
    ? new ApiError(409, 'another request with this key runs', { code: 'lock_timeout' })
    : wrong('chargebee-idempotency-key', trouble)
}

/** Builds the body of an error. https://apidocs.chargebee.com/docs/api/error-handling */
export function errorAnswer({ status, message, extras }: ApiError): Answer {
  const { code = 'internal_error', type = status < 500 ? 'invalid_request' : 'api', field } = extras
  return {
    status,
    body: {
      message,
      type,
      api_error_code: code,
      ...(field === undefined ? {} : { param: field }),
      error_code: code,
      error_msg: message,
      http_status_code: status,
    },
  }
}
