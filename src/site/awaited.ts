import { MembershipError } from '../core/errors.ts'
import type { Membership } from './membership-api.ts'

const names = {
  user: true,
  provider: true,
  allows: true,
  appUserId: true,
  plans: true,
  viewOf: true,
  runAs: true,
  koa: true,
  koaView: true,
  listener: true,
  fetch: true,
  gate: true,
  guard: true,
  use: true,
  release: true,
  reserve: true,
  limits: true,
  listRoutes: true,
  users: true,
  sessions: true,
  subscriptions: true,
  payments: true,
  invoices: true,
  checkout: true,
  gifts: true,
  teams: true,
  groups: true,
  raises: true,
  prices: true,
  webhooks: true,
  files: true,
  feeds: true,
  pages: true,
  reports: true,
  operator: true,
  storage: true,
  runDueJobs: true,
  close: true,
} as const satisfies Record<keyof Membership, true>

/**
 * Returns the promise itself. Reading an instance property from it throws an error that names the missing
 * `await`. Awaiting, printing or comparing it works as usual.
 */
export function awaited(promise: Promise<Membership>): Promise<Membership> {
  for (const name of Object.keys(names))
    Object.defineProperty(promise, name, {
      get: () => {
        // If the process continues, a later failure of the promise must not be reported as an unhandled
        // rejection.
        promise.catch(() => undefined)
        throw notAwaited(name)
      },
    })
  return promise
}

function notAwaited(name: string): MembershipError {
  return new MembershipError(
    'ERR_NOT_INSTALLED',
    `createMembership() returns a promise, and ".${name}" was read from it without await.`,
    { action: 'Write await: const m = await createMembership({ … })' },
  )
}
