import type { AnyObject, Kind, Objects } from './objects.ts'
import type { Replica } from './replica.ts'

/** Objects of a fake server. Stored objects never change in place, so a reference to one stays valid. */
export interface Store {
  put<T extends AnyObject>(object: T): T
  find<K extends Kind>(kind: K, id: string | null): Objects[K] | undefined
  /** @throws TypeError for a missing object */
  get<K extends Kind>(kind: K, id: string | null): Objects[K]
  findAny(id: string): AnyObject | undefined
  /** Oldest first. */
  list<K extends Kind>(kind: K): Objects[K][]
  /** Lists the objects of a kind with this value in a field, oldest first. An index finds them. */
  having<K extends Kind, F extends keyof Objects[K] & string>(
    kind: K,
    field: F,
    value: Objects[K][F],
  ): Objects[K][]
  /** Lists objects of every kind. */
  all(): AnyObject[]
  /** Registers a listener for every `put`. */
  onChange(listener: (object: AnyObject) => void): void
}

/** Creates a store in memory. A replica keeps its earlier states for reads that lag behind. */
export function createStore(replica?: Pick<Replica, 'track' | 'beforeChange'>): Store {
  let kinds = new Map<Kind, Map<string, AnyObject>>()
  let kindOf = new Map<string, Kind>()
  const listeners: ((object: AnyObject) => void)[] = []
  const indexes = createIndexes((kind) => kinds.get(kind)?.values() ?? [])

  const find = <K extends Kind>(kind: K, id: string | null): Objects[K] | undefined =>
    id === null ? undefined : (kinds.get(kind)?.get(id) as Objects[K] | undefined)

  replica?.track(() => {
    const saved = { kinds, kindOf }
    kinds = new Map([...kinds].map(([kind, table]) => [kind, new Map(table)]))
    kindOf = new Map(kindOf)
    return () => {
      kinds = saved.kinds
      kindOf = saved.kindOf
      indexes.clear()
    }
  })

  return {
    put: (object) => {
      replica?.beforeChange()
      const { id, kind } = object
      const table = kinds.get(kind) ?? new Map<string, AnyObject>()
      indexes.replace(table.get(id), object)
      kinds.set(kind, table.set(id, object))
      kindOf.set(id, kind)
      for (const listener of listeners) listener(object)
      return object
    },
    find,
    get: (kind, id) => {
      const found = find(kind, id)
      if (found === undefined) throw new TypeError(`No ${kind} ${String(id)}`)
      return found
    },
    findAny: (id) => {
      const kind = kindOf.get(id)
      return kind === undefined ? undefined : find(kind, id)
    },
    list: <K extends Kind>(kind: K) => [...(kinds.get(kind)?.values() ?? [])] as Objects[K][],
    having: indexes.find,
    all: () => [...kinds.values()].flatMap((table) => [...table.values()]),
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}

/** Finds objects by the value of a field. An index begins with the first search for its field. */
function createIndexes(all: (kind: Kind) => Iterable<AnyObject>) {
  type Entries = Map<unknown, Map<string, AnyObject>>
  const indexes = new Map<Kind, Map<string, Entries>>()
  /** Places in the order of creation. A changed object keeps the place of the one that it replaces. */
  const places = new WeakMap<AnyObject, number>()
  let newest = 0

  const add = (entries: Entries, field: string, object: AnyObject): void => {
    const value = (object as unknown as Record<string, unknown>)[field]
    const found = entries.get(value)
    if (found === undefined) entries.set(value, new Map([[object.id, object]]))
    else found.set(object.id, object)
  }

  const begin = (kind: Kind, field: string): Entries => {
    const entries: Entries = new Map()
    for (const object of all(kind)) add(entries, field, object)
    const ofKind = indexes.get(kind) ?? new Map<string, Entries>()
    indexes.set(kind, ofKind.set(field, entries))
    return entries
  }

  return {
    replace: (before: AnyObject | undefined, after: AnyObject): void => {
      places.set(after, (before && places.get(before)) ?? newest++)
      for (const [field, entries] of indexes.get(after.kind) ?? []) {
        if (before) entries.get((before as unknown as Record<string, unknown>)[field])?.delete(before.id)
        add(entries, field, after)
      }
    },
    find: <K extends Kind>(kind: K, field: string, value: unknown): Objects[K][] => {
      const entries = indexes.get(kind)?.get(field) ?? begin(kind, field)
      const found = [...(entries.get(value)?.values() ?? [])] as Objects[K][]
      return found.sort((a, b) => places.get(a)! - places.get(b)!)
    },
    clear: (): void => indexes.clear(),
  }
}
