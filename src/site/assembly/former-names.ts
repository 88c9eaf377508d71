import type { Log } from '../../core/log.ts'
import type { Membership } from '../membership-api.ts'

/** Calls that were renamed before 2.0. They go on working through 2.x. */
export type FormerNames = Pick<Membership, 'use' | 'release' | 'reserve' | 'groups' | 'prices'>

/** Adds the former names of an instance's calls. The first use of each is logged with the new name. */
export const withFormerNames = (m: Omit<Membership, keyof FormerNames>, log: Log): Membership => {
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
  return m as Membership
}
