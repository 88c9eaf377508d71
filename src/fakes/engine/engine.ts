import { actionsOf } from './actions.ts'
import { createFakeClock } from './clock.ts'
import { createDelivery } from './delivery.ts'
import { createEndpoints } from './endpoints.ts'
import { paramsIn, type ServerContext, type Speech } from './fake-server.ts'
import { createOutages, type FaultName, startFault } from './faults.ts'
import { createLife } from './life.ts'
import { createMessages } from './messages.ts'
import type { FakeServer, FakeServerOptions, LoggedRequest, Views } from './options.ts'
import { addMonths, day } from './periods.ts'
import { createIds, createRandom } from './random.ts'
import { createReplica } from './replica.ts'
import { createSaving, trackValue } from './saving.ts'
import { startServer } from './server.ts'

/**
 * Starts a fake server on loopback that behaves as `speak` defines. Only webhooks to the given address leave
 * this machine.
 */
export async function openFakeServer<V extends Views>(
  options: FakeServerOptions,
  speak: (context: ServerContext) => Speech<V>,
): Promise<FakeServer<V>> {
  const { seed = '1', start = new Date(), running = false, webhook, chaos = {} } = options
  const server = await startServer(options.port ?? 0)
  const saving = createSaving()
  const clock = createFakeClock(start, running, saving)
  const { now } = clock
  const replica = createReplica(() => now().getTime())
  saving.track(replica.save)
  const messages = createMessages(replica, saving)
  const outages = createOutages(saving)
  const log: LoggedRequest[] = []
  trackValue(
    saving,
    () => log.length,
    (length) => {
      log.length = length
    },
  )
  const delivery = createDelivery({ webhook, chaos, seed, now, saving, sign: (...of) => speech.sign(...of) })
  const speech = speak({
    url: server.url,
    seed,
    clock,
    ids: createIds(createRandom(seed, 'ids', saving), saving),
    longIds: options.faults?.includes('long-ids') ?? false,
    messages,
    replica,
    saving,
    endpoint: delivery.endpoint,
    endpoints: createEndpoints({ endpoint: delivery.endpoint, sendTo: delivery.sendTo, saving }),
    isDelivered: delivery.isDelivered,
    wait: () => pause(outages.latency()),
  })
  const { steps } = createLife(speech.world, saving)
  const catchUp = (): void => {
    for (const _ of steps(now().getTime()));
  }
  messages.onAppend((message) => {
    delivery.enqueue(message)
    // Sent after this turn, so that the answer to the request goes first.
    if (delivery.isAuto()) setImmediate(() => void delivery.deliver())
  })
  const requestIds = createIds(createRandom(seed, 'requests', saving), saving)
  server.attach({
    api: {
      ...speech.api,
      handle: async (asked) => {
        catchUp()
        const answered = await speech.api.handle(asked)
        // A short trial gets its warning at once.
        catchUp()
        return answered
      },
    },
    page: async (asked) => {
      catchUp()
      return speech.page(asked)
    },
    outages,
    clock: clock.tell,
    now,
    requestId: () => speech.requestId?.(requestIds) ?? requestIds('req'),
    log: (asked, status) =>
      log.push({
        method: asked.method,
        path: asked.path,
        params: (speech.paramsOf ?? paramsIn)(asked),
        idempotency_key: speech.api.keyOf(asked) ?? null,
        status,
      }),
  })

  const fault = (name: FaultName) =>
    startFault(name, { outages, addLag: replica.start, addDuplicates: delivery.addDuplicates })
  for (const name of options.faults ?? []) if (name !== 'long-ids') fault(name)

  const deliverAuto = async (): Promise<void> => {
    if (delivery.isAuto()) await delivery.deliver()
  }
  const advanceTo = async (target: number): Promise<void> => {
    for (const _ of steps(target)) {
      await clock.settled()
      await deliverAuto()
    }
    clock.moveTo(target)
    await clock.settled()
  }
  const act = async <T>(run: () => T, at: Date = now()): Promise<T> => {
    await advanceTo(at.getTime())
    const done = run()
    catchUp()
    await deliverAuto()
    return done
  }
  return {
    ...actionsOf(speech, act),
    url: server.url,
    books: speech.world.store,
    now,
    act: (run) => act(() => run(speech.world)),
    advance: async (by) => advanceTo(targetOf(now(), by)),
    events: () => messages.all().map(({ body }) => toEvent(body)),
    requests: () => [...log],
    outage: outages.start,
    latency: outages.setLatency,
    fault,
    sendTo: delivery.sendTo,
    deliver: delivery.deliver,
    dropped: () => [...delivery.dropped()],
    idle: delivery.idle,
    fetch: server.fetch,
    save: saving.save,
    close: async () => {
      await delivery.stop()
      await server.close()
    },
  }
}

function toEvent(body: string): Record<string, unknown> {
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body))
}

function pause(ms: number): Promise<void> {
  return ms === 0 ? Promise.resolve() : new Promise((done) => setTimeout(done, ms))
}

function targetOf(now: Date, by: Parameters<FakeServer['advance']>[0]): number {
  if (by instanceof Date) {
    if (by < now) throw new TypeError('The clock never goes back')
    return by.getTime()
  }
  const { days = 0, months = 0, ms = 0 } = by
  const seconds = addMonths(Math.floor(now.getTime() / 1000), months)
  return seconds * 1000 + (now.getTime() % 1000) + days * day * 1000 + ms
}
