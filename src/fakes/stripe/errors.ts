import type { KeyTrouble, Refusal, RefusalCode } from '../engine/index.ts'

export interface ErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  code?: string
  decline_code?: string
  param?: string
  message: string
  [field: string]: unknown
}

/** An error in Stripe's format. https://docs.stripe.com/api/errors */
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

/** 400 for an impossible request. */
export function invalid(message: string, param?: string, code?: string): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    ...(code === undefined
      ? {}
      : { code, doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}` }),
    message,
    ...(param === undefined ? {} : { param }),
  })
}

/** 404 for an id in the path, 400 for one in the parameters. */
export function missing(what: string, id: string, param = 'id'): ApiError {
  return new ApiError(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
    message: `No such ${what}: '${id}'`,
    param,
  })
}

/** Builds Stripe's answer to its own failure. */
export function toFailure(status: number): { status: number; body: { error: ErrorBody } } {
  return {
    status,
    body: { error: { type: 'api_error', message: 'An unknown error occurred.' } },
  }
}

/** 402 for a declined card. */
export function declined(message = 'Your card was declined.'): ApiError {
  return new ApiError(402, {
    type: 'card_error',
    code: 'card_declined',
    decline_code: 'generic_decline',
    doc_url: 'https://stripe.com/docs/error-codes/card-declined',
    message,
  })
}

/** Builds the error of an unusable idempotency key. https://docs.stripe.com/api/idempotent_requests */
export function refuseKey(trouble: KeyTrouble, key: string): ApiError {
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

type About = Refusal['about']
const words: Record<RefusalCode, (about: About) => ApiError> = {
  declined: () => declined(),
  currency: ({ only, asked }) =>
    invalid(
      `The price specified only supports \`${only}\`. This doesn't match the expected currency: \`${asked}\`.`,
      'currency',
    ),
  'no item': ({ item, param }) =>
    missing(item === '' ? 'price' : 'subscription item', String(item), String(param)),
  'no items': () => invalid('A subscription must have at least one active plan.', 'items'),
  'same price twice': () => invalid('Cannot add multiple subscription items with the same plan.', 'items'),
  'other rhythm': () =>
    invalid('Currency and interval fields must match across all plans on this subscription.', 'items'),
  'date outside of the period': () =>
    invalid('Cannot specify a proration date outside of the current period.', 'proration_date'),
  'trial ends in the past': () =>
    invalid('Invalid timestamp: must be an integer Unix timestamp in the future', 'trial_end'),
  'nothing to come': () =>
    new ApiError(404, {
      type: 'invalid_request_error',
      code: 'invoice_upcoming_none',
      message: 'No upcoming invoices for customer',
    }),
  'cannot be paused': ({ status }) =>
    invalid(`A subscription with the status \`${status}\` cannot be paused.`),
  'has schedule': () => invalid('Cannot pause subscriptions with attached schedules.'),
  'is scheduled': () =>
    invalid('You cannot migrate a subscription that is already attached to a schedule.', 'from_subscription'),
  'is not paused': () => invalid('Only paused subscriptions can be resumed.'),
  'no method': () =>
    invalid(
      'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
      undefined,
      'resource_missing',
    ),
  'not paid': ({ charge }) => invalid(`Charge ${charge} has not been paid.`, 'charge'),
  'charged back': ({ charge }) =>
    invalid(`Charge ${charge} has been charged back; cannot issue a refund.`, 'charge', 'charge_disputed'),
  'refunded already': ({ charge }) =>
    invalid(`Charge ${charge} has already been refunded.`, 'charge', 'charge_already_refunded'),
  'no amount': () => invalid('Invalid positive integer', 'amount', 'parameter_invalid_integer'),
  'more than is left': ({ amount, left }) =>
    invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, 'amount'),
  'no running phase': () =>
    invalid('The current phase must be among the phases, with its start_date.', 'phases'),
  'schedule is over': ({ status }) =>
    invalid(
      `You cannot release or cancel a subscription schedule that is currently in the \`${status}\` status. It must be in \`not_started\` or \`active\`.`,
    ),
}

/** Translates a refusal of the engine to Stripe's error. */
export function toApiError({ code, about }: Refusal): ApiError {
  return words[code](about)
}
