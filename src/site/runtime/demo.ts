import type { Context } from 'koa'
import { formatDay, type Payment, paymentWords, type Subscription, titleOf } from '../../core/dto/index.ts'
import type { View } from '../../memberships/members/index.ts'
import type { SandboxControls } from '../../providers/sandbox/index.ts'
import type { Membership } from '../membership.ts'
import type { DemoClock } from './demo-clock.ts'
import type { Mailbox } from './mailbox.ts'

export interface DemoDeps {
  readonly membership: () => Membership
  readonly clock: DemoClock
  /** What the demo's provider lets the bar do; null where the site sells through another one. */
  readonly controls: () => SandboxControls | null
  readonly mailbox: Pick<Mailbox, 'clear'>
}

/** The bar that marks the demo: who the visitor is, what the payment provider has sent, and a hand on the clock. */
export const createDemo = ({ membership: m, clock, controls, mailbox }: DemoDeps) => {
  // Numbers, not times: after a new start the clock is back, and what came from the future is older.
  let since = 0

  const bar = async (view: View) => {
    const control = controls()
    if (control === null) return null
    const { now } = clock
    const events = await m().webhooks.list({ limit: 20 })
    const user = view.user()
    const { subscription, payment } = newestOf(view)
    return {
      who: user === null ? 'nobody: not logged in' : (user.email ?? user.name ?? user.id),
      today: now().toISOString().slice(0, 10),
      // With its year, always: it is what changes.
      today_words: formatDay(now().toISOString(), new Date(0)),
      is_moved: clock.isMoved(),
      renewal:
        subscription === null
          ? null
          : {
              title: titleOf(subscription.price_id, view.plans()),
              fails: await control.isFailing(subscription.id),
            },
      payment:
        payment === null ? null : `${paymentWords(payment)} for ${titleOf(payment.price_id, view.plans())}`,
      events: events
        .filter(({ seq }) => Number(seq) > since)
        .map((event) => ({ ...event, summary: event.reason ?? summaries[event.type] ?? '' })),
    }
  }

  /** A calendar month later, with everything done and received that is due until then. */
  const nextMonth = async (ctx: Context, control: SandboxControls): Promise<void> => {
    // A session lasts 30 days, months have up to 31: this browser's is opened anew.
    const user = (await m().viewOf(ctx)).user()
    // What is under way was signed by the clock of before.
    await control.offered()
    await clock.monthForward()
    await m().work()
    if (user !== null) await m().openSession(ctx, user.id, user.email_verified)
  }

  const startOver = async (ctx: Context): Promise<void> => {
    await m().endSession(ctx)
    await clock.reset()
    await mailbox.clear()
    const [newest] = await m().webhooks.list({ limit: 1 })
    since = Number(newest?.seq ?? 0)
  }

  /** Does what a button says, to the visitor's own newest membership or payment. False for an unknown one. */
  const press = async (button: string, ctx: Context, view: View): Promise<boolean> => {
    const control = controls()
    if (control === null) return false
    const { subscription, payment } = newestOf(view)
    if (button === 'reset') await startOver(ctx)
    else if (button === 'month') await nextMonth(ctx, control)
    else if (button === 'fail') await (subscription && control.failNext(subscription.id))
    else if (button === 'dispute') await (payment && control.dispute(payment.id))
    else if (button === 'refund') await (payment && control.refund(payment.id))
    else return false
    await control.offered()
    return true
  }

  return { bar, press }
}
export type Demo = ReturnType<typeof createDemo>

/** The visitor's own: what others bought cannot be named. */
const newestOf = (view: View): { subscription: Subscription | null; payment: Payment | null } => {
  const user = view.user()
  const living = (user?.subscriptions() ?? []).filter((s) => s.provider === 'sandbox' && !s.ended)
  const paid = (user?.payments() ?? []).filter((p) => p.provider === 'sandbox' && p.status === 'paid')
  return {
    subscription: newest(living, (s) => s.started_at),
    payment: newest(paid, (p) => p.paid_at),
  }
}

const newest = <T>(all: readonly T[], momentOf: (one: T) => string | null): T | null =>
  all.reduce<T | null>(
    (best, one) => (best === null || (momentOf(one) ?? '') > (momentOf(best) ?? '') ? one : best),
    null,
  )

const summaries: Record<string, string> = {
  'customer.created': 'The buyer has a customer number now.',
  'customer.updated': 'The address or name at the provider changed.',
  'subscription.created': 'The membership began.',
  'subscription.updated': 'The membership changed: renewed, cancelled, paused or swapped.',
  'subscription.deleted': 'The membership ended.',
  'payment.created': 'Money was paid.',
  'payment.updated': 'What was open has been paid.',
  'payment.failed': 'The card did not pay.',
  'payment.refunded': 'The money went back.',
  'dispute.created': 'The buyer’s bank took the money back.',
  'checkout.completed': 'The checkout is done.',
  'checkout.expired': 'Nobody paid within a day.',
}
