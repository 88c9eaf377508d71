import type { Context } from 'koa'
import { MembershipError } from '../../core/errors.ts'
import { clientAddress } from '../../core/http/caller-key.ts'
import { fingerprint, type Tokens } from '../../core/http/tokens.ts'
import type { Log } from '../../core/log.ts'
import { createRecent } from '../../core/recent.ts'
import { createLeaving, type Step, type Storage, step, UnitConflict } from '../../core/storage/index.ts'
import { createCurrent, type User, type View } from '../members/index.ts'
import { createEnding, downloadStatements, type FeedRow, oldFeedClients } from './statements.ts'

/** A request for a feed by the address of one member. */
export interface FeedRequest {
  readonly user: User
  /** The member's view: closed parts of the feed ask it. */
  readonly view: View
  /** The address that this member has. */
  readonly url: string
}

/** The text of a feed, or the text with its media type. */
export type FeedAnswer = string | { readonly body: string; readonly type: string }

/** Writes a feed as one member may read it. */
export type FeedHandler = (request: FeedRequest) => FeedAnswer | Promise<FeedAnswer>

/** An address of a feed, without its token. */
export interface MemberFeed {
  readonly path: string
  readonly created_at: string
  /** When more clients than usual had used it in one day; null otherwise. */
  readonly shared_at: string | null
}

/** An address that too many clients use. */
export interface SharedFeed {
  readonly path: string
  readonly memberId: string
  readonly clients: number
  /** ISO 8601 UTC. */
  readonly at: string
}

/** Loads the view of a member, and runs a handler with it in scope. */
export interface FeedScope {
  readonly viewOf: (user: User) => Promise<View>
  readonly scope: <T>(view: View, fn: () => T) => T
}

export interface FeedsDeps {
  readonly storage: Storage
  readonly tokens: Pick<Tokens, 'feedTokens' | 'mark'>
  readonly handlers: Readonly<Record<string, FeedHandler>>
  readonly findMember: (id: string) => Promise<User | null>
  readonly isLocked: (memberId: string) => Promise<boolean>
  readonly siteUrl: () => string
  readonly clients: number
  readonly trustProxy: number
  /** Steps that tell the operator of a shared address. */
  readonly tellShared: (shared: SharedFeed) => readonly Step[]
  readonly now: () => Date
  readonly randomId: () => string
  readonly log: Log
}

const types: Readonly<Record<string, string>> = {
  json: 'application/feed+json; charset=utf-8',
  ics: 'text/calendar; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
}
const usualType = 'application/rss+xml; charset=utf-8'
// Each conflict means that another process made the address first.
const maxTries = 5

export interface Feeds {
  /**
   * Returns the member's own address of a feed. It stays the same until it is ended.
   * @throws ERR_NOT_FOUND for an unknown feed
   */
  url(user: Pick<User, 'id'>, path: string): Promise<string>
  /** Ends a member's address of a feed, or all of them. The next `url` makes another one. */
  revoke(user: Pick<User, 'id'>, path?: string): Promise<void>
  list(user: Pick<User, 'id'>): Promise<readonly MemberFeed[]>
  /** Answers a request at a member's address. @throws ERR_NOT_FOUND */
  serve(ctx: Context, token: string, scope: FeedScope): Promise<void>
  /** Deletes the clients of earlier days. */
  letGoDue(): Promise<void>
}

/** The addresses of feeds that belong to one member each, and the answers there. */
export function createFeeds(deps: FeedsDeps): Feeds {
  const { storage, tokens, handlers, now, randomId } = deps
  const statements = downloadStatements(storage)
  const current = createCurrent(storage)
  const ending = createEnding(storage, now)

  const requireFeed = (path: string): void => {
    if (Object.hasOwn(handlers, path)) return
    const known = Object.keys(handlers)
    throw new MembershipError('ERR_NOT_FOUND', `This site has no feed ${JSON.stringify(path)}.`, {
      action:
        known.length === 0
          ? 'Give its handler: createMembership({ feeds: { "/podcast.xml": … } }).'
          : `Feeds: ${known.join(', ')}.`,
    })
  }

  /** The token of a stored address; null once the secret that it follows from is gone. */
  const tokenOf = ({ seed, token_hash }: Pick<FeedRow, 'seed' | 'token_hash'>): string | null =>
    tokens.feedTokens(seed).find((token) => fingerprint(token) === token_hash) ?? null

  const addressOf = (token: string, path: string): string =>
    `${deps.siteUrl()}/membership/feeds/${token}/${encodeURIComponent(path.split('/').at(-1)!)}`

  const url = async ({ id: member_id }: Pick<User, 'id'>, path: string): Promise<string> => {
    requireFeed(path)
    for (let tries = 0; tries < maxTries; tries++) {
      const row = (await storage.all(statements.feedsOf, { member_id })).find((feed) => feed.path === path)
      const known = row === undefined ? null : tokenOf(row)
      if (known !== null) return addressOf(known, path)
      const seed = `${member_id} ${path} ${randomId()}`
      const token = tokens.feedTokens(seed)[0]!
      await current.commit(member_id, (write) => [
        ...(row === undefined ? [] : [step(statements.feedDelete, { member_id, path })]),
        write(statements.feedInsert, {
          token_hash: fingerprint(token),
          member_id,
          path,
          seed,
          created_at: now().toISOString(),
          shared_at: null,
        }),
      ])
    }
    throw new MembershipError('ERR_BUSY', 'The address of this feed is being changed.', {
      retryAfterSeconds: 1,
    })
  }

  const revoke = async ({ id: member_id }: Pick<User, 'id'>, path?: string): Promise<void> => {
    if (path !== undefined) requireFeed(path)
    await storage.commit(
      path === undefined
        ? ending.steps(member_id, 'feeds')
        : [step(statements.feedDelete, { member_id, path })],
    )
  }

  const list = async ({ id: member_id }: Pick<User, 'id'>): Promise<readonly MemberFeed[]> =>
    (await storage.all(statements.feedsOf, { member_id })).map(({ path, created_at, shared_at }) => ({
      path,
      created_at,
      shared_at,
    }))

  const serve = async (ctx: Context, token: string, { viewOf, scope }: FeedScope): Promise<void> => {
    const [row] = await storage.all(statements.feed, { token_hash: fingerprint(token) })
    const handler = row && Object.hasOwn(handlers, row.path) ? handlers[row.path] : undefined
    const user = row && handler ? await deps.findMember(row.member_id) : null
    const isOpen =
      row !== undefined &&
      user !== null &&
      !(await deps.isLocked(user.id)) &&
      !(await isOfEndedMerge(row, user))
    if (!isOpen || handler === undefined)
      throw new MembershipError('ERR_NOT_FOUND', 'There is no feed at this address.', {
        action: 'Copy the current address from your account.',
      })
    await countAside(ctx, row)
    const view = await viewOf(user)
    const request: FeedRequest = { user, view, url: addressOf(token, row.path) }
    const answer = await scope(view, () => handler(request))
    const { body, type } = typeof answer === 'string' ? { body: answer, type: typeOf(row.path) } : answer
    ctx.set('Referrer-Policy', 'no-referrer')
    ctx.set('X-Robots-Tag', 'noindex')
    ctx.set('X-Content-Type-Options', 'nosniff')
    ctx.body = body
    ctx.set('Content-Type', type)
  }

  /** An ending deletes the member's own addresses. Those of a merged account stay, and this finds them. */
  const isOfEndedMerge = async ({ member_id, created_at }: FeedRow, user: User): Promise<boolean> =>
    member_id !== user.id && ending.hasEnded([user.id], 'feeds', Date.parse(created_at))

  // A client that asked lately needs no row.
  const recent = createRecent<true>(10_000, 3_600_000)

  /** Counts the clients of an address by day, up to the number that alerts the operator. */
  const noteClient = async (ctx: Context, row: FeedRow): Promise<void> => {
    if (row.shared_at !== null) return
    const { token_hash } = row
    const at = now().toISOString()
    const day = at.slice(0, 10)
    const client = tokens.mark(
      `${token_hash} ${day} ${clientAddress(ctx.req, deps.trustProxy)} ${ctx.get('User-Agent')}`,
    )
    if (recent.has(client)) return
    await storage.commit([step(statements.clientInsert, { token_hash, day, client })])
    recent.set(client, true)
    const [counted] = await storage.all(statements.clients, { token_hash, day })
    const clients = Number(counted?.count ?? 0)
    if (clients <= deps.clients) return
    try {
      await storage.commit([
        step(statements.feedShared, { token_hash, at }, 1),
        ...deps.tellShared({ path: row.path, memberId: row.member_id, clients, at }),
      ])
    } catch (error) {
      // Another process was first, and has told the operator.
      if (!(error instanceof UnitConflict)) throw error
    }
  }

  /** Counts beside the answer: a feed that could not be counted is answered all the same. */
  const countAside = async (ctx: Context, row: FeedRow): Promise<void> => {
    try {
      await noteClient(ctx, row)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      deps.log('a client of a feed could not be counted', { path: row.path, reason })
    }
  }

  const leaveClients = createLeaving(storage, oldFeedClients)
  const letGoDue = async (): Promise<void> => {
    await leaveClients(now().toISOString().slice(0, 10))
  }

  return { url, revoke, list, serve, letGoDue }
}

function typeOf(path: string): string {
  return types[path.split('.').at(-1)!.toLowerCase()] ?? usualType
}
