import { createMerchantClock, type MerchantClock } from './clock.ts'
import { createDelivery, type SignMessage } from './delivery.ts'
import { createFaults } from './faults.ts'
import { createMessages, type Messages } from './messages.ts'
import type { LoggedRequest, MerchantControls, MerchantOptions } from './options.ts'
import { addMonths, day } from './periods.ts'
import { createIds, createRandom, type Ids } from './random.ts'
import { type ApiHandler, type Asked, type PageHandler, startServer } from './server.ts'

/** What a dialect speaks with. */
export interface Ground {
  /** Where its API and its pages are. */
  readonly url: string
  readonly seed: string | number
  readonly clock: MerchantClock
  readonly ids: Ids
  readonly messages: Messages
  /** Whether a message was taken by somebody. */
  isDelivered(messageId: string): boolean
  /** Stands between taking a request and doing it. */
  wait(): Promise<void>
}

/** What one provider is, to those who ask it. */
export interface Speech {
  readonly api: ApiHandler
  readonly page: PageHandler
  readonly sign: SignMessage
  /** Ids of requests, of a stream of their own: how often somebody reads changes no other id. */
  requestId(ids: Ids): string
  /** The parameters of a request, as they are logged. */
  paramsOf(asked: Asked): Record<string, unknown>
  /** Does what is due until then, one thing after the other; between two, whoever iterates may look on. */
  steps(untilMs: number): Iterable<void>
}

/** Starts a merchant on loopback that answers and tells as `speak` says. Nothing ever leaves this machine but webhooks
 *  to the given address. */
export const openMerchant = async <S extends Speech>(
  options: MerchantOptions,
  speak: (ground: Ground) => S,
) => {
  const { seed = '1', start = new Date(), running = false, webhook, chaos = {} } = options
  const server = await startServer(options.port ?? 0)
  const clock = createMerchantClock(start, running)
  const { now } = clock
  const messages = createMessages()
  const faults = createFaults()
  const log: LoggedRequest[] = []
  const delivery = createDelivery({ webhook, chaos, seed, now, sign: (...of) => speech.sign(...of) })
  const speech = speak({
    url: server.url,
    seed,
    clock,
    ids: createIds(createRandom(seed, 'ids')),
    messages,
    isDelivered: delivery.isDelivered,
    wait: () => pause(faults.latency()),
  })
  const catchUp = (): void => {
    for (const _ of speech.steps(now().getTime()));
  }
  messages.onAppend((message) => {
    delivery.enqueue(message)
    // After this turn, so that the answer which caused it goes first.
    if (delivery.isAuto()) setImmediate(() => void delivery.deliver())
  })
  const requestIds = createIds(createRandom(seed, 'requests'))
  server.attach({
    api: {
      ...speech.api,
      handle: async (asked) => {
        catchUp()
        const answered = await speech.api.handle(asked)
        // A short trial is warned of at once.
        catchUp()
        return answered
      },
    },
    page: async (asked) => {
      catchUp()
      return speech.page(asked)
    },
    faults,
    now,
    requestId: () => speech.requestId(requestIds),
    log: (asked, status) =>
      log.push({
        method: asked.method,
        path: asked.path,
        params: speech.paramsOf(asked),
        idempotency_key: speech.api.keyOf(asked) ?? null,
        status,
      }),
  })

  const deliverAuto = async (): Promise<void> => {
    if (delivery.isAuto()) await delivery.deliver()
  }
  const advanceTo = async (target: number): Promise<void> => {
    for (const _ of speech.steps(target)) await deliverAuto()
    clock.moveTo(target)
  }
  const controls: MerchantControls = {
    url: server.url,
    now,
    advance: async (by) => advanceTo(targetOf(now(), by)),
    requests: () => [...log],
    outage: faults.start,
    latency: faults.setLatency,
    sendTo: delivery.sendTo,
    deliver: delivery.deliver,
    dropped: () => [...delivery.dropped()],
    idle: delivery.idle,
    close: async () => {
      await delivery.stop()
      await server.close()
    },
  }
  return {
    speech,
    controls,
    /** Somebody's act at a moment, with everything that was due before it and becomes due by it. */
    act: async <T>(run: () => T, at: Date = now()): Promise<T> => {
      await advanceTo(at.getTime())
      const done = run()
      catchUp()
      await deliverAuto()
      return done
    },
  }
}

const pause = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((done) => setTimeout(done, ms))

const targetOf = (now: Date, by: Parameters<MerchantControls['advance']>[0]): number => {
  if (by instanceof Date) {
    if (by < now) throw new TypeError('The clock never goes back')
    return by.getTime()
  }
  const { days = 0, months = 0, ms = 0 } = by
  const seconds = addMonths(Math.floor(now.getTime() / 1000), months)
  return seconds * 1000 + (now.getTime() % 1000) + days * day * 1000 + ms
}
