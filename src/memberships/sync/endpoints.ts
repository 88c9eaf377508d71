import { MembershipError } from '../../core/errors.ts'
import { paced } from '../../core/jobs/pacing.ts'
import type { Rounds } from '../../core/jobs/rounds.ts'
import { isUrl } from '../../core/url.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { type Changes, offers } from '../subscriptions/index.ts'
import { providerAt } from '../verification/index.ts'
import { type Budget, shares } from './budget.ts'
import type { Place } from './compare-places.ts'

type ProviderEndpoint = Awaited<ReturnType<NonNullable<ProviderReader['endpoints']>>>[number]
type CalledAddress = Awaited<ReturnType<NonNullable<ProviderReader['called']>>>[number]

/** A problem with the address that a provider sends webhooks to. */
export interface EndpointTrouble {
  readonly kind: 'endpoint_missing' | 'endpoint_disabled' | 'endpoint_events'
  readonly message: string
  readonly action: string
}

/** Checks hourly whether a provider sends the right webhook events to this site, where its API can tell. */
export function createEndpointChecks(deps: {
  places: readonly Place[]
  rounds: Rounds
  budget: Pick<Budget, 'turn'>
  notice: (place: Place, respect: string, noticed: readonly EndpointTrouble[]) => Promise<void>
  /** The site's public address; null where only the path is known. */
  siteUrl: string | null
  /** The path below which the site stands; empty at the root of its host. */
  base: string
}) {
  const { places, rounds, budget, notice, siteUrl, base } = deps

  const runDue = async (): Promise<void> => {
    for (const place of places.filter(({ provider }) => provider.endpoints ?? provider.called)) {
      const round = await rounds.take<null>(`endpoints ${place.key} ${place.account}`, rhythm)
      if (round === null) continue
      const asked = await paced(
        () => budget.turn(place, shares.byItself),
        // A key without permission to read this says nothing about it. A key without any permission is reported
        // elsewhere.
        () => wrongAt(place, siteUrl ?? base).catch(() => null),
      )
      if (asked !== null) await notice(place, 'endpoint', asked)
      await round.end(null)
    }
  }

  return { runDue }
}

/** The webhook address that a provider is to have, and what that changes there. */
export interface Connection {
  readonly provider: string
  readonly account: string
  readonly address: string
  /** `none`: the provider has the address, with every event that is needed. */
  readonly change: 'create' | 'update' | 'none'
  /** Events that an endpoint of this address does not receive yet. */
  readonly missing: readonly string[]
  /** Other addresses that the provider sends events to. They stay as they are. */
  readonly others: readonly string[]
  /** Those of `others` with the path of version 1, `/membership/webhooks/{provider}`, on this site's host. */
  readonly legacy: readonly string[]
  /** The secret of the endpoint, if this call changed something and the provider shows it; else null. */
  readonly secret: string | null
}

/** What to connect: without `write` nothing is changed. */
export interface ConnectInput {
  readonly provider: string
  readonly account?: string
  readonly write?: boolean
  readonly by: string
}

/**
 * Gives a provider the webhook address of this site. It makes or changes the endpoint of this address alone.
 * @throws ERR_USAGE without an https address, ERR_PROVIDER_UNKNOWN, ERR_PROVIDER_UNSUPPORTED, ERR_PROVIDER_ANSWER
 */
export function createConnect(deps: {
  providers: ReadonlyMap<string, ProviderReader>
  changes: Pick<Changes, 'ask'>
  randomId: () => string
  siteUrl: string | null
}) {
  return async ({ provider: key, account = '', write = false, by }: ConnectInput): Promise<Connection> => {
    const found = providerAt(deps.providers, key, account)
    if (found === undefined)
      throw new MembershipError('ERR_PROVIDER_UNKNOWN', `"${key}" is not configured.`, {
        action: `Configured: ${[...deps.providers.keys()].join(', ') || 'none'}.`,
      })
    const address = addressAt(deps.siteUrl, key)
    if (found.endpoints === undefined || !offers(found, 'connect'))
      throw new MembershipError(
        'ERR_PROVIDER_UNSUPPORTED',
        `The addresses of ${key} are not set from here.`,
        {
          action: `Enter ${address} in the dashboard of ${key}: docs/providers/${key}.md lists the events.`,
        },
      )
    const all = await found.endpoints()
    const own = all.filter(({ url }) => withoutEnd(url) === address)
    const right = own.find(({ isEnabled, missing }) => isEnabled && missing.length === 0)
    const [wrong] = own
    const others = all.filter((endpoint) => !own.includes(endpoint)).map(({ url }) => url)
    const plan: Connection = {
      provider: key,
      account,
      address,
      change: right !== undefined ? 'none' : wrong === undefined ? 'create' : 'update',
      missing: right === undefined ? (wrong?.missing ?? []) : [],
      others,
      legacy: others.filter((url) => isLegacy(url, { key, address })),
      secret: null,
    }
    if (!write || plan.change === 'none') return plan
    const name = `connect:${deps.randomId()}`
    const made = await deps.changes.ask(
      {
        kind: 'connect',
        provider: key,
        account,
        object: address,
        memberId: null,
        name,
        requestedBy: { kind: 'operator', name: by },
        reason: 'the webhook address of this site',
      },
      { url: address, id: wrong?.id ?? null },
    )
    return { ...plan, secret: made.secret }
  }
}

/** True for the address of version 1, which knew no path below which the site stands, and often no https. */
function isLegacy(url: string, { key, address }: { key: string; address: string }): boolean {
  return pathOf(url) === `/membership/webhooks/${key}` && hostOf(url) === hostOf(address)
}

function hostOf(url: string): string {
  return new URL(url).host.replace(/^www\./, '')
}

/** @throws ERR_USAGE where no provider can reach the site */
function addressAt(siteUrl: string | null, key: string): string {
  if (siteUrl?.startsWith('https://')) return `${siteUrl}/membership/webhooks/${key}`
  throw new MembershipError(
    'ERR_USAGE',
    `${key} cannot reach ${siteUrl ?? 'this site: membership.url is not set'}.`,
    {
      action: `Set membership.url to the site’s https address. On your own machine: npx membership webhooks pull --provider ${key} --follow`,
    },
  )
}

async function wrongAt({ key, provider }: Place, site: string): Promise<EndpointTrouble[]> {
  const own = `${site}/membership/webhooks/${key}`
  const isPath = own.startsWith('/')
  const here: Here = {
    key,
    address: isPath ? `https://(your site)${own}` : own,
    isHere: (url) => (isPath ? pathOf(url) : withoutEnd(url)) === own,
  }
  return provider.endpoints
    ? wrongEndpoints(here, await provider.endpoints(), offers(provider, 'connect') && !isPath)
    : wrongCalls(here, (await provider.called?.()) ?? [])
}

/** The address that a provider should send webhooks to. */
interface Here {
  readonly key: string
  readonly address: string
  readonly isHere: (url: string) => boolean
}

function wrongEndpoints(
  { key, address, isHere }: Here,
  endpoints: readonly ProviderEndpoint[],
  canConnect: boolean,
): EndpointTrouble[] {
  const ours = endpoints.filter(({ url }) => isHere(url))
  const enabled = ours.filter(({ isEnabled }) => isEnabled)
  if (ours.length === 0)
    return [
      {
        kind: 'endpoint_missing',
        message: `${key} sends no messages to ${address}.`,
        action: `${canConnect ? `Run: membership webhooks connect ${key} --write. Or enter` : 'Enter'} ${address} as webhook address at ${key}.`,
      },
    ]
  if (enabled.length === 0)
    return [
      {
        kind: 'endpoint_disabled',
        message: `The webhook address of this site is disabled at ${key}.`,
        action: `Enable it at ${key}, and see there what it was answered.`,
      },
    ]
  const missing = enabled.map((item) => item.missing).reduce((a, b) => a.filter((name) => b.includes(name)))
  if (missing.length === 0) return []
  return [
    {
      kind: 'endpoint_events',
      message: `${key} does not send ${missing.join(', ')} to this site.`,
      action: `Choose these at ${key}, for ${address}.`,
    },
  ]
}

function wrongCalls({ key, address, isHere }: Here, called: readonly CalledAddress[]): EndpointTrouble[] {
  const others = called.filter(({ url }) => url === null || !isHere(url))
  if (others.length === 0) return []
  const addresses = [...new Set(others.map(({ url }) => url ?? 'nobody'))]
  const ids = others.map(({ id }) => id)
  return [
    {
      kind: 'endpoint_missing',
      message: `${key} tells ${someOf(addresses)} what becomes of ${someOf(ids)}, and not this site.`,
      action: `Give each of them ${address} at ${key}, see docs/providers/${key}.md. Until then it is found out by comparing.`,
    },
  ]
}

/** The first three, and the number of the rest. */
function someOf(all: readonly string[]): string {
  return `${all.slice(0, 3).join(', ')}${all.length > 3 ? ` and ${all.length - 3} more` : ''}`
}

function withoutEnd(url: string): string {
  return url.replace(/\/+$/, '')
}
function pathOf(url: string): string {
  return isUrl(url) ? withoutEnd(new URL(url).pathname) : ''
}

const hourMs = 3_600_000
const rhythm = { everyMs: hourMs, leaseMs: hourMs / 4, firstMs: 0 }
