import { MembershipError } from '../core/errors.ts'
import type { Membership } from './assembly/api.ts'

const names = {
  config: true,
  users: true,
  storage: true,
  user: true,
  provider: true,
  allows: true,
  disallows: true,
  plans: true,
  products: true,
  viewOf: true,
  runAs: true,
  koa: true,
  middleware: true,
  webhooks: true,
  checkout: true,
  login: true,
  account: true,
  actions: true,
  audit: true,
  declarations: true,
  outbox: true,
  compare: true,
  import: true,
  health: true,
  switchProvider: true,
  payments: true,
  catalogue: true,
  reports: true,
  gate: true,
  listener: true,
  fetch: true,
  formToken: true,
  form: true,
  guard: true,
  lockedPage: true,
  checkForm: true,
  routes: true,
  afterRestore: true,
  deletedSince: true,
  openapi: true,
  openSession: true,
  endSession: true,
  render: true,
  voiceOf: true,
  said: true,
  sign: true,
  work: true,
  close: true,
} as const satisfies Record<keyof Membership, true>

/** The promise itself; whoever asks it for what only the instance has is told what was forgotten. Nothing that awaits
 *  it, prints it or compares it notices. */
export const awaited = (promise: Promise<Membership>): Promise<Membership> => {
  for (const name of Object.keys(names))
    Object.defineProperty(promise, name, {
      get: () => {
        // The process may go on without it: then its own trouble, if it has any, is not told twice.
        promise.catch(() => undefined)
        throw notAwaited(name)
      },
    })
  return promise
}

const notAwaited = (name: string): MembershipError =>
  new MembershipError(
    'ERR_NOT_INSTALLED',
    `createMembership() gives a promise, and "${name}" of what it will give was asked for.`,
    { action: 'Write await: const m = await createMembership({ … })' },
  )
