import { createHmac } from 'node:crypto'
import { MembershipError } from '../../core/errors.ts'
import type { Poster } from '../../core/http/outgoing.ts'
import { fingerprint } from '../../core/http/tokens.ts'
import { createLanes } from '../../core/jobs/lane-statements.ts'
import type { Delivered, Handlers, Message } from '../../core/jobs/outbox.ts'
import { lazy } from '../../core/lazy.ts'
import { type Step, type Storage, step } from '../../core/storage/index.ts'
import type { PageUsers, User } from '../members/index.ts'
import { afterHookNames } from './hook-events.ts'
import {
  currentOf,
  goneKind,
  goneLane,
  type HookMessage,
  type LimitNotice,
  limitEvent,
  notifiedOf,
} from './hooks.ts'
import type { Consumer } from './notifier.ts'
import { notifierStatements } from './statements.ts'

/** An address that receives domain events, as `membership.notify` configures it. */
export interface Receiver {
  readonly url: string
  /** Secrets of Standard Webhooks, newest first. Each of them signs. */
  readonly secret: readonly string[]
  /** Names of events; null stands for all of them. */
  readonly events: readonly string[] | null
  readonly allow_private: boolean
}

/** The body of a message to a receiver. */
export interface OutgoingEvent {
  readonly version: 1
  readonly type: string
  /** When the change was noticed, ISO 8601 UTC. */
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>> & { readonly member: OutgoingMember }
}

/** The member of an event, as of its delivery. */
export interface OutgoingMember {
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  readonly gates: readonly string[]
  readonly features: readonly string[]
}

const keptMs = 3 * 86_400_000

// The client is loaded with the first message.
const outgoing = lazy(() => import('../../core/http/outgoing.ts'))

/**
 * Sends domain events to receivers as Standard Webhooks messages. They are queued in the unit of the change, delivered in
 * order for each member and receiver, and retried for three days. https://www.standardwebhooks.com
 */
export function createReceivers(
  receivers: readonly Receiver[],
  {
    users,
    storage,
    now,
  }: { users: Pick<PageUsers, 'findExisting' | 'departed'>; storage: Storage; now: () => Date },
) {
  const doubled = receivers.find(({ url }, n) => receivers.some((other, m) => m < n && other.url === url))
  if (doubled)
    throw new MembershipError(
      'ERR_CONFIG',
      `membership.notify names a receiver at ${new URL(doubled.url).host} twice.`,
      { action: 'Give it one entry with all its events.' },
    )
  for (const { url, events } of receivers)
    for (const name of events ?? [])
      if (!afterHookNames.includes(name))
        throw new MembershipError(
          'ERR_CONFIG',
          `membership.notify asks for an unknown event "${name}" for ${new URL(url).host}.`,
          {
            action: `Events: ${afterHookNames.join(', ')}.`,
          },
        )
  const statements = notifierStatements(storage)
  const posters = new Map<string, Poster>()
  const posterOf = async (receiver: Receiver): Promise<Poster> => {
    const key = receiverKind(receiver.url)
    const { createPoster } = await outgoing()
    const known = posters.get(key) ?? createPoster({ allowPrivate: receiver.allow_private })
    posters.set(key, known)
    return known
  }
  const wants = ({ events }: Receiver, name: string): boolean => events === null || events.includes(name)

  const toMessage = (receiver: Receiver, memberId: string, event: HookMessage, id: string): Message => {
    const usual = receiverKind(receiver.url)
    const kind = event.gone === undefined ? usual : goneKind(usual)
    return {
      id: `${kind}:${id}`,
      lane: `${event.gone === undefined ? eventLane(memberId) : goneLane(memberId)}${kind}`,
      kind,
      payload: { ...event, event_id: `evt_${fingerprint(id).slice(0, 32)}` } satisfies Payload,
    }
  }

  /** Builds the messages about one member's changes. */
  const consumer: Consumer = (changes) =>
    receivers.flatMap((receiver) =>
      notifiedOf(changes).flatMap(({ name, ...data }, n) =>
        wants(receiver, name)
          ? [
              toMessage(
                receiver,
                changes.member.id,
                { name, member_id: changes.member.id, data, gone: changes.gone },
                `${changes.id}:${n}`,
              ),
            ]
          : [],
      ),
    )

  /** Builds the messages about a limit that is nearly or wholly used. */
  const limitMessages = (notice: LimitNotice): readonly Message[] =>
    receivers
      .filter((receiver) => wants(receiver, notice.hook))
      .map((receiver) => toMessage(receiver, notice.memberId, limitEvent(notice), notice.id))

  const deliver = async (receiver: Receiver, { at, payload, signal }: Delivered): Promise<void> => {
    const message = payload as Payload
    const current = await currentOf(message, users)
    if (current === null) return
    const body: OutgoingEvent = {
      version: 1,
      type: message.name,
      timestamp: at,
      data: { member: outgoingMember(current.member), ...current.data },
    }
    try {
      await send(await posterOf(receiver), receiver, {
        id: message.event_id,
        body: JSON.stringify(body),
        now: now(),
        signal,
      })
    } catch (error) {
      if (now().getTime() - Date.parse(at) < keptMs) throw error
      throw undeliverable(`No delivery in three days. ${(error as Error).message}`)
    }
  }

  const handlers: Handlers = Object.fromEntries(
    receivers.flatMap((receiver) =>
      receiverKindsOf(receiver.url).map((kind) => [kind, (message: Delivered) => deliver(receiver, message)]),
    ),
  )
  /** Counts the given-up messages of each receiver. Only its host and a hash of its address are named. */
  const givenUp = async () => {
    if (receivers.length === 0) return []
    const dead = await storage.read((db) =>
      db
        .selectFrom('outbox')
        .select(({ fn }) => ['kind', fn.countAll<number | string>().as('count')])
        .where('status', '=', 'dead')
        .where('kind', 'like', receiverKinds)
        .groupBy('kind'),
    )
    return receivers.map(({ url }) => ({
      receiver: { key: new URL(url).host, account: receiverKind(url) },
      count: dead
        .filter(({ kind }) => receiverKindsOf(url).includes(kind))
        .reduce((sum, { count }) => sum + Number(count), 0),
    }))
  }

  /**
   * Retries every message for a receiver now, and returns their number. With `from`, an address that the receiver had
   * earlier, the messages for that address come along.
   * @throws ERR_USAGE unless `to` is configured and `from` is not
   */
  const replay = async ({ to, from }: { readonly to: string; readonly from?: string }): Promise<number> => {
    const isKnown = (address: string) => receivers.some(({ url }) => url === address)
    if (!isKnown(to))
      throw new MembershipError('ERR_USAGE', `membership.notify has no receiver ${to}.`, {
        action: 'See the receivers with: membership notify list',
      })
    if (from !== undefined && isKnown(from))
      throw new MembershipError('ERR_USAGE', `${from} is still a receiver, and gets its messages itself.`, {
        action: 'Take it out of membership.notify first, and restart the site.',
      })
    const kinds = receiverKindsOf(to)
    if (from !== undefined)
      await storage.commit(
        receiverKindsOf(from).map((kind, n) => step(statements.readdress, { from: kind, to: kinds[n]! })),
      )
    let retried = 0
    for (const kind of kinds)
      retried += (await storage.all(statements.againAll, { kind, due_at: now().toISOString() })).length
    return retried
  }

  return {
    consumer,
    limitMessages,
    handlers,
    givenUp,
    replay,
    /** True if any receiver is configured. */
    isAsked: receivers.length > 0,
    close: async () => {
      await Promise.all([...posters.values()].map((poster) => poster.close()))
    },
  }
}

const kindPrefix = 'notify:'

/** The pattern of all kinds of messages to receivers, for SQL. */
export const receiverKinds = `${kindPrefix}%`

/** True for messages to receivers, which are given up after three days and not after a number of tries. */
export function isForReceiver(kind: string): boolean {
  return kind.startsWith(kindPrefix)
}

/** The beginning of every lane with a member's events for receivers, so that a deletion finds them. */
export function eventLane(memberId: string): string {
  return `${kindPrefix}${memberId}:`
}

/**
 * Steps that let a member's waiting hooks and events wait with those of the account to which the member now belongs.
 * `about` takes only messages that were queued for that account.
 */
export function waitingMove(storage: Storage) {
  const lanes = createLanes(storage)
  return ({ from, to, about }: { from: string; to: string; about?: string }): Step[] =>
    ['hook:', kindPrefix].map((beginning) =>
      lanes.move({
        from: `${beginning}${from}`,
        to: `${beginning}${to}`,
        about: `"member_id":${about === undefined ? '' : JSON.stringify(about)}`,
      }),
    )
}

/** The kind of messages in the outbox for a receiver. Its address may hold a secret, so only its hash is stored. */
export function receiverKind(url: string): string {
  return `${kindPrefix}${fingerprint(url).slice(0, 16)}`
}

/** Both kinds of messages for a receiver: about members, and about accounts that are gone. */
export function receiverKindsOf(url: string): readonly string[] {
  return [receiverKind(url), goneKind(receiverKind(url))]
}

/** Signs and posts one message. @throws Error unless the receiver answers 2xx; ERR_UNDELIVERABLE after 410 */
export async function send(
  poster: Poster,
  { url, secret }: Pick<Receiver, 'url' | 'secret'>,
  { id, body, now, signal }: { id: string; body: string; now: Date; signal: AbortSignal },
): Promise<void> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const { status } = await poster.post(url, {
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': secret.map((key) => signatureOf(key, `${id}.${timestamp}.${body}`)).join(' '),
      'user-agent': 'membership',
    },
    body,
    signal,
  })
  if (status === 410)
    throw undeliverable(
      'The receiver answered 410: it wants no more events. Remove it from membership.notify.',
    )
  if (status < 200 || status > 299)
    throw new Error(
      `The receiver answered ${status}${status >= 300 && status < 400 ? '; redirects are not followed' : ''}.`,
    )
}

/** A signature as Standard Webhooks writes it: `v1,` and the base64 of an HMAC-SHA-256 by the decoded secret. */
function signatureOf(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

interface Payload extends HookMessage {
  /** The same at every receiver and every try. */
  readonly event_id: string
}

function outgoingMember(member: User): OutgoingMember {
  return {
    id: member.id,
    email: member.email,
    name: member.name,
    gates: member.gates(),
    features: member.features(),
  }
}

function undeliverable(message: string): MembershipError {
  return new MembershipError('ERR_UNDELIVERABLE', message, {
    action: 'Mend the receiver, then: membership outbox replay --to ADDRESS',
  })
}
