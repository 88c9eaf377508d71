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
  /** Lists objects of every kind. */
  all(): AnyObject[]
  /** Registers a listener for every `put`. */
  onChange(listener: (object: AnyObject) => void): void
}

/** Creates a store in memory. A replica keeps its earlier states for reads that lag behind. */
export const createStore = (replica?: Pick<Replica, 'track' | 'beforeChange'>): Store => {
  let kinds = new Map<Kind, Map<string, AnyObject>>()
  let kindOf = new Map<string, Kind>()
  const listeners: ((object: AnyObject) => void)[] = []

  const find = <K extends Kind>(kind: K, id: string | null): Objects[K] | undefined =>
    id === null ? undefined : (kinds.get(kind)?.get(id) as Objects[K] | undefined)

  replica?.track(() => {
    const saved = { kinds, kindOf }
    kinds = new Map([...kinds].map(([kind, table]) => [kind, new Map(table)]))
    kindOf = new Map(kindOf)
    return () => {
      kinds = saved.kinds
      kindOf = saved.kindOf
    }
  })

  return {
    put: (object) => {
      replica?.beforeChange()
      const { id, kind } = object
      const table = kinds.get(kind) ?? new Map<string, AnyObject>()
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
    all: () => [...kinds.values()].flatMap((table) => [...table.values()]),
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
