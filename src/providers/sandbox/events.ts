import { setMaxListeners } from 'node:events'
import type { Log } from '../../core/log.ts'
import type { DocumentStore } from '../contract.ts'
import type { SandboxEvent } from './objects.ts'

export interface EventsDeps {
  readonly store: DocumentStore
  readonly now: () => Date
  readonly log: Log
  readonly sign: (body: Buffer) => Record<string, string>
}

const tries = 5
const keepDays = 30

export interface Events {
  /** Stores the site's address, also for the next start. */
  setSite(url: string): Promise<void>
  /** Sends events in order. A refused event is sent again later and does not block others. */
  send(events: readonly SandboxEvent[]): void
  readonly pull: (since: Date) => AsyncIterable<Buffer>
  /** Deletes events older than 30 days, once a day. */
  forget(): Promise<void>
  /** Resolves when every event was sent to the site once. */
  offered(): Promise<void>
  close(): Promise<void>
}

/**
 * Webhooks of the sandbox: signed, sent over HTTP as by any provider, and repeated until accepted. They are
 * kept for 30 days.
 */
export function createEvents({ store, now, log, sign }: EventsDeps): Events {
  const closing = new AbortController()
  // Each waiting event listens, and a site that was down has many of them.
  setMaxListeners(0, closing.signal)
  const retries = new Set<Promise<void>>()
  let line: Promise<void> = Promise.resolve()
  let site: string | null = null
  let cleanedOn: string | null = null

  const setSite = async (url: string): Promise<void> => {
    if (url === (await siteUrl())) return
    site = url
    await store.put('site', { url })
  }
  const siteUrl = async (): Promise<string | null> => {
    site ??= (await store.get<{ url: string }>('site'))?.url ?? null
    return site
  }

  const send = (events: readonly SandboxEvent[]): void => {
    for (const event of events)
      line = line.then(async () => {
        if (await attempt(event)) return
        const again = retry(event).finally(() => retries.delete(again))
        retries.add(again)
      })
  }

  const retry = async (event: SandboxEvent): Promise<void> => {
    for (let tried = 1; tried < tries; tried++) {
      await pause(500 * 2 ** tried)
      if (closing.signal.aborted || (await attempt(event))) return
    }
  }
  const pause = (ms: number) =>
    new Promise<void>((next) => {
      const done = () => {
        clearTimeout(timer)
        closing.signal.removeEventListener('abort', done)
        next()
      }
      const timer = setTimeout(done, ms)
      timer.unref()
      closing.signal.addEventListener('abort', done)
    })

  const attempt = async (event: SandboxEvent): Promise<boolean> => {
    if (closing.signal.aborted) return true
    const { type } = event
    try {
      const url = await siteUrl()
      if (url === null) {
        log('the sandbox does not know the site’s address yet', { type })
        return true
      }
      const body = Buffer.from(JSON.stringify(event))
      const answer = await fetch(`${url}/membership/webhooks/sandbox`, {
        method: 'POST',
        body,
        headers: sign(body),
        signal: AbortSignal.any([AbortSignal.timeout(5000), closing.signal]),
      })
      await answer.arrayBuffer()
      if (answer.ok) return true
      log('the site refused a webhook of the sandbox', { type, status: answer.status })
    } catch (error) {
      if (closing.signal.aborted) return true
      log('a webhook of the sandbox did not reach the site', { type, error: String(error) })
    }
    return false
  }

  /** Yields the raw bytes of the events since then, for at most 30 days. */
  const pull = async function* (since: Date): AsyncIterable<Buffer> {
    const until = now().toISOString()
    const from = [since.toISOString(), addDays(until, -keepDays)].sort()[1]!
    for (let day = from; day.slice(0, 10) <= until.slice(0, 10); day = addDays(day, 1))
      for (const event of await store.list<SandboxEvent | null>(`event/${day.slice(0, 10)}/`))
        if (event !== null && event.created >= from) yield Buffer.from(JSON.stringify(event))
  }

  const forget = async (): Promise<void> => {
    const today = now().toISOString().slice(0, 10)
    if (today === cleanedOn) return
    cleanedOn = today
    const limit = addDays(now().toISOString(), -keepDays)
    for (const event of await store.list<SandboxEvent | null>('event/'))
      if (event !== null && event.created < limit) await store.put(placeOf(event), null)
  }

  return {
    setSite,
    send,
    pull,
    forget,
    offered: (): Promise<void> => line,
    close: async (): Promise<void> => {
      closing.abort()
      await line
      await Promise.all(retries)
    },
  }
}

/** Storage key of an event, by its day. */
export function placeOf({ id, created }: SandboxEvent): string {
  return `event/${created.slice(0, 10)}/${id}`
}

function addDays(from: string, days: number): string {
  return new Date(Date.parse(from) + days * 86_400_000).toISOString()
}
