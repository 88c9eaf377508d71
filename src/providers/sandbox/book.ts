import {
  type AnyObject,
  createFakeClock,
  createLife,
  createStore,
  createWorld,
  type Kind,
  type Settings,
  type World,
} from '../../fakes/engine/index.ts'
import { idIn, messageId } from './ids.ts'
import type { SandboxEvent } from './objects.ts'
import { type Told, type View, viewsOf } from './views.ts'

/** Stored record of one buyer. */
export interface Kept {
  readonly owner: string
  /** Number of ids made so far. The same actions therefore always produce the same ids. */
  readonly made: number
  /** Moment of the newest event about each object. */
  readonly told: Told
  readonly objects: readonly AnyObject[]
}

/** One buyer's part of the engine's world, and its pending events. */
export interface Book {
  readonly owner: string
  readonly world: World
  /** Returns every object that the site can see. */
  views(): View[]
  /** Unix seconds. */
  dueAt(): number | null
  /** Moves the clock without doing what is due. */
  at(ms: number): void
  /** Does everything due until then, in order. */
  catchUp(untilMs: number): void
  /** Does something now. */
  act<T>(atMs: number, run: () => T): T
  /** Returns the events for the site, in order. */
  messages(): readonly SandboxEvent[]
  kept(): Kept
}

/**
 * Settings of this engine: invoices are charged at once. Retries follow after 3, 5 and 7 more days, then the
 * subscription ends. There is no tax.
 */
const settings: Settings = {
  draftSeconds: 0,
  dunning: { retryDays: [3, 8, 15], outcome: 'cancel' },
  tax: null,
}

const prefixes: Partial<Record<Kind | 'item' | 'line', string>> = {
  customer: 'cus',
  subscription: 'sub',
  payment: 'pay',
  dispute: 'dp',
}

/** Opens a stored book, or a new one. */
export function openBook(owner: string, kept: Kept | null): Book {
  let made = kept?.made ?? 0
  const told: Record<string, string> = { ...kept?.told }
  const messages: SandboxEvent[] = []
  let failed = new Set<string>()
  const clock = createFakeClock(new Date(0), false)
  const store = createStore()
  const world = createWorld({
    settings,
    clock,
    store,
    idFor: (kind) => (kind === 'customer' ? idIn('cus', owner) : idIn(prefixes[kind] ?? kind, owner, ++made)),
    tell: (fact, object) => {
      if (fact === 'payment failed') failed.add(object.id)
    },
  })
  const life = createLife(world)
  for (const object of kept?.objects ?? []) store.put(object)
  const views = () => viewsOf(world, told)

  // Each changed object is reported once, however often it changed meanwhile. A failed retry of a payment is
  // also reported.
  const act = <T>(atMs: number, run: () => T): T => {
    clock.moveTo(atMs)
    const before = new Map(views().map((view) => [view.data.id, view]))
    const result = run()
    const created = clock.now().toISOString()
    for (const view of views()) {
      const was = before.get(view.data.id)
      const isSame = was?.isTold === view.isTold && JSON.stringify(was.data) === JSON.stringify(view.data)
      if (!view.isTold || (isSame && !failed.has(view.data.id))) continue
      const type = typeOf(view, was?.isTold ? was : undefined)
      const updated = revisionAfter(told[view.data.id] ?? '', created)
      const data = { ...view.data, updated }
      told[data.id] = updated
      messages.push({ id: messageId(type, data), type, created, object: view.object, data } as SandboxEvent)
    }
    failed = new Set()
    return result
  }
  const catchUp = (untilMs: number): void => {
    for (let due = life.dueAt(); due !== null && due * 1000 <= untilMs; due = life.dueAt()) {
      const moment = due * 1000
      act(moment, () => {
        for (const _ of life.steps(moment));
      })
    }
  }
  return {
    owner,
    world,
    views,
    dueAt: life.dueAt,
    at: clock.moveTo,
    catchUp,
    act,
    messages: () => messages,
    kept: () => ({ owner, made, told, objects: store.all() }),
  }
}

function typeOf(view: View, was: View | undefined): string {
  if (view.object === 'checkout') return view.data.paid ? 'checkout.completed' : 'checkout.expired'
  if (view.object === 'payment' && view.data.status === 'failed') return 'payment.failed'
  if (was === undefined) return `${view.object}.created`
  if (view.object === 'subscription' && view.data.status === 'canceled') return 'subscription.deleted'
  const before = was.object === 'payment' ? was.data.amount_refunded : 0
  if (view.object === 'payment' && view.data.amount_refunded > before) return 'payment.refunded'
  return `${view.object}.updated`
}

// Two changes in one millisecond get different revisions, so that their order is always clear.
function revisionAfter(last: string, at: string): string {
  return at > last ? at : new Date(Date.parse(last) + 1).toISOString()
}
