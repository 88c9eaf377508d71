import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import {
  currentOf,
  joinedCount,
  pageOf,
  type Wall,
  type WallCount,
  type WallCounts,
  type WallTerms,
  wallOf,
  wallParameter,
} from '../../core/access/index.ts'
import type { Awaitable } from '../../core/awaitable.ts'
import { type Duration, durationSeconds } from '../../core/duration.ts'
import { isMembershipError, MembershipError } from '../../core/errors.ts'
import { askedAddress } from '../../core/http/addresses.ts'
import { clientAddress } from '../../core/http/caller-key.ts'
import { wantsPage } from '../../core/http/forms.ts'
import type { RateLimit } from '../../core/http/rate-limit.ts'
import type { Tokens } from '../../core/http/tokens.ts'
import { createLeaving, type Step, type Storage, step, unlessConflict } from '../../core/storage/index.ts'
import { type CookieDeps, createCookies } from './cookies.ts'
import { createCurrent, type MemberWrite, unchecked } from './current-statements.ts'
import {
  oldWallCounts,
  toWallCount,
  type WallRow,
  wallEndStatement,
  wallPages,
  wallStatements,
} from './wall-statements.ts'

/** A metered wall: some pages behind the gate are free in each period. */
export interface WallOptions {
  /** Free pages in each period. */
  readonly free: number
  /** The length of a period, such as `30d` (the default), from the first page on. */
  readonly every?: Duration
  /** Free pages of a member whose plans do not open the gate; as many as `free` unless given. */
  readonly loggedIn?: number
  /** The wall in front of a browser without cookies: `closed` unless given. */
  readonly withoutCookies?: 'closed' | 'open'
  /** The page of an address, for sites where the path and the query do not say it. */
  readonly page?: (url: URL) => string
  /** More of the data for search engines, such as `{ '@type': 'NewsArticle' }`; false adds none to the page. */
  readonly jsonLd?: Readonly<Record<string, unknown>> | false
}

/** A wall that a gate of this site stands behind. */
export interface DeclaredWall extends WallTerms {
  readonly isOpenWithoutCookies: boolean
  readonly pageOf: (url: URL) => string
}

/** Names of gates that this process declared with terms. */
export interface GatesOnTerms {
  readonly metered: readonly string[]
  readonly timed: readonly string[]
}

/** The answer of a wall to one request. */
export type WallEntry =
  | { readonly kind: 'open'; readonly giveBack: () => Promise<void> }
  /** `isShared`: the answer is the same for every visitor without cookies, so that caches may keep it. */
  | { readonly kind: 'closed'; readonly isShared: boolean }
  | { readonly kind: 'answer'; readonly answer: GateAnswer }

/** An answer that a gate gives by itself: a visit that shows if cookies are taken, or a refused prefetch. */
export interface GateAnswer {
  readonly status: 302 | 503
  readonly location: string | null
}

/** The counts of one visitor, by wall. They change with what this request opens. */
export type SeenWalls = Map<string, WallCounts>

/** Counts free pages for one site, exactly in any number of processes. */
export interface Walls {
  /** Declares the wall of a gate. @throws ERR_USAGE for impossible terms, and for other terms than before */
  declare(name: string, options: WallOptions): DeclaredWall
  /** Remembers gates that open after paid time, for the pages that show it. */
  declareTimed(names: readonly string[]): void
  names(): GatesOnTerms
  /** Reads the visitor's counts; null where the site has no wall, or there is nobody to count. */
  seenBy(ctx: Context | null, memberId: string | null): Awaitable<SeenWalls | null>
  /** The wall as a visitor has it; null where no gate of the site has one. */
  shown(name: string, seen: SeenWalls | null, isMember: boolean): Wall | null
  /** Decides on a request whose visitor has no plan for the gate, and counts its page. */
  enter(wall: DeclaredWall, ctx: Context, memberId: string | null, seen: SeenWalls | null): Promise<WallEntry>
  /** Deletes counts whose period is over, and the oldest where there are too many. */
  letGoDue(): Promise<void>
}

export interface WallDeps extends CookieDeps {
  readonly storage: Storage
  readonly tokens: Pick<Tokens, 'signVisitor' | 'visitorOf'>
  readonly now: () => Date
  /** Limits the new visitors of one address, because a program without a memory is new each time. */
  readonly newcomers: Pick<RateLimit, 'consume'>
  readonly trustProxy: number
  readonly log: (message: string) => void
  /** The most counts that are kept. */
  readonly most?: number
}

/** The member of a plan whom the leak audit plays, and who is stored nowhere. */
export const auditMemberId = 'audit'

const usualPeriod = '30d'
// A row has some 200 bytes: 100 MB at the very most.
const usualMost = 500_000
// Each conflict means that another request of the same visitor was served.
const maxTries = 100

/** Counts free pages. One statement of the database decides on each new page. */
export function createWalls(deps: WallDeps): Walls {
  const { storage, tokens, now, randomId } = deps
  const statements = wallStatements(storage)
  const leave = createLeaving(storage, oldWallCounts)
  const endAt = wallEndStatement(storage)
  const current = createCurrent(storage)
  const cookies = createCookies(deps)
  const declared = new Map<string, DeclaredWall>()
  const timed = new Set<string>()

  const visitorOf = (ctx: Context): string | null => {
    const signed = cookies.wall(ctx)
    return signed === null ? null : tokens.visitorOf(signed)
  }
  const newVisitor = (ctx: Context): string => {
    const id = randomId()
    cookies.setWall(ctx, tokens.signVisitor(id))
    return id
  }

  const read = async (visitor: string | null, memberId: string | null): Promise<Map<string, WallCounts>> => {
    const owners = { member: ownerOf('member', memberId), other: ownerOf('visitor', visitor) }
    return countsOf(await storage.all(statements.of, owners), owners)
  }

  /** The steps that count for a member, unless the account was merged meanwhile, or for a browser. */
  const countFor = (memberId: string | null, build: (write: MemberWrite) => readonly Step[]): Step[] =>
    memberId === null
      ? [
          ...build((statement, params, rows) =>
            unchecked(statement, params, 'a browser has no account', rows),
          ),
        ]
      : [...current.unlessMerged(memberId, build)]

  /** Takes along what this browser read before the login; null where there is nothing. */
  const join = (
    wall: string,
    counts: WallCounts,
    memberId: string,
    visitor: string,
  ): Promise<boolean> | null => {
    const at = now().toISOString()
    const owners = { member: ownerOf('member', memberId), other: ownerOf('visitor', visitor) }
    const count = joinedCount(counts, at)
    if (count === null) return null
    const steps = countFor(memberId, (write) =>
      joinSteps(write, statements, { wall, counts, count, owners, at }),
    )
    return unlessConflict(storage.commit(steps))
  }

  const enter: Walls['enter'] = async (wall, ctx, memberId, seen) => {
    // The audit asks which pages a plan opens, and its requests must not use up an allowance.
    if (memberId === auditMemberId) return { kind: 'closed', isShared: false }
    const url = urlOf(ctx)
    // A router opens such an address as it stands, and the page counted for it would be another.
    if (url === null) return { kind: 'closed', isShared: false }
    const allowance = memberId === null ? wall.free : wall.loggedIn
    let visitor = visitorOf(ctx)
    const isAsked = url.searchParams.get(wallParameter) === 'asked'
    if (memberId === null && visitor === null) {
      if (allowance === 0) return { kind: 'closed', isShared: true }
      if (!wall.isOpenWithoutCookies) {
        if (isAsked || !isVisit(ctx)) return { kind: 'closed', isShared: true }
        newVisitor(ctx)
        return redirectTo(url, 'asked')
      }
      visitor = newVisitor(ctx)
    } else if (url.searchParams.has(wallParameter) && isVisit(ctx)) return redirectTo(url, null)

    const mark = markOf(wall.pageOf(url))
    const owner = memberId === null ? ownerOf('visitor', visitor) : ownerOf('member', memberId)
    const key = { owner, wall: wall.name }
    const taking = { mark: `,${mark}`, pattern: `%,${mark}%` }
    const note = (counts: WallCounts) => void seen?.set(wall.name, counts)
    for (let tries = 1; tries <= maxTries; tries++) {
      const at = now().toISOString()
      const counts = (await read(visitor, memberId)).get(wall.name) ?? { member: null, visitor: null }
      note(counts)
      if (memberId !== null && visitor !== null)
        if ((await join(wall.name, counts, memberId, visitor)) !== null) continue
      const count = currentOf(memberId === null ? counts.visitor : counts.member, at)
      if (count?.pages.includes(mark)) return { kind: 'open', giveBack: async () => {} }
      const closed = { kind: 'closed', isShared: false } as const
      if (!readsOnly.has(ctx.method) || (count?.pages.length ?? 0) >= allowance) return closed
      if (isPrefetch(ctx)) return { kind: 'answer', answer: { status: 503, location: null } }
      const open = { kind: 'open', giveBack: () => giveBack({ ...key, ...taking }) } as const
      if (ctx.method === 'HEAD') return { ...open, giveBack: async () => {} }
      if (count === null && memberId === null && !(await mayBegin(ctx))) return closed
      const begun = {
        pages: [mark],
        starts_at: at,
        ends_at: after(at, wall.everySeconds),
        counted_at: at,
        joined_at: null,
      }
      const counting = (write: MemberWrite): Step[] => [
        count === null
          ? write(statements.begin, { ...key, ...begun, pages: taking.mark, used: 1 }, 1)
          : write(statements.take, { ...key, ...taking, at, free: allowance }, 1),
      ]
      if (!(await unlessConflict(storage.commit(countFor(memberId, counting))))) continue
      const counted = count === null ? begun : { ...count, pages: [...count.pages, mark], counted_at: at }
      note(memberId === null ? { ...counts, visitor: counted } : { ...counts, member: counted })
      return open
    }
    return { kind: 'closed', isShared: false }
  }

  /** Gives a free page back. The answer is decided by then, so a failure is logged and changes nothing of it. */
  const giveBack = async (page: { owner: string; wall: string; mark: string; pattern: string }) => {
    try {
      await storage.commit([step(statements.giveBack, page)])
    } catch (error) {
      deps.log(`A free page could not be given back: ${error instanceof Error ? error.message : error}`)
    }
  }

  /** False for one new visitor too many of an address, whose page stays closed for a minute. */
  const mayBegin = async (ctx: Context): Promise<boolean> => {
    const address = clientAddress(ctx.req, deps.trustProxy)
    if (address === 'unknown') return true
    try {
      await deps.newcomers.consume(address)
      return true
    } catch (error) {
      if (isMembershipError(error, 'ERR_RATE_LIMIT')) return false
      throw error
    }
  }

  return {
    declare: (name, options) => {
      const wall = declaredWall(name, options)
      const known = declared.get(name)
      if (known !== undefined && !sameTerms(known, wall))
        throw new MembershipError('ERR_USAGE', `Two gates of the name "${name}" have different free pages.`, {
          action: `Gates of one name share an allowance. Write its terms once and use them in each: const wall = { free: ${known.free} }.`,
        })
      declared.set(name, wall)
      return wall
    },
    declareTimed: (names) => {
      for (const name of names) timed.add(name)
    },
    names: () => ({ metered: [...declared.keys()], timed: [...timed] }),
    seenBy: (ctx, memberId) => {
      if (declared.size === 0) return null
      const visitor = ctx === null ? null : visitorOf(ctx)
      return visitor === null && memberId === null ? new Map() : read(visitor, memberId)
    },
    shown: (name, seen, isMember) => {
      const wall = declared.get(name)
      if (wall === undefined) return null
      return wallOf(wall, seen?.get(name) ?? { member: null, visitor: null }, isMember, now())
    },
    enter,
    letGoDue: async () => {
      await leave(now().toISOString())
      const [row] = await storage.all(endAt, { place: deps.most ?? usualMost })
      if (row === undefined) return
      deps.log(`More than ${deps.most ?? usualMost} visitors count free pages. The oldest counts begin anew.`)
      await leave(row.ends_at)
    },
  }
}

interface Owners {
  readonly member: string
  /** The browser from before the login, or the account that is merged into the member's. */
  readonly other: string
}

function countsOf(rows: readonly WallRow[], { member }: Owners): Map<string, WallCounts> {
  const counts = new Map<string, WallCounts>()
  for (const row of rows) {
    const known = counts.get(row.wall) ?? { member: null, visitor: null }
    counts.set(row.wall, { ...known, [row.owner === member ? 'member' : 'visitor']: toWallCount(row) })
  }
  return counts
}

/** The steps that add another owner's pages to a member's; null where there are none to add. */
function joinSteps(
  write: MemberWrite,
  statements: ReturnType<typeof wallStatements>,
  { wall, counts, count, owners, at }: Joining,
): readonly Step[] {
  const own = currentOf(counts.member, at)
  const row = {
    owner: owners.member,
    wall,
    pages: wallPages(count.pages),
    used: count.pages.length,
    starts_at: count.starts_at,
    ends_at: count.ends_at,
    counted_at: at,
    joined_at: null,
  }
  const { counted_at } = counts.visitor!
  return [
    own === null
      ? write(statements.begin, row, 1)
      : write(
          statements.join,
          { owner: owners.member, wall, pages: row.pages, used: row.used, at, before: wallPages(own.pages) },
          1,
        ),
    step(statements.joined, { owner: owners.other, wall, counted_at, at }, 1),
  ]
}

interface Joining {
  readonly wall: string
  readonly counts: WallCounts
  readonly count: WallCount
  readonly owners: Owners
  readonly at: string
}

/** The steps of a merge: the pages of both accounts count together, so that it gives nobody an allowance twice. */
export async function mergedWalls(
  storage: Storage,
  { kept, merged, at }: { readonly kept: string; readonly merged: string; readonly at: string },
): Promise<readonly Step[]> {
  const statements = wallStatements(storage)
  const owners = { member: ownerOf('member', kept), other: ownerOf('member', merged) }
  const counts = countsOf(await storage.all(statements.of, owners), owners)
  const write: MemberWrite = (statement, params, rows) =>
    unchecked(statement, params, 'the unit of the merge keeps the account', rows)
  return [...counts].flatMap(([wall, both]) => {
    const count = joinedCount(both, at)
    return count === null ? [] : joinSteps(write, statements, { wall, counts: both, count, owners, at })
  })
}

function declaredWall(name: string, options: WallOptions): DeclaredWall {
  const { free, every = usualPeriod, loggedIn = free, withoutCookies = 'closed', page = pageOf } = options
  const everySeconds = durationSeconds(every) ?? 0
  const isAmount = (n: number) => Number.isSafeInteger(n) && n >= 0 && n <= maxFree
  if (!isAmount(free) || !isAmount(loggedIn))
    throw new MembershipError('ERR_USAGE', `Free pages are a number from 0 to ${maxFree}.`)
  if (everySeconds <= 0 || everySeconds > maxSeconds)
    throw new MembershipError('ERR_USAGE', `"${every}" is no period of a wall.`, {
      action: 'Write a time up to a year, such as "30d".',
    })
  return { name, free, loggedIn, everySeconds, isOpenWithoutCookies: withoutCookies === 'open', pageOf: page }
}

// A row lists every page of a period.
const maxFree = 1000
const maxSeconds = 366 * 86_400

function sameTerms(a: DeclaredWall, b: DeclaredWall): boolean {
  return (
    a.free === b.free &&
    a.loggedIn === b.loggedIn &&
    a.everySeconds === b.everySeconds &&
    a.isOpenWithoutCookies === b.isOpenWithoutCookies
  )
}

function ownerOf(kind: 'member' | 'visitor', id: string | null): string {
  return id === null ? '' : `${kind}:${id}`
}

function after(at: string, seconds: number): string {
  return new Date(Date.parse(at) + seconds * 1000).toISOString()
}

// Sixteen characters are enough to tell a visitor's pages apart, and too few to be read back.
function markOf(page: string): string {
  return createHash('sha256').update(page).digest('hex').slice(0, 16)
}

/**
 * The whole address, also below a router that cuts off its own path. Null for a path that `URL` reads differently from
 * a router: with dot segments or backslashes, which no browser sends.
 */
function urlOf(ctx: Context): URL | null {
  const path = askedAddress(ctx)
  const [plain = ''] = path.split(/[?#]/, 1)
  if (/\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(plain)) return null
  // Two slashes in front would be read as a host.
  return new URL(path.replace(/^\/{2,}/, '/'), 'http://site.invalid')
}

function redirectTo(url: URL, asked: 'asked' | null): WallEntry {
  const to = new URL(url)
  if (asked === null) to.searchParams.delete(wallParameter)
  else to.searchParams.set(wallParameter, asked)
  return { kind: 'answer', answer: { status: 302, location: `${to.pathname}${to.search}` } }
}

const readsOnly = new Set(['GET', 'HEAD'])

/** True for a browser that opens a page. Crawlers get the closed page at its own address, with its data for them. */
function isVisit(ctx: Context): boolean {
  return ctx.method === 'GET' && wantsPage(ctx) && !isPrefetch(ctx) && !crawlers.test(ctx.get('User-Agent'))
}

const crawlers = /bot\b|crawl|spider|slurp|facebookexternalhit|preview|inspectiontool/i

/** A page that a browser loads ahead is not read. Another answer than success makes it load the page when it is. */
function isPrefetch(ctx: Context): boolean {
  return /prefetch|prerender/i.test(`${ctx.get('Sec-Purpose')} ${ctx.get('Purpose')} ${ctx.get('X-Moz')}`)
}
