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
import { normalChanges, normalMoment } from '../verification/normal.ts'
import { pageAt } from './provider-page.ts'
import { type Intent, intentStatements } from './statements.ts'
import { refused } from './target.ts'

/** The result of an action, as the provider answered; our books follow with its messages at the latest. */
export interface ActionResult {
  readonly subscription: SubscriptionData
  /** The page where the member or the bank agrees: until then nothing has changed. */
  readonly url?: string
}

/** An action in words that make two clicks the same. */
export interface ActionTerms {
  readonly mode: 'change' | 'cancel' | 'resume' | 'pause'
  readonly price_id?: string
  readonly quantity?: number
  readonly request: unknown
}

/** The call that does it, and who asked for it. */
export interface Asked<K extends SubscriptionChangeKind = SubscriptionChangeKind> {
  readonly kind: K
  readonly args: ChangeArgs<K>
  readonly requestedBy?: RequestedBy | undefined
}

/** Steps that are written beside a call. */
export interface Beside {
  readonly before?: readonly Step[]
  readonly after?: readonly Step[]
}

/** Makes a provider's call once. Of one subscription one thing is done at a time. */
export const createSingleAction = (deps: {
  storage: Storage
  ledger: Ledger
  changes: Changes
  now: () => Date
  randomId: () => string
}) => {
  const { storage, ledger, changes, now, randomId } = deps
  const statements = intentStatements(storage)

  /**
   * Whoever clicks twice joins the call that runs, by its intent. Before it is made, a wish
   * to read the object again is kept, so that a call whose answer is lost is found out all the same. The steps `before`
   * are written with that wish, those `after` with what the call brought. Where the member or the bank has yet to agree,
   * nothing of what the answer says is taken in: messages tell when it is done.
   */
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
      ...{ kind, provider, account, object: id, memberId: user.id, requestedBy },
      ...{ name: `${what.mode}:${intent}`, reason: what.mode },
    }
    try {
      return await changes.perform(request, args, async (answer, noted): Promise<ActionResult> => {
        const { payUrl, ...fetched }: Changed = answer
        if (payUrl) {
          const url = pageAt({ key: provider }, payUrl)
          // Agreed to within the hour, or not at all: a lost message must not hide it.
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
      // An answer that never came may be a yes: then the intent stays until it is known, with its key. An answered key
      // would only repeat its answer.
      if (isFinal(error)) await storage.commit([close('failed')])
      throw error
    }
  }

  /** The id of the intent that does this: a new one, or the same that is being done. */
  const claim = async (intent: Intent, input: readonly Step[]): Promise<string> => {
    for (let tries = 0; tries < 3; tries++) {
      const [open] = await storage.all(statements.claimed, { claim: intent.claim ?? '' })
      const isOld = open !== undefined && open.expires_at <= now().toISOString()
      if (open && !isOld) {
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
        await storage.commit([...closed, step(statements.insert, intent, 1), ...input])
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
    id: randomId(),
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
export type Once = ReturnType<typeof createSingleAction>

/** The subscription as the answer shows it; as it was, where it does not. */
const answered = (before: Subscription, { changes, at }: Fetched): SubscriptionData => {
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

// After a provider's slowest answer, tries included.
const fetchDelayMs = 90_000
const openMs = 120_000
const agreeMs = 3_600_000

const withoutSubscription = (key: string, value: unknown): unknown =>
  key === 'subscription' ? undefined : value
