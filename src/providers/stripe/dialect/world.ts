import type { Ground, MerchantClock, Store } from '../../../merchant/index.ts'
import { createStore, type Ids } from '../../../merchant/index.ts'
import { previousAttributes } from './diff.ts'
import { createEvents, type Events } from './events.ts'
import { createNotes, type Notes } from './notes.ts'
import { render } from './render.ts'
import type { AnyObject, Kind, Objects } from './types.ts'

export interface Settings {
  readonly apiVersion: string
  /** Seconds that the invoice of a renewal stays a draft. */
  readonly draftSeconds: number
  /** Days after the first failed try on which an invoice is tried again, and what happens after the last. */
  readonly dunning: {
    readonly retryDays: readonly number[]
    readonly outcome: 'cancel' | 'unpaid' | 'past_due'
  }
}

/** Everything that one fake account has. */
export interface World {
  readonly settings: Settings & { readonly url: string }
  readonly clock: MerchantClock
  readonly ids: Ids
  readonly store: Store<Objects>
  readonly events: Events
  readonly notes: Notes
  /** Keeps a new object; with a type, tells of it. */
  add<K extends Kind>(object: Objects[K], type?: string): Objects[K]
  /** Replaces fields and tells of it; `….updated` says what they were. */
  change<K extends Kind>(kind: K, id: string, patch: Partial<Objects[K]>, ...types: string[]): Objects[K]
  emit(type: string, object: AnyObject, before?: AnyObject): void
}

/** An empty world; the same seed gives the same ids to the same calls. Events show objects as `apiVersion`
 *  has them. */
export const createWorld = (settings: Settings, { url, clock, ids, messages }: Ground): World => {
  const store = createStore<Objects>()
  const events = createEvents({ ids, clock, messages, apiVersion: settings.apiVersion })
  const notes = createNotes()

  const world: World = {
    settings: { ...settings, url },
    clock,
    ids,
    store,
    events,
    notes,
    add: (object, type) => {
      store.put(object)
      if (type !== undefined) world.emit(type, object)
      return object
    },
    change: (kind, id, patch, ...types) => {
      const before = store.get(kind, id)
      const after = store.put({ ...before, ...patch })
      for (const type of types) world.emit(type, after, type.endsWith('.updated') ? before : undefined)
      return after
    },
    emit: (type, object, before) => {
      const show = (one: AnyObject) => render(world, one, settings.apiVersion)
      events.append(type, show(object), before && previousAttributes(show(before), show(object)))
    },
  }
  return world
}
