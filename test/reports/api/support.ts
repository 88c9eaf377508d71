import type { ExecutionContext } from 'ava'
import type { MembershipOptions } from '../../../src/index.ts'
import { type Client, clientOf, createClock, startIndex } from '../../support/index-host.ts'
import { openDocument } from '../../support/openapi.ts'
import { type Page, startWeb } from '../../support/web.ts'

/**
 * An index with a clock of its own, closed with the test. Whatever its clients are answered is compared with
 * the OpenAPI document.
 */
export async function openIndex(
  t: ExecutionContext,
  hosts: Record<string, Record<string, Page>> = {},
  options: MembershipOptions & { url?: string } = {},
) {
  const web = await startWeb(hosts)
  const clock = createClock()
  const log: string[] = []
  const index = await startIndex(web, {
    now: clock.now,
    log: (message, details) => log.push(`${message} ${JSON.stringify(details ?? {})}`),
    ...options,
  })
  t.teardown(async () => {
    await index.close()
    await web.close()
  })
  const { document, compile, checkAnswer } = await openDocument(index.site)
  /** What somebody with this key does. */
  const client = (key: string): Client => checked(clientOf(index.site, key), checkAnswer)
  return {
    ...index,
    web,
    clock,
    log,
    document,
    compile,
    checkAnswer,
    client,
    partner: async (name: string) => {
      const partner = await index.partner(name)
      return { ...partner, ...client(partner.key) }
    },
    /** Every row of every table, as text. */
    dump: async (): Promise<string> => {
      const tables = [
        'partners',
        'api_keys',
        'reports',
        'previews',
        'exclusions',
        'candidates',
        'robots',
        'visits',
        'reviews',
        'imports',
        'import_lines',
        'relink_batches',
        'idempotency_keys',
        'audit',
      ] as const
      const rows = await Promise.all(
        tables.map((table) => index.m.storage.read((db) => db.selectFrom(table).selectAll())),
      )
      return JSON.stringify(rows)
    },
  }
}
export type OpenIndex = Awaited<ReturnType<typeof openIndex>>
export type Partner = Awaited<ReturnType<OpenIndex['partner']>>

const methods = {
  add: 'POST',
  list: 'GET',
  read: 'GET',
  refresh: 'PATCH',
  remove: 'DELETE',
  upload: 'POST',
} as const

function checked(
  client: Client,
  check: (method: string, path: string, response: Response) => Promise<void>,
): Client {
  const wrap =
    <A extends unknown[]>(ask: (...args: A) => Promise<Response>, method?: string) =>
    async (...args: A) => {
      const response = await ask(...args)
      await check(method ?? String(args[0]), new URL(response.url).pathname, response)
      return response
    }
  return {
    ask: wrap(client.ask),
    add: wrap(client.add, methods.add),
    list: wrap(client.list, methods.list),
    read: wrap(client.read, methods.read),
    refresh: wrap(client.refresh, methods.refresh),
    remove: wrap(client.remove, methods.remove),
    upload: wrap(client.upload, methods.upload),
  }
}

/** The parts of an answer that tests look at. */
export interface Body {
  readonly data: Report
  readonly meta: { generated_at: string; valid_until: string }
}
export interface List {
  readonly data: Report[]
  readonly meta: { generated_at: string; valid_until: string; count: number }
  readonly links: { self: string; next: string | null }
}
export interface Report {
  readonly id: string
  readonly url: string
  readonly title: string | null
  readonly status: string
  readonly status_reason: string | null
  readonly updated_at: string
  readonly preview: {
    url: string
    width: number
    height: number
    bytes: number
    custom: boolean
  } | null
  readonly system: { name: string; detected: boolean; version: string | null; confidence: number }
  readonly details?: {
    evidence: { channel: string }[]
    checks: { outcome: string }[]
    cut?: { at: string; head_tail_read: boolean } | null
  }
  readonly [field: string]: unknown
}
export interface Problem {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly action?: string
  readonly id?: string
  readonly reason?: string
  readonly score?: number
  readonly channels?: string[]
}
export interface Import {
  readonly data: {
    id: string
    status: 'running' | 'done'
    total: number
    done: number
    lines: {
      line: number
      text: string
      url: string | null
      outcome: string | null
      detail: string | null
      report_id: string | null
    }[]
  }
}

export async function bodyOf<T = Body>(response: Response): Promise<T> {
  return (await response.json()) as T
}

/** Asserts what an error answer says, and gives its body. */
export async function refused(
  t: ExecutionContext,
  response: Response,
  status: number,
  code: string,
): Promise<Problem> {
  const body = await bodyOf<Problem>(response)
  t.deepEqual([response.status, body.code], [status, code], body.detail)
  t.is(response.headers.get('content-type'), 'application/problem+json')
  return body
}

/** Adds a website that is there, and gives its id. */
export async function added(t: ExecutionContext, partner: Partner, url: string): Promise<string> {
  const response = await partner.add(url)
  t.is(response.status, 201, await response.clone().text())
  return (await bodyOf(response)).data.id
}

/** Asks until `isThere` says so. */
export async function until<T>(ask: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 2400; tries++) {
    const value = await ask()
    if (isThere(value)) return value
    await new Promise((done) => setTimeout(done, 25))
  }
  throw new Error('it never came')
}

/** An answer as a whole: status, headers without the date, and body. */
export async function wholeOf(response: Response) {
  const headers = Object.fromEntries(response.headers)
  delete headers.date
  return { status: response.status, headers, body: await response.text() }
}

export const dayMs = 86_400_000
export const minuteMs = 60_000
