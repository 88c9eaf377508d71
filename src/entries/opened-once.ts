import type { Membership } from '../site/membership.ts'

/** Opens an instance at first use and keeps it. A failed opening is repeated at the next use. */
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
