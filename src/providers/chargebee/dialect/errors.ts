import type { Answer, KeyTrouble, Refusal, RefusalCode } from '../../../merchant/index.ts'

/** An answer that is an error. https://apidocs.chargebee.com/docs/api/error-handling */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly type: string | undefined
  readonly param: string | undefined
  constructor(
    status: number,
    code: string,
    message: string,
    { type = 'invalid_request', param }: { type?: string; param?: string } = {},
  ) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.type = type
    this.param = param
  }
}

/** 400 of a parameter that is wrong. */
export const wrong = (param: string, message: string): ApiError =>
  new ApiError(400, 'param_wrong_value', message, { param })

/** 404 of an id that nobody has. */
export const missing = (what: string, id: string): ApiError =>
  new ApiError(404, 'resource_not_found', `${what} ${id} not found`)

/** 400 of what cannot be done as things stand. */
export const untimely = (message: string): ApiError => new ApiError(400, 'invalid_state_for_request', message)

/** 400 of a card that was refused; nothing was changed. */
export const refused = (): ApiError =>
  new ApiError(400, 'payment_processing_failed', 'The payment could not be collected: (card_declined)', {
    type: 'payment',
  })

const limits: ReadonlySet<RefusalCode> = new Set(['refunded already', 'more than is left'])

/** What the merchant does not do, in Chargebee's words. */
export const toApiError = ({ code }: Refusal): ApiError => {
  if (code === 'declined') return refused()
  if (code === 'no method')
    return new ApiError(400, 'payment_method_not_present', 'no payment method', { type: 'payment' })
  return limits.has(code)
    ? wrong('refund_amount', `cannot be more than what is left: ${code}`)
    : untimely(code)
}

/** A key that cannot be taken. https://apidocs.chargebee.com/docs/api/idempotency */
export const keyTrouble = (trouble: KeyTrouble): ApiError =>
  trouble === 'in use'
    ? new ApiError(409, 'lock_timeout', 'another request with this key runs')
    : wrong('chargebee-idempotency-key', trouble)

/** The body of an error. */
export const errorAnswer = ({ status, code, message, type, param }: ApiError): Answer => ({
  status,
  body: {
    message,
    type,
    api_error_code: code,
    ...(param === undefined ? {} : { param }),
    error_code: code,
    error_msg: message,
    http_status_code: status,
  },
})
