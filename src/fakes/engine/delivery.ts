import type { Message } from './messages.ts'
import { createRandom } from './random.ts'
import { trackSet } from './replica.ts'
import { type Tracking, trackValue } from './saving.ts'

/** Address for events, and the secret that signs them. */
export interface Webhook {
  readonly url: string
  readonly secret: string
  /** Receives the deliveries instead of the network: `m.fetch` of a site without a listener. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Sends events as they happen, instead of when `deliver` is called. */
  readonly auto?: boolean
  /** True if it is enabled at the provider; otherwise nothing is sent. */
  readonly isEnabled?: boolean
  /** Events selected at the provider, by its names, as its API shows them; all by default. */
  readonly events?: readonly string[]
}
/** Probabilities between 0 and 1. */
export interface Chaos {
  /** Never sent; only the list of past events contains it. */
  readonly drop?: number
  readonly duplicate?: number
  /** Held until a later `deliver`. */
  readonly delay?: number
  /** Sent before or after its turn, within one `deliver`. */
  readonly reorder?: number
}
/** Result of a call of `deliver`. */
export interface Delivered {
  /** Deliveries that were answered with 2xx. */
  readonly delivered: number
  /** Attempts without a 2xx answer. */
  readonly failed: number
  /** Number of events that are still to be sent. */
  readonly pending: number
}
interface Waiting {
  readonly message: Message
  /** Number of calls of `deliver` for which it is held. */
  held: number
  place: number
}

const triesPerCall = 5
const triesToSettle = 20
const timeoutMs = 30_000

/** Returns the headers of a delivery, with its signature. The body is JSON unless they say otherwise. */
export type SignMessage = (message: Message, secret: string, at: Date) => Record<string, string>

/**
 * Sends signed events to a webhook endpoint, in order and once, or with chaos that depends only on the seed.
 */
export function createDelivery(given: {
  webhook: Webhook | undefined
  chaos: Chaos
  seed: string | number
  now: () => Date
  sign: SignMessage
  saving: Tracking
}) {
  const { chaos, now, sign, saving } = given
  let { webhook } = given
  const random = createRandom(given.seed, 'chaos', saving)
  const chance = (of = 0): boolean => random() < of
  const dropped = trackSet(saving, new Set<string>())
  const delivered = trackSet(saving, new Set<string>())
  const stopped = new AbortController()
  let waiting: Waiting[] = []
  let duplicates: readonly number[] = []
  let count = 0
  let turn: Promise<unknown> = Promise.resolve()
  trackValue(
    saving,
    () => ({ webhook, waiting: waiting.map((each) => ({ ...each })), duplicates, count }),
    (saved) => {
      ;({ webhook, waiting, duplicates, count } = saved)
    },
  )

  const enqueue = (message: Message): void => {
    if (webhook === undefined || webhook.isEnabled === false) return
    // Each event takes the same number of random values, so that one probability does not affect the others.
    const [drops, copies, delays, moves] = [
      chance(chaos.drop),
      chance(Math.max(chaos.duplicate ?? 0, ...duplicates)),
      chance(chaos.delay),
      chance(chaos.reorder),
    ]
    const [shift, heldFor] = [random(), random()]
    const place = count++ + (moves ? (shift - 0.5) * 12 : 0)
    if (drops) {
      dropped.add(message.id)
      return
    }
    waiting.push({ message, held: delays ? 1 + Math.floor(heldFor * 3) : 0, place })
    if (copies) waiting.push({ message, held: 0, place: place + shift * 8 })
  }

  const post = async (message: Message): Promise<boolean> => {
    const { url, secret, fetch: ask = fetch } = webhook!
    try {
      const request = new Request(url, {
        method: 'POST',
        body: message.body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), stopped.signal]),
        headers: { 'Content-Type': 'application/json', ...sign(message, secret, now()) },
      })
      const answer = await ask(request)
      await answer.arrayBuffer()
      return answer.ok
    } catch {
      return false
    }
  }

  const round = async (ready: readonly Waiting[]): Promise<{ sent: number; failed: Waiting[] }> => {
    const failed: Waiting[] = []
    for (const waiting of ready)
      if (await post(waiting.message)) delivered.add(waiting.message.id)
      else failed.push(waiting)
    return { sent: ready.length - failed.length, failed }
  }

  const run = async ({ retry, settle }: { retry: boolean; settle: boolean }): Promise<Delivered> => {
    let [sent, failures] = [0, 0]
    const tries = settle ? triesToSettle : retry ? triesPerCall : 1
    for (let i = 0; i < tries && waiting.length > 0 && !stopped.signal.aborted; i++) {
      const isFirst = i === 0
      const ready = waiting.filter(({ held }) => settle || held === 0)
      const rest = waiting.filter(({ held }) => !settle && held > 0)
      if (isFirst) for (const waiting of rest) waiting.held--
      waiting = rest
      const { sent: more, failed } = await round(ready.sort((a, b) => a.place - b.place))
      sent += more
      failures += failed.length
      waiting.push(...failed)
      if (failed.length === 0 && !settle) break
    }
    return { delivered: sent, failed: failures, pending: waiting.length }
  }

  const deliver = (options: { retry?: boolean; settle?: boolean } = {}): Promise<Delivered> => {
    const { retry = true, settle = false } = options
    const next = turn.then(() => run({ retry, settle }))
    turn = next.catch(() => {})
    return next
  }
  return {
    deliver,
    enqueue,
    /** Sends further events twice with this probability, until the returned function is called. */
    addDuplicates: (probability: number): (() => void) => {
      duplicates = [...duplicates, probability]
      return () => {
        duplicates = duplicates.toSpliced(duplicates.indexOf(probability), 1)
      }
    },
    isAuto: (): boolean => webhook?.auto === true,
    sendTo: (endpoint: Webhook): void => {
      webhook = endpoint
    },
    endpoint: (): Webhook | undefined => webhook,
    isDelivered: (id: string): boolean => delivered.has(id),
    /** Ids that chaos never sends. */
    dropped: (): ReadonlySet<string> => dropped,
    idle: async (): Promise<void> => {
      await turn
    },
    /** Stops all sending. */
    stop: async (): Promise<void> => {
      stopped.abort()
      await turn
    },
  }
}
/** Sender of events. */
export type WebhookDelivery = ReturnType<typeof createDelivery>
