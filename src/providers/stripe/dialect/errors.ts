import type { KeyTrouble } from '../../../merchant/index.ts'

export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  code?: string
  decline_code?: string
  param?: string
  message: string
  [field: string]: unknown
}

/** An answer that is an error in Stripe's shape. https://docs.stripe.com/api/errors */
export class ApiError extends Error {
  readonly status: number
  readonly body: ErrorBody
  constructor(status: number, body: ErrorBody) {
    super(body.message)
    this.name = 'ApiError'
    this.status = status
    this.body = body
  }
}

/** 400 of a request that cannot be done. */
export const invalid = (message: string, param?: string, code?: string): ApiError =>
  new ApiError(400, {
    type: 'invalid_request_error',
    ...(code === undefined
      ? {}
      : { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
    message,
    ...(param === undefined ? {} : { param }),
  })

/** 404 of an id in the path, 400 of one in the parameters. */
export const missing = (what: string, id: string, param = 'id'): ApiError =>
  new ApiError(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
    message: `No such ${what}: '${id}'`,
    param,
  })

/** What Stripe answers when it fails itself. */
export const toFailure = (status: number): { status: number; body: { error: ErrorBody } } => ({
  status,
  body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
})

/** 402 of a card that was refused. */
export const declined = (message = 'Your card was declined.'): ApiError =>
  new ApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    doc_url: 'https://stripe.com/docs/error-codes/card-declined',
    message,
  })

/** Why an idempotency key cannot be used. https://docs.stripe.com/api/idempotent_requests */
export const refuseKey = (trouble: KeyTrouble, key: string): ApiError => {
  if (trouble === 'too long')
    return new ApiError(400, {
      type: 'invalid_request_error',
      message: 'Idempotency keys are up to 255 characters long.',
    })
  if (trouble === 'other request')
    return new ApiError(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    })
  return new ApiError(409, {
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  })
}
