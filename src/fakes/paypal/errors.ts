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

/** The object is unknown there. */
export const missing = (): ApiError => new ApiError(404, 'INVALID_RESOURCE_ID')

const names: Readonly<Record<number, string>> = {
  400: 'INVALID_REQUEST',
  401: 'AUTHENTICATION_FAILURE',
  404: 'RESOURCE_NOT_FOUND',
  409: 'RESOURCE_CONFLICT',
  422: 'UNPROCESSABLE_ENTITY',
}

/** The body of an error. */
export const toAnswer = (error: unknown): Answer => {
  const extras = error instanceof Refusal ? toApiError(error) : error
  if (extras instanceof ApiError)
    return {
      status: extras.status,
      body: { name: names[extras.status], message: extras.issue, details: [{ issue: extras.issue }] },
    }
  // A mistake of the test double itself: loud, and no reason to try again.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 400, body: { name: 'FAKE_FAILED', message: text } }
}

/** When PayPal itself fails. */
export const toFailure = (status: number): Answer => ({
  status,
  body: { name: status === 503 ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_SERVER_ERROR' },
})

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

/** States a refusal of the engine in PayPal's words. */
export const toApiError = ({ code }: Refusal): ApiError =>
  new ApiError(422, issues[code] ?? code.toUpperCase().replaceAll(' ', '_'))
