import { endPause } from './canceling.ts'
import { expireCheckout } from './checkout.ts'
import { collect, endDebit, finalizeInvoice } from './collecting.ts'
import { endAsPlanned, expireChange } from './ending.ts'
import { voidInvoice } from './invoices.ts'
import type { AnyObject, Invoice, Subscription } from './objects.ts'
import { markPaused } from './pausing.ts'
import { day } from './periods.ts'
import { soonestOf } from './proration.ts'
import { endTrial, renew } from './renewing.ts'
import { trackMap } from './replica.ts'
import type { Tracking } from './saving.ts'
import { endPhase } from './scheduling.ts'
import type { World } from './world.ts'

interface Due {
  readonly at: number
  readonly what: keyof typeof order
}
// Order of two things due in the same second.
const order = {
  'debit ends': -1,
  'checkout expires': 0,
  'trial will end': 1,
  'collection resumes': 2,
  'change expires': 3,
  'phase ends': 4,
  'subscription ends': 5,
  'pause begins': 6,
  'pause ends': 7,
  'period ends': 8,
  'invoice is finalized': 9,
  'invoice is tried again': 10,
} as const

/** Runs everything that happens by itself as time passes. The objects alone determine what is due. */
export function createLife(world: World, saving?: Tracking) {
  // A page and the subscription that it began may share an id.
  const agenda = new Map<string, { readonly id: string; readonly list: readonly Due[] }>()
  if (saving !== undefined) trackMap(saving, agenda)
  world.store.onChange((object) => {
    const list = dueOf(object)
    const key = `${object.kind} ${object.id}`
    if (list.length > 0) agenda.set(key, { id: object.id, list })
    else agenda.delete(key)
  })

  const next = (target: number): { id: string; due: Due } | undefined => {
    let first: { id: string; due: Due } | undefined
    for (const { id, list } of agenda.values())
      for (const due of list)
        if (due.at <= target && (first === undefined || isBefore(due, first.due))) first = { id, due }
    return first
  }

  return {
    /** Returns the time of the next thing due, in Unix seconds; null if there is none. */
    dueAt: (): number | null => next(Number.POSITIVE_INFINITY)?.due.at ?? null,
    /** Yields after each thing that was done, so that a caller can stop in between. */
    *steps(untilMs: number): Generator<void> {
      const target = Math.floor(untilMs / 1000)
      for (let found = next(target); found !== undefined; found = next(target)) {
        world.clock.moveTo(found.due.at * 1000)
        happen[found.due.what](world, found.id)
        yield
      }
    },
  }
}

function isBefore(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && order[a.what] < order[b.what])
}

function dueOf(object: AnyObject): Due[] {
  switch (object.kind) {
    case 'checkout':
      return object.status === 'open' ? [{ at: object.expires_at, what: 'checkout expires' }] : []
    case 'payment':
      return object.debit === null ? [] : [{ at: object.debit.at, what: 'debit ends' }]
    case 'invoice':
      return invoiceDue(object)
    case 'schedule':
      return object.current === null ? [] : [{ at: object.current.end, what: 'phase ends' }]
    case 'subscription':
      return subscriptionDue(object)
    default:
      return []
  }
}

function invoiceDue({ status, draft_until, next_try }: Invoice): Due[] {
  if (status === 'draft' && draft_until !== null) return [{ at: draft_until, what: 'invoice is finalized' }]
  if (status === 'open' && next_try !== null) return [{ at: next_try, what: 'invoice is tried again' }]
  return []
}

const warnedBefore = 3 * day

function subscriptionDue(subscription: Subscription): Due[] {
  if (['canceled', 'incomplete', 'expired'].includes(subscription.status)) return []
  const due: Due[] = []
  if (subscription.status === 'trialing' && subscription.trial_end !== null && !subscription.warned)
    due.push({ at: subscription.trial_end - warnedBefore, what: 'trial will end' })
  if (subscription.cancel_at !== null) due.push({ at: subscription.cancel_at, what: 'subscription ends' })
  if (subscription.collection?.resumes_at)
    due.push({ at: subscription.collection.resumes_at, what: 'collection resumes' })
  if (subscription.pause_at !== null) due.push({ at: subscription.pause_at, what: 'pause begins' })
  if (subscription.status === 'paused' && subscription.resumes_at !== null)
    due.push({ at: subscription.resumes_at, what: 'pause ends' })
  if (subscription.pending !== null) due.push({ at: subscription.pending.expires_at, what: 'change expires' })
  const item = soonestOf(subscription.items)
  if (item !== undefined && subscription.status !== 'paused') due.push({ at: item.end, what: 'period ends' })
  return due
}

const happen: Record<Due['what'], (world: World, id: string) => unknown> = {
  'debit ends': endDebit,
  'checkout expires': expireCheckout,
  'trial will end': (world, id) => world.change('subscription', id, { warned: true }, 'trial ending'),
  'collection resumes': (world, id) =>
    world.change('subscription', id, { collection: null }, 'subscription changed'),
  'change expires': expireChange,
  'phase ends': endPhase,
  'subscription ends': endAsPlanned,
  'pause begins': markPaused,
  'pause ends': endPause,
  'period ends': (world, id) =>
    world.store.get('subscription', id).status === 'trialing' ? endTrial(world, id) : renew(world, id),
  'invoice is finalized': finalizeDue,
  'invoice is tried again': collect,
}

/** Finalises a draft when its time is over. If collection is paused, the invoice is not charged. */
function finalizeDue(world: World, id: string): void {
  const { subscription } = world.store.get('invoice', id)
  const pause = world.store.get('subscription', subscription).collection?.pause
  if (pause === 'draft') {
    world.change('invoice', id, { is_automatic: false, draft_until: null, next_try: null })
    return
  }
  if (finalizeInvoice(world, id).status !== 'open') return
  if (pause === undefined) collect(world, id)
  else if (pause === 'void') voidInvoice(world, id)
  else {
    const givenUp = { status: 'uncollectible' as const, given_up_at: world.clock.seconds() }
    world.change('invoice', id, givenUp, 'invoice given up')
  }
}
