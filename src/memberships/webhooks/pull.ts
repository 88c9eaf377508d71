import { MembershipError } from '../../core/errors.ts'
import { type Moment, toDate } from '../../core/moment.ts'
import type { ProviderKey } from '../../core/register.ts'
import type { Storage } from '../../core/storage/index.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderEvent } from '../../providers/contract.ts'
import { normalMoment } from '../verification/index.ts'
import type { Inbox, Outcome } from './inbox.ts'
import { inboxStatements, type StoredEvent } from './statements.ts'

/** One past event and its outcome. `unreadable`: the provider's own `read` did not understand it. */
export interface PulledEvent {
  readonly event_id: string | null
  readonly type: string | null
  /** ISO 8601 UTC. */
  readonly occurred_at: string | null
  readonly outcome: Outcome | 'unreadable'
}

/** Selects the account that is asked for past events, and the handling of known ones. */
export interface PullOptions {
  /** The label of the account that is asked; unknown events are stored under it. Default: the account of API calls. */
  readonly account?: string
  /** True retries failed events at once; false leaves them to their own schedule. */
  readonly retryFailed?: boolean
  /** Stops taking in events when aborted. */
  readonly finish?: AbortSignal
}

/** Reads past events from the provider's API and takes them in like deliveries. */
export type Pull = (
  key: ProviderKey,
  since: Moment,
  options?: PullOptions,
) => AsyncGenerator<PulledEvent, void>

// The number of events that share a commit.
const together = 25

/**
 * Recovers after an outage: reads what a provider sent since then. Each event counts once, whether it was delivered,
 * pulled or both, and under any label.
 * @throws ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_USAGE for a label that is not configured, and what the
 * provider's `pull` throws
 */
export function createPull({ storage, inbox }: { storage: Storage; inbox: Inbox }): Pull {
  const statements = inboxStatements(storage)

  return async function* pull(key, since, options = {}) {
    const configured = inbox.find(key)
    const account = accountOf(key, configured, options.account)
    const source = pullOf(key, configured, account)
    const accounts = await accountsOf(key, account)

    const takeIn = async (event: ProviderEvent, place: number, body: Buffer): Promise<PulledEvent> => {
      const known = await findKnown(key, accounts, event.id)
      const outcome = known
        ? await meetAgain(known, options.retryFailed !== false)
        : await inbox.takeIn({ key, account, event, place, delivery: { body, headers: {} } })
      return { event_id: event.id, type: event.type, occurred_at: normalMoment(event.occurred_at), outcome }
    }
    const takeInAll = async (bodies: readonly Buffer[]): Promise<PulledEvent[]> =>
      (
        await Promise.all(
          bodies.map(async (body) => {
            const events = readOf(configured, body)
            return events === null
              ? [unreadable]
              : Promise.all(events.map((event, place) => takeIn(event, place, body)))
          }),
        )
      ).flat()

    const waiting: Buffer[] = []
    for await (const body of source(toDate(since, 'since'))) {
      if (options.finish?.aborted) return
      if (waiting.push(body) >= together) yield* await takeInAll(waiting.splice(0))
    }
    yield* await takeInAll(waiting)
  }

  /** Takes a known event in again. A failed one is retried under its own label; any other is a duplicate. */
  async function meetAgain(known: StoredEvent, isRetried: boolean): Promise<Outcome> {
    const isFailed = known.status === 'failed' || known.status === 'dead'
    // Without its body it names a deleted member.
    if (!isFailed || !isRetried || known.body === null) return 'duplicate'
    return (await inbox.replay(String(known.seq))) ? 'processed' : 'kept'
  }

  /** Lists every label under which this provider's events were stored, including labels no longer configured. */
  async function accountsOf(provider: string, first: string): Promise<string[]> {
    const accounts = new Set([first, ''])
    for (let after = ''; ; ) {
      const [next] = await storage.all(statements.accountAfter, { provider, after })
      if (!next) return [...accounts]
      accounts.add(next.account)
      after = next.account
    }
  }

  async function findKnown(
    provider: string,
    accounts: readonly string[],
    event_id: string | null,
  ): Promise<StoredEvent | null> {
    if (event_id === null) return null
    for (const account of accounts) {
      const [known] = await storage.all(statements.byKey, { provider, account, event_id })
      if (known) return known
    }
    return null
  }
}

function pullOf(key: string, configured: ConfiguredProvider, account: string) {
  const provider = configured.provider.accounts?.get(account) ?? configured.provider
  if (provider.pull) return provider.pull.bind(provider)
  throw provider.fetch
    ? new MembershipError('ERR_PROVIDER_UNSUPPORTED', `${key} does not give past events.`, {
        action: `Send the lost events again from the dashboard of ${key}.`,
      })
    : new MembershipError('ERR_PROVIDER_UNSUPPORTED', `${key} cannot be asked: it has no API key here.`, {
        action: `Set the API key of ${key} below membership.providers.${key}, usually as "secret".`,
      })
}

function accountOf(
  key: string,
  { provider, secrets }: ConfiguredProvider,
  wanted: string | undefined,
): string {
  const labels = [...new Set(secrets.map(({ label }) => label))]
  if (wanted === undefined) return provider.account ?? labels[0] ?? ''
  if (labels.includes(wanted)) return wanted
  throw new MembershipError('ERR_USAGE', `No secret of membership.providers.${key}.webhook has that label.`, {
    action: `Give one of: ${labels.map((label) => label || '(no label)').join(', ') || 'none is configured'}.`,
  })
}

function readOf({ provider }: ConfiguredProvider, body: Buffer): ProviderEvent[] | null {
  try {
    return provider.read({ body, headers: {} })
  } catch {
    return null
  }
}

const unreadable: PulledEvent = { event_id: null, type: null, occurred_at: null, outcome: 'unreadable' }
