import type { Lifecycle, Message, Played } from './lifecycle.ts'
import { type Replayed, replayAll } from './replay.ts'

/** What became of a lifecycle without one of its messages. */
export interface Dropped {
  readonly life: Lifecycle
  /** Its place among the lifecycle's messages, from 0. */
  readonly place: number
  readonly message: Message
  readonly outcome: Outcome
  /** The message that says the same. */
  readonly by?: Message
}

/**
 * `noticed`: an expectation fails. `repeated`: another message says the same with it or after it, and without
 * both an expectation fails that holds without the other one. `silent`: after each step everything that can
 * be seen is the same. `unnoticed`: something that can be seen is another, and no expectation minds.
 */
export type Outcome = 'noticed' | 'repeated' | 'silent' | 'unnoticed'

/** Drops each message of a lifecycle in turn. */
export async function dropEach(life: Lifecycle): Promise<Dropped[]> {
  const messages = life.steps.flatMap(({ sends = [] }) => sends)
  const known = new Map<string, Replayed>()
  const without = async (...dropped: readonly Message[]): Promise<Replayed> => {
    const places = dropped.map((message) => messages.indexOf(message)).sort((a, b) => a - b)
    const found = known.get(places.join()) ?? (await replayWithout(life, dropped))
    known.set(places.join(), found)
    return found
  }
  const { seen, wrong } = await without()
  const all: Dropped[] = []
  for (const [place, message] of messages.entries()) {
    const dropped = { life, place, message }
    const alone = await without(message)
    if (String(alone.wrong) !== String(wrong)) {
      all.push({ ...dropped, outcome: 'noticed' })
      continue
    }
    const by = await repeating(message, others(life, message), without)
    if (by !== undefined) all.push({ ...dropped, outcome: 'repeated', by })
    else all.push({ ...dropped, outcome: String(alone.seen) === String(seen) ? 'silent' : 'unnoticed' })
  }
  return all
}

/** The first of the others that says the same. */
async function repeating(
  message: Message,
  others: readonly Message[],
  without: (...dropped: readonly Message[]) => Promise<Replayed>,
): Promise<Message | undefined> {
  for (const other of others) {
    const alone = await without(other)
    const both = await without(message, other)
    if (String(both.wrong) !== String(alone.wrong)) return other
  }
  return undefined
}

/** The messages of the same step, and those of later ones. */
function others({ steps }: Lifecycle, message: Message): readonly Message[] {
  return steps
    .slice(steps.findIndex(({ sends = [] }) => sends.includes(message)))
    .flatMap(({ sends = [] }) => sends)
    .filter((other) => other !== message)
}

async function replayWithout(life: Lifecycle, dropped: readonly Message[]): Promise<Replayed> {
  const closing: (() => unknown)[] = []
  const steps = life.steps.map((step) => {
    const sends = step.sends?.filter((message) => !dropped.includes(message))
    return sends === undefined ? step : { ...step, sends }
  })
  const begins = life.steps.flatMap(({ sends = [] }) => sends)[0]?.at
  const t = { teardown: (close: () => unknown) => void closing.push(close) }
  try {
    return await replayAll(t as never, { ...life, steps }, begins)
  } finally {
    for (const close of closing.reverse()) await close()
  }
}

/** The name of a message's event, or what it is about. */
export function eventOf({ event }: Message): string {
  if (typeof event === 'string') return event
  const { type, event_type, eventType, meta, notificationType, subscriptionNotification } = event as Record<
    string,
    unknown
  >
  const named =
    type ?? event_type ?? eventType ?? notificationType ?? (meta as { event_name?: unknown })?.event_name
  if (named !== undefined) return String(named)
  const number = (subscriptionNotification as { notificationType?: unknown })?.notificationType
  return number === undefined ? Object.keys(event as object).join() : `subscriptionNotification ${number}`
}

/** A message by its provider, its situation and its place, for lists. */
export function nameOf({ life, place, message }: Dropped): string {
  return `${life.provider}: ${life.situation}: ${place + 1}, ${eventOf(message)}`
}

/** How many messages of a provider were dropped, and what became of that. */
export interface Count {
  readonly provider: Played
  readonly all: number
  readonly noticed: number
  readonly repeated: number
  readonly silent: number
  readonly unnoticed: number
}

export function countOf(provider: Played, dropped: readonly Dropped[]): Count {
  const own = dropped.filter(({ life }) => life.provider === provider)
  const count = (outcome: Outcome) => own.filter((one) => one.outcome === outcome).length
  return {
    provider,
    all: own.length,
    noticed: count('noticed'),
    repeated: count('repeated'),
    silent: count('silent'),
    unnoticed: count('unnoticed'),
  }
}
