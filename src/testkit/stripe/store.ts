import type { AnyObject, Kind, Objects } from './types.ts'

export type OnChange = (object: AnyObject) => void

/** The objects by kind, oldest first. What is kept is never changed in place, so that whoever holds one may keep it. */
export const createStore = () => {
  const kinds = new Map<string, Map<string, AnyObject>>()
  const kindOf = new Map<string, Kind>()
  const listeners: OnChange[] = []

  const put = <T extends AnyObject>(object: T): T => {
    const kind = object.object
    let table = kinds.get(kind)
    if (table === undefined) {
      table = new Map()
      kinds.set(kind, table)
    }
    table.set(object.id, object)
    kindOf.set(object.id, kind)
    for (const listener of listeners) listener(object)
    return object
  }
  const find = <K extends Kind>(kind: K, id: string | null): Objects[K] | undefined =>
    id === null ? undefined : (kinds.get(kind)?.get(id) as Objects[K] | undefined)

  return {
    put,
    find,
    /** @throws TypeError for an object that must be there. */
    get: <K extends Kind>(kind: K, id: string | null): Objects[K] => {
      const found = find(kind, id)
      if (found === undefined) throw new TypeError(`No ${kind} ${String(id)}`)
      return found
    },
    findAny: (id: string): AnyObject | undefined => {
      const kind = kindOf.get(id)
      return kind === undefined ? undefined : find(kind, id)
    },
    list: <K extends Kind>(kind: K): Objects[K][] => [...(kinds.get(kind)?.values() ?? [])] as Objects[K][],
    onChange: (listener: OnChange): void => {
      listeners.push(listener)
    },
  }
}
export type Store = ReturnType<typeof createStore>
