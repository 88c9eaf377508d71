import type { Membership } from '../site/membership.ts'

/** Opens an instance when it is first asked for, and no second one; an opening that failed is tried again. */
export const openedOnce = (open: () => Promise<Membership>): (() => Promise<Membership>) => {
  let opened: Promise<Membership> | null = null
  return () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
}
