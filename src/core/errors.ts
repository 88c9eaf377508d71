import type { LimitRefusal } from './limit.ts'

/** Every stable error code with its HTTP status. Each has a heading in `docs/errors.md`. */
export const errorStatus = {
  ERR_ACTION_REFUSED: 409,
  ERR_API_KEY: 401,
  ERR_BODY_CONSUMED: 503,
  ERR_BODY_SLOW: 408,
  ERR_BODY_TOO_LARGE: 413,
  ERR_BODY_UNREADABLE: 400,
  ERR_BUSY: 503,
  ERR_CHECKOUT_REFUSED: 409,
  ERR_COMPARE_REFUSED: 409,
  ERR_CONFIG: 500,
  ERR_CSRF: 403,
  ERR_EMAIL_TAKEN: 409,
  ERR_FORM: 400,
  ERR_GATED: 403,
  ERR_GATE_UNKNOWN: 500,
  ERR_IDEMPOTENCY_IN_FLIGHT: 409,
  ERR_IDEMPOTENCY_REUSED: 422,
  ERR_IMAGE: 422,
  ERR_INSTALLED: 500,
  ERR_INTENT_UNKNOWN: 404,
  ERR_LENGTH_REQUIRED: 411,
  ERR_LIMIT: 402,
  ERR_LINK: 410,
  ERR_LOGIN_REQUIRED: 401,
  ERR_METHOD: 405,
  ERR_NOT_FOUND: 404,
  ERR_NOT_INSTALLED: 500,
  ERR_NOT_JPEG: 415,
  ERR_NO_MAIL: 501,
  ERR_NO_VIEW: 500,
  ERR_OFFICE: 403,
  ERR_OFFICE_CODE: 403,
  ERR_PARAMETER: 400,
  ERR_PAYMENT_DECLINED: 402,
  ERR_PLAN_UNKNOWN: 404,
  ERR_PORT_TAKEN: 500,
  ERR_PRECONDITION: 412,
  ERR_PROVIDER_ANSWER: 502,
  ERR_PROVIDER_UNKNOWN: 404,
  ERR_PROVIDER_UNSUPPORTED: 501,
  ERR_RATE_LIMIT: 429,
  ERR_REDIRECT: 400,
  ERR_REFUSED: 403,
  ERR_REPORT_EXISTS: 409,
  ERR_SCOPE: 403,
  ERR_SHOWN_CHANGED: 409,
  ERR_SITE_EXCLUDED: 403,
  ERR_SITE_UNREACHABLE: 422,
  ERR_STORAGE: 503,
  ERR_SYSTEM_NOT_DETECTED: 422,
  ERR_UNDELIVERABLE: 502,
  ERR_UNEXPECTED: 500,
  ERR_UNVERIFIED: 403,
  ERR_UPLOAD: 400,
  ERR_URL_NOT_ALLOWED: 422,
  ERR_USAGE: 400,
  ERR_WEBHOOK_SIGNATURE: 403,
  ERR_WEBHOOK_UNVERIFIED: 503,
} as const

/** A stable error code of this package. docs/errors.md has a heading for each. */
export type ErrorCode = keyof typeof errorStatus

/** Reasons for refusing an action (`ERR_ACTION_REFUSED`), for programs. The message is for people. */
export const refusalReasons = [
  'account_deleted',
  'account_merged',
  'address_unverified',
  'already_canceled',
  'already_owned',
  'already_paused',
  'already_refunded',
  'amount_too_large',
  'busy',
  'change_scheduled',
  'currency_differs',
  'database_in_use',
  'disputed',
  'ended',
  'foreign',
  'gift_closed',
  'gift_expired',
  'gift_held',
  'gift_redeemed',
  'group_closed',
  'last_owner',
  'managed_elsewhere',
  'no_payment_method',
  'no_seat',
  'not_allowed',
  'not_paid',
  'not_reversible',
  'nothing_bought',
  'nothing_unpaid',
  'of_office',
  'on_trial',
  'only_in_full',
  'paused',
  'payment_open',
  'period_unknown',
  'preview_expired',
  'price_unknown',
  'provider_refused',
  'protected',
  'repeated',
  'unchanged',
  'until_out_of_range',
] as const

/** One of {@link refusalReasons}. */
export type RefusalReason = (typeof refusalReasons)[number]

/** The parts of an error besides its code and message. None may be secret except `cause`, which is never sent. */
export interface ErrorDetails {
  /** The next step, ready to copy. */
  action?: string
  /** Seconds until another try makes sense. Sent as `Retry-After`. */
  retryAfterSeconds?: number
  /** The reason an action is refused. Every `ERR_ACTION_REFUSED` has one, and no other error does. */
  reason?: RefusalReason
  /** Additional members of the problem document for programs, such as `reason`. */
  extensions?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** The details that an error of this code takes. */
export type DetailsOf<Code extends ErrorCode> = Code extends 'ERR_ACTION_REFUSED'
  ? [details: ErrorDetails & { reason: RefusalReason }]
  : [details?: Omit<ErrorDetails, 'reason'>]

/** The facts that an error of this code hands to programs. */
export type ExtensionsOf<Code extends ErrorCode> = Code extends 'ERR_LIMIT'
  ? LimitRefusal & Readonly<Record<string, unknown>>
  : Readonly<Record<string, unknown>>

/**
 * The only error class. `code` is stable, `message` says what happened, and `action` what to do. It contains no secret.
 */
export class MembershipError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code
  /** The reason an action is refused; only on `ERR_ACTION_REFUSED`. */
  declare readonly reason: Code extends 'ERR_ACTION_REFUSED' ? RefusalReason : undefined
  readonly status: number
  declare readonly action: string | undefined
  declare readonly retryAfterSeconds: number | undefined
  /** Additional members of the problem document for programs. */
  declare readonly extensions: ExtensionsOf<Code>
  /**
   * Koa's flag for a message that may be shown: for statuses below 500, and for the 503s that tell the caller what to
   * do.
   */
  declare readonly expose: boolean

  constructor(code: Code, message: string, ...[given]: DetailsOf<Code>) {
    const details: ErrorDetails = given ?? {}
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'MembershipError'
    this.code = code
    this.status = errorStatus[code]
    // Node prints every enumerable property of an error, so those that tell a person nothing stay away.
    const { reason, action, retryAfterSeconds } = details
    Object.assign(this, reason && { reason }, action && { action })
    if (retryAfterSeconds !== undefined) Object.assign(this, { retryAfterSeconds })
    // A site developer reads it at the start: where it was thrown in this package says nothing.
    if (code === 'ERR_CONFIG') withoutStack(this)
    const extensions = { ...(reason && { reason }), ...details.extensions }
    const isPrinted = Object.keys(details.extensions ?? {}).length > 0
    Object.defineProperty(this, 'extensions', { value: extensions, enumerable: isPrinted })
    Object.defineProperty(this, 'expose', { value: this.status < 500 || this.status === 503 })
  }
}

/** Shows an error by its message and action alone, for mistakes that a developer meets at the start of a site. */
export function withoutStack<E extends MembershipError>(error: E): E {
  error.stack = `MembershipError [${error.code}]: ${error.message}${error.action ? `\n→ ${error.action}` : ''}`
  return error
}

/**
 * True for an error of this package, and of the given code if there is one. It also works when the module was loaded
 * twice.
 */
export function isMembershipError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  code?: Code,
): error is MembershipError<Code> {
  return (
    error instanceof Error &&
    error.name === 'MembershipError' &&
    'code' in error &&
    (code === undefined || error.code === code)
  )
}

/** Builds an error's RFC 9457 body. An unexpected error becomes a plain 500 without its message. */
export function toProblem(error: unknown): {
  status: number
  body: Record<string, unknown>
  retryAfterSeconds?: number
} {
  const known = isMembershipError(error)
    ? error
    : new MembershipError('ERR_UNEXPECTED', 'Something failed on the server; the site’s log has the details.')
  return {
    status: known.status,
    retryAfterSeconds: known.retryAfterSeconds,
    body: {
      type: `/membership/errors/${known.code}`,
      title: titles[known.status] ?? 'Error',
      status: known.status,
      code: known.code,
      detail: known.message,
      ...(known.action === undefined ? {} : { action: known.action }),
      ...known.extensions,
    },
  }
}

const titles: Record<number, string> = {
  400: 'Bad request',
  401: 'Not authenticated',
  402: 'Payment required',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  408: 'Request timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length required',
  412: 'Precondition failed',
  413: 'Too large',
  415: 'Unsupported media type',
  422: 'Cannot be processed',
  429: 'Too many requests',
  500: 'Server error',
  501: 'Not supported',
  502: 'Bad answer from the provider',
  503: 'Not available',
}
