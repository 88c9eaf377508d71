import type { Context } from 'koa'
import type { Payment, Subscription } from '../../core/dto/index.ts'
import type { Storage } from '../../core/storage/index.ts'
import { titleIn, type Voice } from '../../core/words/index.ts'
import { createSessionDoor, type View } from '../../memberships/members/index.ts'
import type { SandboxControls } from '../../providers/sandbox/index.ts'
import { storageOf } from '../assembly/former-names.ts'
import type { Membership } from '../membership.ts'
import type { DemoClock } from './demo-clock.ts'
import type { Mailbox } from './mailbox.ts'

export interface DemoDeps {
  readonly membership: () => Membership
  readonly clock: DemoClock
  /** The sandbox's controls for the bar; null if the site sells through another provider. */
  readonly controls: () => SandboxControls | null
  readonly mailbox: Pick<Mailbox, 'clear' | 'newest'>
  /** The office that visitors may look into; null where there is none. */
  readonly officeUrl: string | null
}

/** The bar of the demo: the visitor, the events that the payment provider sent, and controls of the clock. */
export function createDemo({ membership: m, clock, controls, mailbox, officeUrl }: DemoDeps) {
  // Event numbers are compared, not times: after a reset, events of the moved clock lie in the future.
  let since = 0

  const bar = async (view: View, voice: Voice) => {
    const control = controls()
    if (control === null) return null
    const { now } = clock
    const events = await m().webhooks.list({ limit: 20 })
    const user = view.user()
    const { subscription, payment } = newestOf(view)
    return {
      who: user === null ? null : (user.email ?? user.name ?? user.id),
      today: now().toISOString().slice(0, 10),
      // The year is always shown, because moving the clock changes it.
      today_words: voice.day(now().toISOString()),
      is_moved: clock.isMoved(),
      renewal:
        subscription === null
          ? null
          : {
              title: titleIn(voice, subscription.price_id, view.plans()),
              fails: await control.isFailing(subscription.id),
              is_due: subscription.past_due,
            },
      office_url: officeUrl,
      payment: payment === null ? null : paymentIn(voice, payment, view),
      events: events
        .filter(({ seq }) => Number(seq) > since)
        .map((event) => ({
          ...event,
          status: statusIn(voice, event.status),
          summary: event.reason ?? summaryIn(voice, event.type),
        })),
    }
  }

  /** Moves the clock ahead day by day, and does and receives everything due on each day. Nobody is logged out. */
  const move = (
    control: SandboxControls,
    by: { months?: number; days?: number },
    isEnough: () => Promise<boolean> = async () => false,
  ): Promise<void> => {
    const moving = moved.then(async () => {
      // Deliveries on their way were signed with the former time.
      await control.offered()
      await prolongSessions(storageOf(m()), clock.now())
      await clock.forward(by, async () => {
        await prolongSessions(storageOf(m()), clock.now())
        await m().runDueJobs()
        await control.offered()
        return isEnough()
      })
    })
    moved = moving.catch(() => undefined)
    return moving
  }
  // Two visitors move the clock one after the other.
  let moved: Promise<unknown> = Promise.resolve()

  /** Moves the clock to the day on which the provider sends an event, or the site a mail. */
  const moveToNext = async (control: SandboxControls): Promise<void> => {
    const happened = async () => {
      const [newest] = await m().webhooks.list({ limit: 1 })
      return `${newest?.seq ?? 0} ${await mailbox.newest()}`
    }
    const before = await happened()
    await move(control, { days: mostDays }, async () => (await happened()) !== before)
  }

  const startOver = async (ctx: Context): Promise<void> => {
    await m().sessions.end(ctx)
    await clock.reset()
    await mailbox.clear()
    const [newest] = await m().webhooks.list({ limit: 1 })
    since = Number(newest?.seq ?? 0)
  }

  /**
   * Does what a button says to the visitor's newest subscription or payment. Returns false for an unknown
   * button.
   */
  const press = async (button: string, ctx: Context, view: View): Promise<boolean> => {
    const control = controls()
    if (control === null) return false
    const { subscription, payment } = newestOf(view)
    if (button === 'reset') await startOver(ctx)
    else if (button === 'day') await move(control, { days: 1 })
    else if (button === 'week') await move(control, { days: 7 })
    else if (button === 'month') await move(control, { months: 1 })
    else if (button === 'next') await (subscription && moveToNext(control))
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

// Longer than a year's membership.
const mostDays = 400
const sessionMs = 30 * 86_400_000

/** Gives every open session its whole time again. */
async function prolongSessions(storage: Storage, now: Date): Promise<void> {
  const until = new Date(now.getTime() + sessionMs).toISOString()
  await storage.commit([createSessionDoor(storage).prolong({ now: now.toISOString(), until })])
}

/** Finds the visitor's own newest subscription and payment. Those of others cannot be named. */
function newestOf(view: View): { subscription: Subscription | null; payment: Payment | null } {
  const user = view.user()
  const living = (user?.subscriptions() ?? []).filter((s) => s.provider === 'sandbox' && !s.ended)
  const paid = (user?.payments() ?? []).filter((p) => p.provider === 'sandbox' && p.status === 'paid')
  return {
    subscription: newest(living, (s) => s.started_at),
    payment: newest(paid, (p) => p.paid_at),
  }
}

function newest<T>(all: readonly T[], momentOf: (item: T) => string | null): T | null {
  return all.reduce<T | null>(
    (best, item) => (best === null || (momentOf(item) ?? '') > (momentOf(best) ?? '') ? item : best),
    null,
  )
}

const statuses = ['received', 'pending', 'processed', 'ignored', 'failed', 'dead', 'quarantined'] as const
const summaries = [
  'customer_created',
  'customer_updated',
  'subscription_created',
  'subscription_updated',
  'subscription_deleted',
  'payment_created',
  'payment_updated',
  'payment_failed',
  'payment_refunded',
  'dispute_created',
  'checkout_completed',
  'checkout_expired',
] as const

function statusIn(voice: Voice, status: string): string {
  const known = statuses.find((knownStatus) => knownStatus === status)
  return known === undefined ? status : voice.say(`demo.status.${known}`)
}

function summaryIn(voice: Voice, type: string): string {
  const known = summaries.find((summary) => summary === type.replace('.', '_'))
  return known === undefined ? '' : voice.say(`demo.event.${known}`)
}

/** Formats a payment for the refund button: "€50 for Pro, yearly". */
function paymentIn(voice: Voice, { amount, currency, provider, price_id }: Payment, view: View): string {
  const title = titleIn(voice, price_id, view.plans())
  return currency === null
    ? title
    : voice.say('demo.payment', { amount: voice.amount({ amount, currency, provider }), title })
}
