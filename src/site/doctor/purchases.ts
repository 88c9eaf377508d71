import { isKnownGate, restAfterEnd } from '../../core/access/index.ts'
import { boughtOnce, type Config } from '../../core/config/index.ts'
import {
  beingAssignedMs,
  type PaymentData,
  type SubscriptionData,
  toPayment,
  toSubscription,
} from '../../core/dto/index.ts'
import { createTokens, fingerprint } from '../../core/http/tokens.ts'
import { createCodes } from '../../memberships/gifts/index.ts'
import { askedLately, type UnnamedGate } from '../../memberships/members/index.ts'
import { createSealing } from '../../office/second-factor.ts'
import { type Check, counted, found, ok, some } from './check.ts'
import { checkCustomers } from './customers.ts'
import { doctorQueries, type Readable } from './statements.ts'
import { checkTwice } from './twice.ts'

const hourMs = 3_600_000
// A smaller number of abandoned checkouts is not significant.
const enoughCheckouts = 5

/** Checks for purchases that contradict each other. */
export async function checkPurchases(
  storage: Readable,
  { config, now, cancelsEarly }: { config: Config; now: Date; cancelsEarly: readonly string[] },
): Promise<Check[]> {
  return [
    await contested(storage),
    await unpriced(storage),
    ...(await unnamedGates(storage, { config, now })),
    await unassigned(storage, { config, now }),
    await cut(storage),
    await waiting(storage),
    await checkTwice(storage, config),
    await checkCustomers(storage),
    ...(await oldSecrets(storage, config.secret)),
    ...(cancelsEarly.length === 0 ? [] : [await cutShort(storage, cancelsEarly, now)]),
    ...(await checkouts(storage, now)),
    await fetches(storage),
  ]
}

/**
 * Names whatever still needs an earlier secret, before somebody takes it out of the list. A gift that no configured secret
 * can read has lost its code.
 */
async function oldSecrets(storage: Readable, secrets: readonly string[] | null): Promise<Check[]> {
  const newest = secrets?.[0]
  if (secrets === null || newest === undefined) return []
  const gifts = (await doctorQueries.unredeemedGifts(storage)).map(({ id, code_hash }) => ({
    isNew: createCodes(() => [newest]).codeOf(id, code_hash!) !== null,
    isKnown: createCodes(() => secrets).codeOf(id, code_hash!) !== null,
  }))
  const lost = gifts.filter(({ isKnown }) => !isKnown).length
  const tokens = createTokens([newest], () => new Date())
  const counts = [
    { noun: 'gift code', count: gifts.filter(({ isNew, isKnown }) => isKnown && !isNew).length },
    {
      noun: 'second factor',
      count: (await doctorQueries.sealedFactors(storage)).filter(
        ({ secret }) => createSealing(() => [newest]).open(secret!) === null,
      ).length,
    },
    {
      noun: 'feed address',
      count: (await doctorQueries.feedSeeds(storage)).filter(
        ({ seed, token_hash }) => !tokens.feedTokens(seed).some((token) => fingerprint(token) === token_hash),
      ).length,
    },
  ].filter(({ count }) => count > 0)
  const hasMarks = secrets.length > 1 && (await doctorQueries.trialMarks(storage)).length > 0
  const needs = [
    ...counts.map(({ noun, count }) =>
      count === 1 ? `1 ${noun}` : `${count} ${noun}${noun.endsWith('s') ? 'es' : 's'}`,
    ),
    ...(hasMarks ? ['the marks of earlier trials, for 24 months'] : []),
  ]
  return [
    ...(lost === 0
      ? []
      : [
          found(
            'problem',
            'gift-codes',
            `The codes of ${counted(lost, 'gift')} cannot be read with any configured secret, so no mail can leave.`,
            'Name the earlier secret after the newest one in membership.secret.',
          ),
        ]),
    needs.length === 0
      ? ok('old-secrets', 'Nothing needs an earlier secret.')
      : found(
          'warning',
          'old-secrets',
          `An earlier secret is still needed by ${needs.join(', ')}.`,
          'Keep the earlier secrets in membership.secret until these are over.',
        ),
  ]
}

async function contested(storage: Readable): Promise<Check> {
  const facts = [
    ...(await doctorQueries.contestedSubscriptions(storage)).map((contestedSubscription) => ({
      ...contestedSubscription,
      kind: 'subscription',
    })),
    ...(await doctorQueries.contestedFacts(storage)),
  ]
  const [first] = facts
  return first === undefined
    ? ok('contested', 'No two events contradict each other.')
    : found(
        'warning',
        'contested',
        `${counted(facts.length, 'object')} with events of the same second that disagree: ${some(facts.map(({ kind, id }) => `${kind} ${id}`))}.`,
        `With the API key of ${first.provider} they are asked for by themselves; without one, compare them with ${first.provider}'s dashboard.`,
      )
}

async function unpriced(storage: Readable): Promise<Check> {
  const payments = await doctorQueries.unpricedPayments(storage)
  const [first] = payments
  return first === undefined
    ? ok('unpriced', 'Every payment has its price.')
    : found(
        'warning',
        'unpriced',
        `For ${counted(payments.length, 'payment')} nobody knows what was bought, so nothing is open for it: ${some(payments.map(({ id }) => id))}.`,
        `Give each buyer access by hand, and begin checkouts on this site, or set metadata.price_id where they begin at ${first.provider}.`,
      )
}

/** Gates of prices that nothing names: they are closed for people who bought them from another shop of the account. */
async function unnamedGates(
  storage: Readable,
  { config, now }: { config: Config; now: Date },
): Promise<Check[]> {
  const plans = Object.values(config.providers).flatMap((provider) => Object.values(provider.plans))
  const noted = (await doctorQueries.unnamedGates(storage)).flatMap(
    ({ value }) => JSON.parse(value) as UnnamedGate[],
  )
  const gates = askedLately(noted, now).filter(
    (gate) => !isKnownGate(gate, plans) && !Object.hasOwn(config.features, gate),
  )
  if (gates.length === 0) return []
  return [
    found(
      'warning',
      'unnamed-gates',
      `Pages ask for ${counted(gates.length, 'gate')} that no plan, feature or price names, so only a grant opens ${gates.length === 1 ? 'it' : 'them'}: ${some(gates)}.`,
      'Name each price in its plan, or correct the page. How many subscriptions of the account have such a price: membership compare',
    ),
  ]
}

async function unassigned(storage: Readable, { config, now }: { config: Config; now: Date }): Promise<Check> {
  const before = new Date(now.getTime() - beingAssignedMs).toISOString()
  const payments = await doctorQueries.unassignedPayments(storage, {
    before,
    settled: boughtOnce(config.providers),
  })
  const [first] = payments
  return first === undefined
    ? ok('unassigned', 'The purpose of every payment is known.')
    : found(
        'problem',
        'unassigned',
        `${counted(payments.length, 'payment')} of which nobody says whether a membership or something bought once was paid, so nothing is open for ${payments.length === 1 ? 'it' : 'them'}: ${some(payments.map(({ id }) => id))}.`,
        `Look at it in ${first.provider}'s dashboard, then: membership payments assign ${first.id} --as one-time, or --as subscription:ID`,
      )
}

async function cut(storage: Readable): Promise<Check> {
  const subscriptions = await doctorQueries.cutSubscriptions(storage)
  const [first] = subscriptions
  return first === undefined
    ? ok('items', 'All items of every subscription are known.')
    : found(
        'warning',
        'items',
        `${counted(subscriptions.length, 'subscription')} of which only the first items are known, so the gates of the others stay closed: ${some(subscriptions.map(({ id }) => id))}.`,
        `Messages of ${first.provider} show the first ten only. With its API key the others are asked for by themselves: set membership.providers.${first.provider}.secret.`,
      )
}

// The provider ended a paid period early and kept the money: access stays until the period's end.
async function cutShort(storage: Readable, providers: readonly string[], now: Date): Promise<Check> {
  const moment = now.toISOString()
  const open: { readonly provider: string; readonly id: string; readonly until: string }[] = []
  for (const row of await doctorQueries.canceledThere(storage, providers)) {
    const subscription = toSubscription(JSON.parse(row.data) as SubscriptionData)
    if ((subscription.current_period_end ?? '') <= moment) continue
    const payments = await doctorQueries.paymentsOf(storage, row)
    const until = restAfterEnd(
      subscription,
      payments.map(({ data }) => toPayment(JSON.parse(data) as PaymentData)),
      { pastDueSeconds: 0, openUntilPaid: new Set(providers) },
    )
    if (until !== null) open.push({ provider: row.provider, id: row.id, until })
  }
  const [first] = open
  return first === undefined
    ? ok('cut-short', 'No subscription was ended in the middle of what is paid.')
    : found(
        'warning',
        'cut-short',
        `${first.provider} ended ${counted(open.length, 'subscription')} with days left and gave nothing back; access stays until the end of what is paid: ${some(open.map(({ id, until }) => `${id} until ${until.slice(0, 10)}`))}.`,
        `See in ${first.provider}'s dashboard who ended it. Refund the payment there, and access closes.`,
      )
}

async function waiting(storage: Readable): Promise<Check> {
  const customers = await doctorQueries.waitingCustomers(storage)
  return customers.length === 0
    ? ok('ownerless', 'Every purchase has a member.')
    : found(
        'warning',
        'ownerless',
        `${counted(customers.length, 'purchase')} wait${customers.length === 1 ? 's' : ''} for an owner: ${some(customers.map(({ customer_id }) => customer_id))}.`,
        'Each is joined when its buyer proves the e-mail address of the purchase; ask them to log in with it.',
      )
}

async function checkouts(storage: Readable, now: Date): Promise<Check[]> {
  const since = new Date(now.getTime() - 7 * 24 * hourMs).toISOString()
  const before = new Date(now.getTime() - hourMs).toISOString()
  const lately = await doctorQueries.intentsSince(storage, since)
  const begun = lately.filter(({ created_at }) => created_at < before)
  const open = begun.filter(({ status }) => status === 'open')
  const stranded = open.filter(({ checkout_id }) => checkout_id === null)
  const all = `Of ${counted(begun.length, 'checkout')} of the last 7 days, ${open.length} had no result within an hour`
  return [
    begun.length >= enoughCheckouts && open.length === begun.length
      ? found(
          'problem',
          'checkouts-open',
          `${all}: webhooks seem not to arrive.`,
          `See at ${open[0]!.provider} what its webhooks are answered, then: membership webhooks pull --provider ${open[0]!.provider}`,
        )
      : ok(
          'checkouts-open',
          lately.length === 0
            ? 'No checkout was started in the last 7 days.'
            : begun.length === 0
              ? `${counted(lately.length, 'checkout')} of the last 7 days began within the last hour, too early to judge by.`
              : `${all}; some buyers turn back.`,
        ),
    ...(stranded.length > 0
      ? [
          found(
            'warning',
            'checkouts-stranded',
            `${counted(stranded.length, 'checkout')} never reached ${stranded[0]!.provider}.`,
            'Look at the site’s log for ERR_PROVIDER_ANSWER; buyers saw an error.',
          ),
        ]
      : []),
  ]
}

async function fetches(storage: Readable): Promise<Check> {
  const failing = await doctorQueries.failingFetches(storage)
  const [first] = failing
  return first === undefined
    ? ok('fetches', 'Nothing that providers are asked for keeps failing.')
    : found(
        'warning',
        'fetches',
        `${counted(failing.length, 'object')} could not be asked for, again and again: ${some(failing.map(({ kind, id }) => `${kind} ${id}`))}; ${first.error}.`,
        `Check the API key and its permissions at ${first.provider}; it is tried again by itself.`,
      )
}
