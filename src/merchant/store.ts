export interface Store<Objects> {
  put<T extends Objects[keyof Objects]>(object: T): T
  find<K extends keyof Objects>(kind: K, id: string | null): Objects[K] | undefined
  /** @throws TypeError for an object that must be there. */
  get<K extends keyof Objects>(kind: K, id: string | null): Objects[K]
  findAny(id: string): Objects[keyof Objects] | undefined
  list<K extends keyof Objects>(kind: K): Objects[K][]
  /** Called after every `put`. */
  onChange(listener: (object: Objects[keyof Objects]) => void): void
}

/** The objects by kind, oldest first. What is kept is never changed in place, so that whoever holds one may keep it. */
export const createStore = <Objects extends object>(): Store<Objects> => {
  type Kind = keyof Objects
  type AnyObject = Objects[Kind]
  const kinds = new Map<Kind, Map<string, AnyObject>>()
  const kindOf = new Map<string, Kind>()
  const listeners: ((object: AnyObject) => void)[] = []

  const find = <K extends Kind>(kind: K, id: string | null): Objects[K] | undefined =>
    id === null ? undefined : (kinds.get(kind)?.get(id) as Objects[K] | undefined)

  return {
    put: (object) => {
      // Every object says which kind it is of.
      const { id, object: kind } = object as { id: string; object: Kind }
      const table = kinds.get(kind) ?? new Map<string, AnyObject>()
      kinds.set(kind, table.set(id, object))
      kindOf.set(id, kind)
      for (const listener of listeners) listener(object)
      return object
    },
    find,
    get: (kind, id) => {
      const found = find(kind, id)
      if (found === undefined) throw new TypeError(`No ${String(kind)} ${String(id)}`)
      return found
    },
    findAny: (id) => {
      const kind = kindOf.get(id)
      return kind === undefined ? undefined : find(kind, id)
    },
    list: <K extends Kind>(kind: K) => [...(kinds.get(kind)?.values() ?? [])] as Objects[K][],
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
