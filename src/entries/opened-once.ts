import type { Names } from '../core/register.ts'
import type { Membership } from '../site/membership.ts'

/** Opens an instance at first use and keeps it. A failed opening is repeated at the next use. */
export function openedOnce<N extends Names>(
  open: () => Promise<Membership<N>>,
): () => Promise<Membership<N>> {
  let opened: Promise<Membership<N>> | null = null
  return () => {
    opened ??= open().catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
}
