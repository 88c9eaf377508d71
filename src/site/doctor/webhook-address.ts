import { MembershipError } from '../../core/errors.ts'
import { isUrl } from '../../core/url.ts'
import { isPing } from '../../memberships/verification/index.ts'
import { type SiteFacts, shortPrefix } from '../../migrate/index.ts'
import { bareProvider } from '../../providers/bare.ts'
import type { ProviderReader } from '../../providers/contract.ts'
import { loadDefinitions } from '../../providers/registry.ts'
import { type Check, found, ok } from './check.ts'
import type { Secret } from './secret.ts'

interface Clocks {
  readonly now: () => Date
  readonly randomId: () => string
  readonly timeoutSeconds?: number
}

/**
 * Posts two events to the webhook address. The unsigned one must be refused. The signed one has an unknown
 * type; it must be accepted and changes nothing.
 * @throws ERR_USAGE for an address that cannot be
 */
export async function checkAddress(
  url: string,
  facts: SiteFacts,
  secret: Secret,
  clocks: Clocks,
): Promise<Check[]> {
  const address = addressOf(url, facts)
  const body = Buffer.from(
    JSON.stringify({
      id: `evt_membership_doctor_${clocks.randomId()}`,
      object: 'event',
      type: 'membership.doctor.ping',
      created: Math.floor(clocks.now().getTime() / 1000),
      data: { object: {} },
    }),
  )
  const unsigned = await post(address, body, {}, clocks)
  if (typeof unsigned === 'string')
    return [
      found(
        'problem',
        'webhook-address',
        `${address} cannot be reached: ${unsigned}.`,
        'Check the address, DNS, the certificate and the firewall.',
      ),
    ]
  const [definition] = await loadDefinitions([facts.provider])
  const provider = definition === undefined ? null : bareProvider(definition)
  const first = judgeUnsigned(unsigned, address)
  if (first.status === 'problem' && first.name === 'webhook-address') return [first]
  if (provider !== null && isPing(provider, { headers: {} }))
    return [
      ok(
        'webhook-address',
        `Pings of ${facts.provider} arrive at ${address}; they prove nothing, and are asked about.`,
      ),
    ]
  return [first, await checkSigned({ address, body, provider, facts, secret, clocks })]
}

function judgeUnsigned(status: number, address: string): Check {
  if (status >= 200 && status < 300)
    return found(
      'problem',
      'webhook-unsigned',
      'An event without a signature is taken: anybody could say that they have paid.',
      'Set the webhook’s secret, and make sure that version 2 answers at this address.',
    )
  if (status === 401 || status === 403)
    return ok('webhook-unsigned', `An event without a signature is refused (${status}).`)
  if (status >= 300 && status < 400)
    return found(
      'problem',
      'webhook-address',
      `${address} redirects (${status}); providers do not follow that.`,
      'Give the provider, and this command, the address that it redirects to.',
    )
  if (status === 404 || status === 405)
    return found(
      'problem',
      'webhook-address',
      `Nothing takes webhooks at ${address} (${status}).`,
      'Mount the webhook routes there, or correct --url and --provider.',
    )
  return found(
    'warning',
    'webhook-unsigned',
    `An event without a signature is answered with ${status} in place of 403.`,
    hintOf(status),
  )
}

async function checkSigned({
  address,
  body,
  provider,
  facts,
  secret,
  clocks,
}: {
  address: string
  body: Buffer
  provider: ProviderReader | null
  facts: SiteFacts
  secret: Secret
  clocks: Clocks
}): Promise<Check> {
  if (provider === null)
    return found(
      'skipped',
      'webhook-signed',
      `The signature of ${facts.provider} is not known here.`,
      'Let the provider send a test event from its dashboard.',
    )
  if (!provider.sign)
    return found(
      'skipped',
      'webhook-signed',
      `Only ${facts.provider} itself can make an event that verifies.`,
      'Let the provider send a test event from its dashboard.',
    )
  if ('missing' in secret)
    return found('skipped', 'webhook-signed', 'No signed event was sent.', secret.missing)
  const status = await post(address, body, provider.sign(body, secret.value, clocks.now()), clocks)
  return judgeSigned(status, { provider, body, facts })
}

function judgeSigned(
  status: number | string,
  { provider, body, facts }: { provider: ProviderReader; body: Buffer; facts: SiteFacts },
): Check {
  if (typeof status === 'string')
    return found(
      'problem',
      'webhook-signed',
      `The signed event got no answer: ${status}.`,
      'Try again; look at the site’s log.',
    )
  if (status >= 200 && status < 300)
    return ok('webhook-signed', `A signed event of an unknown type is taken (${status}).`)
  // This provider's events look different. The answer 400 shows that the signature was accepted and the body
  // was read.
  if (status === 400 && !isMessage(provider, body))
    return ok('webhook-signed', 'A signed delivery is believed, and seen to hold no message (400).')
  if (status === 401 || status === 403)
    return found(
      'problem',
      'webhook-signed',
      'A signed event is refused: the running site has another secret, its clock is wrong, or something changes the body on its way.',
      `Compare ${facts.prefix}.providers.${facts.provider}.webhook of the running site with the endpoint’s secret at the provider.`,
    )
  return found('problem', 'webhook-signed', `A signed event is answered with ${status}.`, hintOf(status))
}

function isMessage(provider: ProviderReader, body: Buffer): boolean {
  try {
    return provider.read({ body, headers: {} }).length > 0
  } catch {
    return false
  }
}

function hintOf(status: number): string {
  if (status === 429) return 'Wait a minute and try again; correctly signed events are not limited.'
  if (status === 503)
    return 'Look at the site’s log: a body parser may read the request first (ERR_BODY_CONSUMED), or the database is away.'
  return 'Look at the site’s log.'
}

/** Returns the status of the answer, or why there was none. Redirects are not followed. */
async function post(
  address: string,
  body: Buffer,
  headers: Record<string, string>,
  { timeoutSeconds = 10 }: Clocks,
): Promise<number | string> {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      redirect: 'manual',
      body: new Uint8Array(body),
      headers: { 'content-type': 'application/json', 'user-agent': 'membership-doctor', ...headers },
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    })
    await answer.body?.cancel()
    return answer.status
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause
    if ((error as Error).name === 'TimeoutError') return `no answer within ${timeoutSeconds} seconds`
    return cause?.code ?? cause?.message ?? (error as Error).message
  }
}

function addressOf(url: string, facts: SiteFacts): string {
  const parsed = isUrl(url) ? new URL(url) : null
  const isLocal = parsed !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(parsed.hostname)
  if (parsed === null || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLocal)))
    throw new MembershipError('ERR_USAGE', `"${url}" is no address of a site.`, {
      action: 'Give it as https://example.com; plain http is for this machine only.',
    })
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}/${shortPrefix(facts)}/webhooks/${facts.provider}`
}
