import type { Voice } from './voice.ts'

/**
 * An error for people: what happened, what they can do, and where. It contains no configuration key, no route and no
 * developers' term; the problem document has those.
 */
export interface ErrorTexts {
  readonly title: string
  readonly text: string
  readonly action: { readonly label: string; readonly url: string }
}

/** The pages that an error page can link to. */
export interface Ways {
  /** The page to return to after logging in or waiting. */
  readonly again: string
  readonly account: string
  readonly home?: string
}

/** Words a problem for people. */
export function errorIn(
  voice: Voice,
  problem: {
    readonly code?: unknown
    readonly status: number
    readonly subscription_id?: unknown
    readonly field?: unknown
    readonly reason?: unknown
    /** True where a provider understood the request and refused it. */
    readonly is_refused?: unknown
    /** When a pause ends, where a pause stands in the way. */
    readonly resumes_at?: unknown
    /** The address of the site, and the one at which it was opened, where they are two names of this machine. */
    readonly address?: unknown
    readonly opened?: unknown
  },
  { again, account, home = '/' }: Ways,
): ErrorTexts {
  const { address, opened } = problem
  if (problem.code === 'ERR_CSRF' && typeof address === 'string')
    return {
      title: voice.say('error.other_address.title'),
      text: voice.say('error.other_address.text', { address, opened: String(opened) }),
      action: { label: voice.say('error.other_address.button', { address }), url: address },
    }
  const text = kindOf(problem)
  if (problem.reason === 'paused' && typeof problem.resumes_at === 'string')
    return {
      title: voice.say('error.paused.title'),
      text: voice.say('error.paused.text', { date: voice.day(problem.resumes_at) }),
      action: { label: voice.say('error.account'), url: account },
    }
  const login = `/membership/login?redirect=${encodeURIComponent(again)}`
  const go = {
    log_in: { label: voice.say('error.log_in'), url: login },
    account: { label: voice.say('error.account'), url: account },
    again: { label: voice.say('error.again'), url: again },
    go: { label: voice.say('error.go'), url: home },
  }
  return {
    title: voice.say(`error.${text}.title`),
    text: voice.say(`error.${text}.text`),
    action: go[ways[text] ?? 'go'],
  }
}

/** True if a login helps. A visitor with a dead link wanted to get in. */
export function offersLogin(code: unknown): boolean {
  return code === 'ERR_LINK' || code === 'ERR_LOGIN_REQUIRED' || code === 'ERR_UNVERIFIED'
}

// An error that people can do nothing about is worded by its status.
const kinds = {
  ERR_FORM: 'form',
  ERR_LOGIN_REQUIRED: 'login_required',
  ERR_UNVERIFIED: 'unverified',
  ERR_CSRF: 'csrf',
  ERR_LINK: 'link',
  ERR_NOT_FOUND: 'not_found',
  ERR_PLAN_UNKNOWN: 'not_found',
  ERR_PROVIDER_UNKNOWN: 'not_found',
  ERR_INTENT_UNKNOWN: 'checkout_unknown',
  ERR_RATE_LIMIT: 'rate_limit',
  ERR_PAYMENT_DECLINED: 'payment_declined',
  ERR_CHECKOUT_REFUSED: 'not_now',
  ERR_ACTION_REFUSED: 'not_now',
  ERR_EMAIL_TAKEN: 'form',
  ERR_GATED: 'gated',
  ERR_BODY_TOO_LARGE: 'too_large',
  ERR_PROVIDER_ANSWER: 'elsewhere',
  ERR_PROVIDER_UNSUPPORTED: 'unsupported',
  ERR_NO_MAIL: 'unsupported',
} as const satisfies Record<string, string>

type ErrorText =
  | (typeof kinds)[keyof typeof kinds]
  | 'already'
  | 'refused_there'
  | 'amount'
  | 'own_login'
  | 'managed'
  | 'no_card'
  | 'forbidden'
  | 'down'
  | 'ours'
  | 'wrong'

const ways: Partial<Record<ErrorText, 'log_in' | 'account' | 'again'>> = {
  login_required: 'log_in',
  unverified: 'log_in',
  link: 'log_in',
  gated: 'log_in',
  csrf: 'again',
  amount: 'again',
  form: 'again',
  rate_limit: 'again',
  elsewhere: 'again',
  refused_there: 'account',
  down: 'again',
  checkout_unknown: 'account',
  already: 'account',
  not_now: 'account',
  own_login: 'account',
  managed: 'account',
  no_card: 'account',
}

function kindOf({
  code,
  status,
  subscription_id,
  field,
  reason,
  is_refused,
}: Parameters<typeof errorIn>[1]): ErrorText {
  if (code === 'ERR_FORM' && field === 'amount') return 'amount'
  if (reason === 'managed_elsewhere') return field === 'email' ? 'own_login' : 'managed'
  if (reason === 'no_payment_method') return 'no_card'
  if ((code === 'ERR_PROVIDER_ANSWER' && is_refused === true) || reason === 'provider_refused')
    return 'refused_there'
  // A living subscription blocks a second one.
  if (code === 'ERR_CHECKOUT_REFUSED' && typeof subscription_id === 'string') return 'already'
  if (typeof code === 'string' && Object.hasOwn(kinds, code)) return kinds[code as keyof typeof kinds]
  if (status === 401) return 'login_required'
  if (status === 403) return 'forbidden'
  if (status === 404 || status === 405) return 'not_found'
  if (status === 502) return 'elsewhere'
  if (status === 503) return 'down'
  return status >= 500 ? 'ours' : 'wrong'
}
