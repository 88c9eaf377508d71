import type { Log } from '../../core/log.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { Membership } from '../membership-api.ts'

/** Calls that were renamed before 2.0. They go on working through 2.x. */
export type FormerNames = Pick<Membership, 'use' | 'release' | 'reserve' | 'groups' | 'prices'>

/** Adds the former names of an instance's calls. The first use of each is logged with the new name. */
export function withFormerNames(m: Omit<Membership, keyof FormerNames>, log: Log): Membership {
  const former = {
    use: ['limits.use', m.limits.use],
    release: ['limits.release', m.limits.release],
    reserve: ['limits.reserve', m.limits.reserve],
    groups: ['teams', m.teams],
    prices: ['raises', m.raises],
  } as const satisfies Record<keyof FormerNames, readonly [name: string, value: unknown]>
  for (const [name, [now, value]] of Object.entries(former)) {
    let isLogged = false
    Object.defineProperty(m, name, {
      get: () => {
        if (!isLogged) log(`m.${name} is called m.${now} now. The former name works through 2.x.`)
        isLogged = true
        return value
      },
    })
  }
  storages.set(m, m.storage)
  Object.defineProperty(m, 'storage', { value: withLoggedRead(m.storage, log) })
  return m as Membership
}

const storages = new WeakMap<object, Storage>()

/** The storage of an instance for this package's own commands, which no log line is for. */
export function storageOf(m: Membership): Storage {
  return storages.get(m) ?? m.storage
}

/** The storage as sites of an earlier release candidate read it. The first read is logged. */
function withLoggedRead(storage: Storage, log: Log): Storage {
  let isLogged = false
  const read: Storage['read'] = (build) => {
    if (!isLogged)
      log(
        'm.storage.read is no longer part of the interface, because tables change with any release. m.users, m.payments and outgoing events have the same facts. It works through 2.x.',
      )
    isLogged = true
    return storage.read(build)
  }
  // Everything else is the storage itself, also where somebody replaces a method of it.
  return new Proxy(storage, {
    get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)),
  })
}
