import { day } from '../../../merchant/index.ts'
import { collect, finalizeInvoice, subscriptionOf } from './collecting.ts'
import { endDebit } from './debits-ending.ts'
import { endAsPlanned, expireUpdate } from './ending-planned.ts'
import { endTrial, renew } from './renewing.ts'
import { endPhase } from './scheduling.ts'
import { expireSession } from './sessions.ts'
import type { AnyObject, Invoice, Subscription, SubscriptionSchedule } from './types.ts'
import type { World } from './world.ts'

interface Due {
  readonly at: number
  readonly what: keyof typeof order
}
// What goes first of two that are due in the same second.
const order = {
  'debit ends': -1,
  'session expires': 0,
  'trial will end': 1,
  'collection resumes': 2,
  'update expires': 3,
  'phase ends': 4,
  'subscription ends': 5,
  'period ends': 6,
  'invoice is finalized': 7,
  'invoice is tried again': 8,
} as const

/** What happens by itself as time passes. What is due follows from the objects alone. */
export const createLife = (world: World) => {
  const agenda = new Map<string, readonly Due[]>()
  world.store.onChange((object) => {
    const due = dueOf(world, object)
    if (due.length > 0) agenda.set(object.id, due)
    else agenda.delete(object.id)
  })

  const next = (target: number): { id: string; due: Due } | undefined => {
    let first: { id: string; due: Due } | undefined
    for (const [id, list] of agenda)
      for (const due of list)
        if (due.at <= target && (first === undefined || isBefore(due, first.due))) first = { id, due }
    return first
  }

  /** Does one thing after the other; between two, whoever iterates may look on. */
  const steps = function* (targetMs: number): Generator<void> {
    const target = Math.floor(targetMs / 1000)
    for (let found = next(target); found !== undefined; found = next(target)) {
      world.clock.moveTo(found.due.at * 1000)
      happen[found.due.what](world, found.id)
      yield
    }
  }
  return {
    steps,
    runUntil: (targetMs: number): void => {
      for (const _ of steps(targetMs));
    },
  }
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && order[a.what] < order[b.what])

const dueOf = (world: World, object: AnyObject): Due[] => {
  if (object.object === 'checkout.session')
    return object.status === 'open' ? [{ at: object.expires_at, what: 'session expires' }] : []
  if (object.object === 'payment_intent') {
    const debit = object.status === 'processing' ? world.notes.debits.get(object.id) : undefined
    return debit === undefined ? [] : [{ at: debit.at, what: 'debit ends' }]
  }
  if (object.object === 'invoice') return invoiceDue(object)
  if (object.object === 'subscription_schedule') return scheduleDue(object)
  return object.object === 'subscription' ? subscriptionDue(world, object) : []
}

const invoiceDue = ({ status, automatically_finalizes_at, next_payment_attempt }: Invoice): Due[] => {
  if (status === 'draft' && automatically_finalizes_at !== null)
    return [{ at: automatically_finalizes_at, what: 'invoice is finalized' }]
  if (status === 'open' && next_payment_attempt !== null)
    return [{ at: next_payment_attempt, what: 'invoice is tried again' }]
  return []
}

const scheduleDue = ({ status, current_phase }: SubscriptionSchedule): Due[] =>
  status === 'active' && current_phase !== null ? [{ at: current_phase.end_date, what: 'phase ends' }] : []

const warnedBefore = 3 * day

const subscriptionDue = (world: World, one: Subscription): Due[] => {
  if (one.status === 'canceled' || one.status.startsWith('incomplete')) return []
  const due: Due[] = []
  if (one.status === 'trialing' && one.trial_end !== null && !world.notes.warnedTrials.has(one.id))
    due.push({ at: one.trial_end - warnedBefore, what: 'trial will end' })
  if (one.cancel_at !== null) due.push({ at: one.cancel_at, what: 'subscription ends' })
  const resumes = one.pause_collection?.resumes_at
  if (resumes) due.push({ at: resumes, what: 'collection resumes' })
  if (one.pending_update) due.push({ at: one.pending_update.expires_at, what: 'update expires' })
  const [item] = one.items.data
  if (item !== undefined && one.status !== 'paused')
    due.push({ at: item.current_period_end, what: 'period ends' })
  return due
}

const happen: Record<Due['what'], (world: World, id: string) => unknown> = {
  'debit ends': endDebit,
  'session expires': (world, id) => expireSession(world, world.store.get('checkout.session', id)),
  'trial will end': (world, id) => {
    world.notes.warnedTrials.add(id)
    world.emit('customer.subscription.trial_will_end', world.store.put(world.store.get('subscription', id)))
  },
  'collection resumes': (world, id) =>
    world.change('subscription', id, { pause_collection: null }, 'customer.subscription.updated'),
  'update expires': expireUpdate,
  'phase ends': endPhase,
  'subscription ends': endAsPlanned,
  'period ends': (world, id) => {
    const { status } = world.store.get('subscription', id)
    return status === 'trialing' ? endTrial(world, id) : renew(world, id)
  },
  'invoice is finalized': finalizeDue,
  'invoice is tried again': collect,
}

/** The draft's hour is over. https://docs.stripe.com/billing/subscriptions/pause-payment for those that nobody pays. */
function finalizeDue(world: World, id: string): void {
  const invoice = world.store.get('invoice', id)
  const pause = subscriptionOf(world, invoice).pause_collection
  if (pause?.behavior === 'keep_as_draft') {
    world.change('invoice', id, {
      auto_advance: false,
      automatically_finalizes_at: null,
      next_payment_attempt: null,
    })
    return
  }
  const open = finalizeInvoice(world, id)
  if (open.status !== 'open') return
  if (!pause) {
    collect(world, id)
    return
  }
  const isVoid = pause.behavior === 'void'
  const now = world.clock.seconds()
  world.change(
    'invoice',
    id,
    {
      status: isVoid ? 'void' : 'uncollectible',
      status_transitions: {
        ...open.status_transitions,
        ...(isVoid ? { voided_at: now } : { marked_uncollectible_at: now }),
      },
    },
    'invoice.updated',
    isVoid ? 'invoice.voided' : 'invoice.marked_uncollectible',
  )
}
