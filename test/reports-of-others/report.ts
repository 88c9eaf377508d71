import type { ExecutionContext } from 'ava'

/** What a report is about, in the order of the table in docs/tested.md. */
export const kinds = ['money', 'access', 'mail', 'provider', 'host', 'index', 'migration'] as const
export type Kind = (typeof kinds)[number]

/** A fault that people who do this job met elsewhere, played here. */
export interface Report {
  /** The public thread. */
  readonly link: `https://${string}`
  readonly kind: Kind
  /** The provider whose sellers reported it; null where none matters. */
  readonly seller: string | null
  /** A sentence of what has to hold. */
  readonly wanted: string
  /** A sentence of what happened to them instead. */
  readonly why: string
  /** The outcome of its first run, at 6ca7b530. */
  readonly at6ca7: 'held' | 'failed'
  run(t: ExecutionContext): Promise<void>
}

/** The owner and the repository of a thread, or its host. */
export function projectOf({ link }: Pick<Report, 'link'>): string {
  const { host, pathname } = new URL(link)
  return host === 'github.com' ? pathname.split('/').slice(1, 3).join('/') : host
}

/** A wish that this package declines on purpose, and where its docs say so. */
export interface Declined {
  readonly link: `https://${string}`
  readonly wanted: string
  readonly because: string
  /** A page of docs/, with the heading. */
  readonly docs: string
}
