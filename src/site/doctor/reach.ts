import { setTimeout as sleep } from 'node:timers/promises'
import { failureOf } from '../../providers/api-errors.ts'
import type { ConfiguredProvider } from '../../providers/configured.ts'
import type { ProviderReader, Ref } from '../../providers/contract.ts'
import { obj } from '../../providers/narrow.ts'
import { type Check, found, ok } from './check.ts'
import { duration } from './events.ts'
import { findKnown } from './known-statements.ts'
import type { Readable } from './statements.ts'

const answerSeconds = 15
// Beyond this difference, signatures are refused.
const toleranceMs = 300_000
const noticeableMs = 30_000

/**
 * Asks each provider for one object from the database, once with every API key. It checks that the provider
 * answers, accepts the key, knows the object, and has the same time.
 */
export async function checkReach(input: {
  providers: ReadonlyMap<string, ConfiguredProvider>
  storage: Readable | null
  now: () => Date
}): Promise<Check[]> {
  const keys = [...input.providers].flatMap(([key, { provider }]): Asked[] =>
    provider.accounts && provider.accounts.size > 1
      ? [...provider.accounts].map(([account, item]) => ({
          name: `${key} (${account})`,
          account,
          provider: item,
        }))
      : [{ name: key, account: null, provider }],
  )
  return (await Promise.all(keys.map((knownKey) => ask(knownKey, input)))).flat()
}

/** One API key: the provider's, or that of one of its accounts. */
interface Asked {
  readonly name: string
  readonly account: string | null
  readonly provider: ProviderReader
}

async function ask(
  { name: key, account, provider }: Asked,
  { storage, now }: { storage: Readable | null; now: () => Date },
): Promise<Check[]> {
  if (!provider.fetch)
    return [
      found(
        'warning',
        'api-key',
        `${key} has no API key: it is listened to and never asked, so that what its messages leave open stays open.`,
        `Set the API key of ${key} below membership.providers.${provider.key}, usually as "secret".`,
      ),
    ]
  const known = storage === null ? null : await findKnown(storage, provider.key, account)
  try {
    // "Not found" is as good an answer, but carries no time.
    const answer = await inTime(provider.fetch(known ?? { kind: 'customer', id: 'membership_doctor' }))
    return [
      accepted({ key, provider: provider.key, known, isKnown: answer !== null }),
      ...(answer === null ? [] : [clock(key, Date.parse(answer.at) + 1000 - now().getTime())]),
    ]
  } catch (error) {
    return [refused({ key, provider: provider.key, kind: known?.kind ?? 'customer' }, error)]
  }
}

function accepted(asked: { key: string; provider: string; known: Ref | null; isKnown: boolean }): Check {
  const { key, provider, known, isKnown } = asked
  if (known === null) return ok('api-key', `${key} answers and accepts the API key.`)
  const what = `${known.kind} ${known.id}`
  if (isKnown) return ok('api-key', `${key} answers, accepts the API key, and knows ${what}.`)
  // The customer may have been deleted there, and some providers have no customers.
  if (known.kind === 'customer')
    return ok('api-key', `${key} answers, accepts the API key, and does not know ${what}.`)
  return found(
    'warning',
    'api-key',
    `${key} accepts the API key, and does not know ${what}, which stands in this database.`,
    `Set the API key of the account and mode (live or test) of these purchases, below membership.providers.${provider}. A database of another site or mode needs another key.`,
  )
}

/** Limits the wait: a client's retries take longer than an operator waits. */
async function inTime<T>(asked: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const late = sleep(answerSeconds * 1000, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`no answer in ${answerSeconds} seconds`)
  })
  late.catch(() => {})
  try {
    return await Promise.race([asked, late])
  } finally {
    ended.abort()
  }
}

function clock(key: string, ahead: number): Check {
  const away = Math.abs(ahead)
  const what = `The clock of this server is ${duration(away)} ${ahead > 0 ? 'behind' : 'ahead of'} that of ${key}`
  if (away <= noticeableMs) return ok('clock', `The clock of this server agrees with ${key}.`)
  return found(
    away > toleranceMs ? 'problem' : 'warning',
    'clock',
    away > toleranceMs ? `${what}: its deliveries are refused as too old or too new.` : `${what}.`,
    'Let a time service set the clock (chrony, systemd-timesyncd).',
  )
}

function refused(
  { key, provider, kind }: { key: string; provider: string; kind: Ref['kind'] },
  error: unknown,
): Check {
  const { message, action, code, cause } = obj(toPlain(error))
  const status = Number(obj(cause).statusCode ?? obj(cause).status)
  if (status === 401 || isWrongKey(failureOf(cause).code))
    return found(
      'problem',
      'api-key',
      `${key} does not accept the API key.`,
      `Copy the secret API key from ${key}'s dashboard to membership.providers.${provider}; it may have been rolled, or belong to the other mode or to another account.`,
    )
  if (status === 403)
    return found(
      'warning',
      'api-key',
      `The API key of ${key} may not read ${kind}s.`,
      `Give it the permission to read what is bought: customers, subscriptions, charges, invoices, events.`,
    )
  if (code === 'ERR_CONFIG')
    return found('problem', 'api-key', `${key} cannot be asked: ${message}.`, String(action ?? ''))
  return found(
    'warning',
    'api-key',
    `${key} gives no usable answer${Number.isNaN(status) ? '' : ` (${status})`}.`,
    `Look at the status page of ${key} and at this machine's way out (DNS, firewall), then try again.`,
  )
}

// Some providers answer 403 to an invalid key, with the reason in a code of their own.
function isWrongKey(code: string | null): boolean {
  return /authentication|invalid_(?:token|api_?key)/i.test(code ?? '')
}

function toPlain(error: unknown) {
  return error instanceof Error
    ? {
        message: error.message,
        action: 'action' in error ? error.action : null,
        code: 'code' in error ? error.code : null,
        cause: typeof error.cause === 'object' ? { ...error.cause } : null,
      }
    : {}
}
