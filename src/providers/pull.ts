import { MembershipError } from '../core/errors.ts'
import type { Page } from './api.ts'
import type { ApiWords } from './api-errors.ts'
import { patiently, type Wait } from './patience.ts'

/** Past events of a provider, for its `pull`. */
export interface PastEvents<T> {
  readonly words: ApiWords
  /** Reads one page. A failed page is requested again, from the end of the previous one. */
  page(after: string | null): Promise<Pick<Page<T>, 'items' | 'next'>>
  readonly wait?: Wait | undefined
}

/**
 * Yields the events of every page, in the order of the list.
 * @throws ERR_CONFIG for a key that is not accepted, ERR_PROVIDER_ANSWER with `retryAfterSeconds` when the
 *   provider is down or limits requests
 */
export async function* pastEvents<T>({ words, page, wait }: PastEvents<T>): AsyncIterable<T> {
  for (let after: string | null = null; ; ) {
    const place: string | null = after
    const read = (): ReturnType<typeof page> => page(place)
    const { items, next } = await patiently(words, 'past events', read, wait)
    yield* items
    if (next === null) return
    after = next
  }
}

/** @throws ERR_USAGE when the provider no longer keeps the events of that time */
export function refuseOlder(since: Date, now: Date, { name }: ApiWords, keptDays: number): void {
  if (now.getTime() - since.getTime() <= keptDays * 86_400_000 + slackMs) return
  throw new MembershipError(
    'ERR_USAGE',
    `${name} keeps events for ${keptDays} days; ${since.toISOString()} is longer ago.`,
    { action: `Ask for less, such as --since ${keptDays}d.` },
  )
}

// `--since 30d` was computed a moment ago.
const slackMs = 60_000
