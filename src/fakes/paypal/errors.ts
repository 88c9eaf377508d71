import { type Answer, Refusal, type RefusalCode } from '../engine/index.ts'

/** An error as PayPal answers it. https://developer.paypal.com/api/rest/responses/ */
export class ApiError extends Error {
  readonly status: number
  readonly issue: string
  constructor(status: number, issue: string) {
    super(issue)
    this.name = 'ApiError'
    this.status = status
    this.issue = issue
  }
}

/** Builds the error of an unknown object. */
export function missing(): ApiError {
  return new ApiError(404, 'INVALID_RESOURCE_ID')
}

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
  422: 'UNPROCESSABLE_ENTITY',
}

/** Builds the body of an error. */
export function toAnswer(error: unknown): Answer {
  const extras = error instanceof Refusal ? toApiError(error) : error
  if (extras instanceof ApiError)
    return {
      status: extras.status,
      body: { name: names[extras.status], message: extras.issue, details: [{ issue: extras.issue }] },
    }
  // A bug of the fake server itself must be visible, and must not cause retries.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 400, body: { name: 'FAKE_FAILED', message: text } }
}

/** Builds PayPal's answer to its own failure. */
export function toFailure(status: number): Answer {
  return {
    status,
    body: { name: status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR' },
  }
}

const issues: Partial<Record<RefusalCode, string>> = {
  declined: 'INSTRUMENT_DECLINED',
  'not paid': 'PENDING_CAPTURE',
  'charged back': 'TRANSACTION_DISPUTED',
  'refunded already': 'CAPTURE_FULLY_REFUNDED',
  'more than is left': 'REFUND_AMOUNT_EXCEEDED',
  'is not paused': 'SUBSCRIPTION_STATUS_INVALID',
  'cannot be paused': 'SUBSCRIPTION_STATUS_INVALID',
  'no amount': 'CANNOT_BE_ZERO_OR_NEGATIVE',
}

/** Translates a refusal of the engine to PayPal's error. */
export function toApiError({ code }: Refusal): ApiError {
  return new ApiError(422, issues[code] ?? code.toUpperCase().replaceAll(' ', '_'))
}
