import type { Subscription, SubscriptionData } from '../../core/dto/index.ts'
import { type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import type { Changed, Fetched } from '../../providers/contract.ts'
import type { Ledger } from '../ledger/index.ts'
import type { User } from '../members/index.ts'
import {
  type ChangeArgs,
  type Changes,
  isFinal,
  type RequestedBy,
  type SubscriptionChangeKind,
} from '../subscriptions/index.ts'
import { normalChanges, normalMoment } from '../verification/index.ts'
import { createBeginning } from './beginning.ts'
import { pageAt } from './provider-page.ts'
import { type Intent, intentStatements } from './statements.ts'
import { refused } from './target.ts'

/** The result of an action, as the provider answered. Our state follows with its events at the latest. */
export interface ActionResult {
  readonly subscription: SubscriptionData
  /** The page where the member or the bank confirms. Nothing has changed until then. */
  readonly url?: string
}

/** The terms of an action. Two clicks with equal terms are the same action. */
export interface ActionTerms {
  readonly mode: 'change' | 'cancel' | 'resume' | 'pause' | 'discount'
  readonly price_id?: string
  readonly quantity?: number
  readonly request: unknown
  /** Why the provider is asked, for the log. Default: the mode. */
  readonly reason?: string
  /** Names the action. A repetition under this name is the same call, whenever and in which process it is made. */
  readonly key?: string
}

/** The call that performs the action, and who asked for it. */
export interface Asked<K extends SubscriptionChangeKind = SubscriptionChangeKind> {
  readonly kind: K
  readonly args: ChangeArgs<K>
  readonly requestedBy?: RequestedBy | undefined
}

/** Steps that are written before and after a call. */
export interface Beside {
  readonly before?: readonly Step[]
  readonly after?: readonly Step[]
}

export interface Once {
  /**
   * Performs an action. A second click joins the running call through its intent. Before the call, a fetch of the
   * object is queued, so that a lost answer is discovered. The steps `before` are written with that fetch, those
   * `after` with the call's result. Where the member or the bank still has to confirm, the answer is not written;
   * events report when it is done.
   */
  perform<K extends SubscriptionChangeKind>(
    user: User,
    subscription: Subscription,
    what: ActionTerms,
    input: Asked<K>,
    beside?: Beside,
  ): Promise<ActionResult>
}

/** Makes a provider call once. A subscription has one action at a time. */
export function createSingleAction(deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  now: () => Date
  randomId: () => string
}): Once {
  const { storage, ledger, changes, now, randomId } = deps
  const statements = intentStatements(storage)
  const begin = createBeginning(storage)

  const perform = async <K extends SubscriptionChangeKind>(
    user: User,
    subscription: Subscription,
    what: ActionTerms,
    { kind, args, requestedBy = { kind: 'member' } }: Asked<K>,
    { before = [], after = [] }: Beside = {},
  ): Promise<ActionResult> => {
    const { provider, account, id } = subscription
    const queued = later(fetchDelayMs)
    const intent = await claim(toIntent(user, subscription, what), [
      ...ledger.requestFetch({ provider, account }, { kind: 'subscription', id }, queued),
      ...before,
    ])
    const close = (status: string) =>
      step(statements.closed, { id: intent, status, settled_at: now().toISOString() })
    const request = {
      kind,
      provider,
      account,
      object: id,
      memberId: user.id,
      requestedBy,
      name: `${what.mode}:${intent}`,
      reason: what.reason ?? what.mode,
    }
    try {
      return await changes.perform(request, args, async (answer, noted): Promise<ActionResult> => {
        const { payUrl, ...fetched }: Changed = answer
        if (payUrl) {
          const url = pageAt({ key: provider }, payUrl)
          // It is confirmed within the hour or not at all. A fetch then makes sure that a lost event does not hide it.
          const seen = ledger.requestFetch(
            { provider, account },
            { kind: 'subscription', id },
            later(agreeMs),
          )
          await storage.commit([close('complete'), ...seen, ...noted])
          return { subscription, url }
        }
        const origin = { provider, account, id: `fetch:${request.name}`, source: 'fetch' as const }
        const steps = [close('complete'), ...after, ...noted]
        await ledger.apply(fetched.changes, { ...origin, at: fetched.at }, steps)
        return { subscription: answered(subscription, fetched) }
      })
    } catch (error) {
      // A lost answer may mean success, so the intent keeps its key until the outcome is known. A final answer closes
      // it, because the same key would only repeat that answer.
      if (isFinal(error)) await storage.commit([close('failed')])
      throw error
    }
  }

  /** Returns the id of the intent for this action: a new one, or the one that is running. */
  const claim = async (intent: Intent, input: readonly Step[]): Promise<string> => {
    for (let tries = 0; tries < 3; tries++) {
      const [open] = await storage.all(statements.claimed, { claim: intent.claim ?? '' })
      const isOld = open !== undefined && open.expires_at <= now().toISOString()
      if (open && (!isOld || open.id === intent.id)) {
        if (open.request === intent.request) return open.id
        throw refused(
          'busy',
          'Something else is being done to this membership right now.',
          'Try again in a minute.',
        )
      }
      const closed = isOld
        ? [step(statements.closed, { id: open.id, status: 'expired', settled_at: now().toISOString() })]
        : []
      try {
        await storage.commit([...closed, ...begin(intent), ...input])
        return intent.id
      } catch (error) {
        if (!(error instanceof UnitConflict)) throw error
      }
    }
    throw refused(
      'busy',
      'Something else is being done to this membership right now.',
      'Try again in a minute.',
    )
  }

  const later = (ms: number) => new Date(now().getTime() + ms).toISOString()

  const toIntent = (user: User, subscription: Subscription, what: ActionTerms): Intent => ({
    id: what.key ?? randomId(),
    provider: subscription.provider,
    account: subscription.account,
    mode: what.mode,
    plan: '',
    price_id: what.price_id ?? subscription.price_id ?? '',
    quantity: what.quantity ?? subscription.quantity ?? 1,
    member_id: user.id,
    checkout_id: null,
    checkout_url: null,
    redirect: '/',
    browser: null,
    status: 'open',
    created_at: now().toISOString(),
    expires_at: later(openMs),
    settled_at: null,
    claim: JSON.stringify(['subscription', subscription.provider, subscription.id]),
    request: JSON.stringify([what.mode, what.request], withoutSubscription),
    language: null,
    consent: null,
  })

  return { perform }
}

/** The subscription in the provider's answer, else as it was before. */
function answered(before: Subscription, { changes, at }: Fetched): SubscriptionData {
  const { provider, account, id, livemode, past_due_since } = before
  const own = normalChanges(changes, livemode).find((c) => c.type === 'subscription' && c.id === id)
  if (own?.type !== 'subscription') return before
  return {
    livemode,
    ...own.data,
    provider,
    account,
    updated_at: normalMoment(at) ?? at,
    past_due_since: own.data.status === 'past_due' ? past_due_since : null,
  }
}

// Longer than a provider's slowest answer, retries included.
const fetchDelayMs = 90_000
const openMs = 120_000
const agreeMs = 3_600_000

function withoutSubscription(key: string, value: unknown): unknown {
  return key === 'subscription' ? undefined : value
}
