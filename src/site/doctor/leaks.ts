import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { MembershipError } from '../../core/errors.ts'
import {
  createNetwork,
  createRobotsMemory,
  createVisits,
  noSlots,
  type OwnAnswer,
} from '../../reports/visit/index.ts'
import { addressesIn, evidenceIn, linkedInHeader, plainOf, shinglesOf, textsOfPage } from './leak-texts.ts'

/** The kind of place in which closed content was found. */
export type LeakKind =
  | 'page'
  | 'description'
  | 'json-ld'
  | 'script'
  | 'attribute'
  | 'json'
  | 'prefetch'
  | 'feed'
  | 'sitemap'
  | 'search'
  | 'source-map'
  | 'file'
  | 'cache'
  | 'old-address'
  | 'print'

/** One place where a visitor reads what they may not. */
export interface Leak {
  readonly kind: LeakKind
  readonly url: string
  /** The page whose content leaks. */
  readonly of: string
  /** `nobody`, or the plan whose member reads it. */
  readonly reader: string
  /** Eight words as proof, or the header that is wrong. */
  readonly evidence: string
}

/** The result of an audit. */
export interface LeakReport {
  readonly site: string
  readonly plans: readonly string[]
  /** Addresses that were read. */
  readonly read: number
  /** Pages that show more to a member than to nobody. */
  readonly closed: number
  readonly leaks: readonly Leak[]
  /** True if there were more addresses than were read. */
  readonly isCut: boolean
}

/** Options of an audit. */
export interface LeakOptions {
  /** The address of the site. */
  readonly site: string
  /** More sitemaps than robots.txt and /sitemap.xml name. */
  readonly sitemaps?: readonly string[]
  /** Further addresses: old ones, and those that nothing links to. */
  readonly addresses?: readonly string[]
  /** The most addresses that are read. Default: 1000. */
  readonly most?: number
  /** Pause between two requests. Default: 50. */
  readonly pauseMs?: number
}

/** The keys of an audit. Each is valid for minutes. */
export interface LeakKeys {
  /** True for a path of the package. */
  readonly isOwn: (path: string) => boolean
  readonly plans: readonly string[]
  /** Headers that show the site as a member of this plan. */
  headersFor(plan: string): Promise<Readonly<Record<string, string>>>
  /** The path that proves that the site has the same secret, and the proof it must answer. */
  challenge(): Promise<{ readonly path: string; readonly proof: string }>
}

const usualMost = 1000
// Fewer equal runs are a quotation.
const fewest = 3
// A visible page is open by intent unless it has this part of a closed text.
const visibleShare = 0.4

/**
 * Reads a site as nobody and as a member of each plan, and finds closed content that others can read. It visits only a
 * site that proves to have this site's secret. It keeps hashes of texts, and no text.
 * @throws ERR_USAGE for an address that is no site, ERR_REFUSED for a site without the proof
 */
export async function findLeaks(options: LeakOptions, keys: LeakKeys): Promise<LeakReport> {
  const { origin } = siteOf(options.site)
  const reader = openReader(origin, options.pauseMs ?? 50)
  await requireProof(origin, reader, keys)
  const most = options.most ?? usualMost
  const found = await collect({ origin, reader, keys, options, most })
  const leaks = judge(found, keys.plans)
  leaks.push(...(await searchesOf(origin, reader, found)))
  return {
    site: origin,
    plans: keys.plans,
    read: found.seen.size,
    isCut: found.isCut,
    closed: new Set(found.closed.map(({ url }) => url)).size,
    leaks: unique(leaks),
  }
}

function siteOf(text: string): URL {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return new URL(text)
  throw new MembershipError('ERR_USAGE', `"${text}" is no address of a site.`, {
    action: 'Give it such as https://example.com.',
  })
}

type Read = (url: string, headers?: Readonly<Record<string, string>>) => Promise<OwnAnswer | null>

/** Reads addresses of one origin with the crawler of the website index, one after the other. */
function openReader(origin: string, pauseMs: number): Read {
  // The operator names the site and the site proves its secret, so an inner address is allowed as well.
  const policy = { allowsHost: () => true, allowsAddress: () => true }
  const visits = createVisits({
    network: createNetwork({ policy }),
    policy,
    slots: noSlots,
    robots: createRobotsMemory(),
    userAgent: 'membership-doctor',
    pauseMs,
    now: () => new Date(),
    maxBytes: 4_194_304,
  })
  return async (url, headers = {}) => {
    const { host, origin: at } = new URL(url)
    if (at !== origin) return null
    await new Promise((done) => setTimeout(done, pauseMs))
    const site = { url, key: url, orHttp: false, host: host.replace(/:\d+$/, ''), domain: host }
    return visits.readOwn(site, headers).catch(() => null)
  }
}

async function requireProof(origin: string, read: Read, keys: LeakKeys): Promise<void> {
  const { path, proof } = await keys.challenge()
  const answer = await read(origin + path)
  if (answer?.status === 200 && answer.text.includes(proof)) return
  throw new MembershipError('ERR_REFUSED', `${origin} did not prove that it is this site.`, {
    action:
      'Run the command in the folder of the site, with the same membership.secret, and this version there.',
  })
}

/** One address as one reader got it. Its texts live as long as the audit runs. */
interface Seen {
  readonly url: string
  readonly kind: LeakKind
  readonly parts: readonly { readonly kind: LeakKind; readonly text: string; readonly isVisible: boolean }[]
}

/** A page that shows more to a member of a plan than to nobody. */
interface Closed {
  readonly url: string
  readonly plan: string
  readonly shingles: ReadonlySet<string>
}

interface Found {
  readonly seen: ReadonlySet<string>
  readonly isCut: boolean
  /** The answers that each reader got. Nobody's list comes first. */
  readonly readings: ReadonlyMap<string, readonly Seen[]>
  readonly closed: readonly Closed[]
  readonly early: Leak[]
  readonly searches: readonly { readonly action: string; readonly field: string }[]
  /** Two rare words of closed pages, to search for. */
  readonly words: readonly string[]
}

const nobody = 'nobody'

async function collect(given: {
  origin: string
  reader: Read
  keys: LeakKeys
  options: LeakOptions
  most: number
}): Promise<Found> {
  const { origin, reader, keys, options, most } = given
  const { plans, isOwn } = keys
  const queue: { url: string; kind: LeakKind; repeats: Repeated | null }[] = []
  const seen = new Set<string>()
  const add = (href: string, base: string, kind: LeakKind, repeats: Repeated | null = null) => {
    if (!URL.canParse(href, base)) return
    const url = new URL(href, base)
    url.hash = ''
    // Our own routes have no closed content, and some of them act. A link to a file there is its own key.
    if (url.origin !== origin || isOwn(url.pathname) || seen.has(url.href)) return
    seen.add(url.href)
    queue.push({ url: url.href, kind, repeats })
  }
  add('/', origin, 'page')
  for (const path of ['/robots.txt', '/sitemap.xml', ...(options.sitemaps ?? [])])
    add(path, origin, 'sitemap')
  for (const path of options.addresses ?? []) add(path, origin, 'old-address')
  for (const { path, kind } of usualPlaces) add(path, origin, kind)

  const readings = new Map<string, Seen[]>([
    [nobody, []],
    ...plans.map((plan) => [plan, []] as [string, Seen[]]),
  ])
  const closed: Closed[] = []
  const early: Leak[] = []
  const searches: { action: string; field: string }[] = []
  const words: string[] = []
  let count = 0
  for (let item = queue.shift(); item !== undefined && count < most; item = queue.shift(), count++) {
    const { url, kind, repeats } = item
    const before = await reader(url)
    if (before === null || digestOf(before.bytes) === repeats?.bytes) continue
    const own = readAs(url, kind, before)
    readings.get(nobody)!.push(own.seen)
    // A variant that is missing, or that shows its page once more, is no place of its own.
    if (repeats !== null && (before.status >= 400 || digestOf(visibleOf(own.seen)) === repeats.visible))
      continue
    for (const link of own.links) add(link.href, url, link.kind)
    searches.push(...own.searches.map(({ action, field }) => ({ action: new URL(action, url).href, field })))
    const here: Closed[] = []
    const kept: Set<string>[] = []
    const given = shinglesOf(visibleOf(readAs(url, kind, before, 'member').seen))
    for (const name of plans) {
      // Each request has a key of its own, because an audit may take longer than a key is valid.
      const answer = await reader(url, await keys.headersFor(name))
      if (answer === null) continue
      const theirs = readAs(url, kind, answer, 'member')
      readings.get(name)!.push(theirs.seen)
      for (const link of theirs.links) add(link.href, url, link.kind)
      early.push(...filesOf({ url, plan: name, theirs, own, isOwn }))
      const more = answer.status < 400 ? moreThan(theirs.seen, own.seen) : null
      if (more === null || more.size < fewest) continue
      here.push({ url, plan: name, shingles: more })
      const rare = evidenceIn(visibleOf(theirs.seen), more)
      if (rare !== null) words.push(rare.split(' ').slice(0, 2).join(' '))
      // Text that nobody already has in the page, hidden, is no matter of caches.
      const unread = minus(more, given)
      if (unread.size < fewest) continue
      kept.push(unread)
      early.push(...cacheLeaks(url, name, answer))
    }
    if (here.length === 0) continue
    closed.push(...here)
    if (kept.length > 0) early.push(...(await keptAfter({ url, kind, reader, kept })))
    if (repeats !== null) continue
    const page = { bytes: digestOf(before.bytes), visible: digestOf(visibleOf(own.seen)) }
    for (const variant of variantsOf(url)) add(variant.path, url, variant.kind, page)
  }
  await askForFiles(early, reader)
  return { seen, isCut: queue.length > 0, readings, closed, early, searches, words }
}

/** Digests of what nobody got at an address: of its bytes, and of the text that it shows. */
interface Repeated {
  readonly bytes: string
  readonly visible: string
}

function digestOf(data: Buffer | string): string {
  return hash('sha256', data, 'base64url')
}

function isHtml({ headers, text }: OwnAnswer): boolean {
  return /html/.test(String(headers['content-type'] ?? '')) || /^\s*<(!doctype html|html)/i.test(text)
}

/**
 * Takes an answer apart. Text that a page declares closed is shown to a member who gets it; nobody should not get it at
 * all.
 */
function readAs(url: string, kind: LeakKind, answer: OwnAnswer, reader: 'nobody' | 'member' = nobody) {
  const location = answer.headers.location
  const links: { href: string; kind: LeakKind }[] =
    typeof location === 'string' ? [{ href: location, kind: 'page' }] : []
  const type = String(answer.headers['content-type'] ?? '')
  links.push(
    ...linkedInHeader(String(answer.headers.link ?? '')).map((href) => ({ href, kind: 'prefetch' as const })),
  )
  if (isHtml(answer)) {
    const page = textsOfPage(answer.text, { showsClosed: reader === 'member' })
    for (const link of page.links)
      links.push({ href: link.href, kind: link.kind === 'script' ? 'script' : link.kind })
    const scripts = page.hidden.filter(({ place }) => place === 'script' || place === 'json-ld')
    for (const { text } of scripts)
      links.push(...addressesIn(text).map((href) => ({ href, kind: 'json' as const })))
    const parts = [
      { kind: pageKindOf(kind), text: page.visible, isVisible: true },
      ...page.hidden.map(({ place, text }) => ({
        kind: place === 'page' ? pageKindOf(kind) : place,
        text: plainOf(text),
        isVisible: false,
      })),
    ]
    return {
      seen: { url, kind, parts },
      links,
      files: page.links.filter((link) => link.kind === 'file' || isFile(link.href)),
      searches: page.searches,
      answer,
    }
  }
  const text = textOf(answer, type)
  const parts =
    text === null ? [] : [{ kind: kindOf({ url, type, kind, text }), text: plainOf(text), isVisible: false }]
  if (text !== null)
    links.push(
      ...addressesIn(text).map((href) => ({
        href,
        kind: /sourceMap|\.map$/.test(href) ? ('source-map' as const) : kindOfLink(kind),
      })),
    )
  return { seen: { url, kind, parts }, links, files: [], searches: [], answer }
}

const mostUnpacked = 16_777_216

/** The text of an answer that is no page; null for pictures and the like. */
function textOf({ bytes, text }: OwnAnswer, type: string): string | null {
  if (/gzip/.test(type) && bytes[0] === 0x1f && bytes[1] === 0x8b)
    try {
      return gunzipSync(bytes, { maxOutputLength: mostUnpacked }).toString('utf8')
    } catch {
      return null
    }
  if (type !== '' && !/text|json|xml|javascript|ecmascript|calendar|markdown/.test(type)) return null
  const [, declared] = /^<\?xml[^>]*\bencoding=["']([\w-]+)/.exec(bytes.toString('latin1', 0, 200)) ?? []
  if (declared === undefined || /charset/i.test(type) || /^utf-?8$/i.test(declared)) return text
  try {
    return new TextDecoder(declared).decode(bytes)
  } catch {
    return text
  }
}

function pageKindOf(kind: LeakKind): LeakKind {
  return kind === 'old-address' || kind === 'print' || kind === 'prefetch' ? kind : 'page'
}
function kindOfLink(kind: LeakKind): LeakKind {
  return kind === 'script' ? 'json' : 'page'
}

function kindOf({
  url,
  type,
  kind,
  text,
}: {
  url: string
  type: string
  kind: LeakKind
  text: string
}): LeakKind {
  const [, root] = /^\s*(?:<\?[^>]*\?>\s*)?<(urlset|sitemapindex|rss|feed)\b/.exec(text) ?? []
  if (/\.map($|\?)/.test(url)) return 'source-map'
  if (kind === 'prefetch' || kind === 'print' || kind === 'old-address') return kind
  if (kind === 'sitemap' || /sitemap/.test(url) || root === 'urlset' || root === 'sitemapindex')
    return 'sitemap'
  if (
    root !== undefined ||
    kind === 'feed' ||
    /rss|atom|feed/.test(type) ||
    /(feed|rss|atom|podcast)/i.test(new URL(url).pathname)
  )
    return 'feed'
  if (/javascript|ecmascript/.test(type)) return 'script'
  return 'json'
}

function isFile(href: string): boolean {
  return /\.(pdf|epub|mobi|zip|mp3|m4a|ogg|mp4|webm|mov|jpe?g|png|webp|avif|gif|docx?|xlsx?|csv)($|\?)/i.test(
    href,
  )
}

function visibleOf({ parts }: Seen): string {
  return parts
    .filter(({ isVisible }) => isVisible)
    .map(({ text }) => text)
    .join(' ')
}

/** The runs of words that a member sees on a page and nobody else; null where it is no page. */
function moreThan(theirs: Seen, own: Seen): Set<string> | null {
  if (!theirs.parts.some(({ isVisible }) => isVisible)) return null
  const shown = shinglesOf(visibleOf(own))
  return new Set([...shinglesOf(visibleOf(theirs))].filter((run) => !shown.has(run)))
}

/** Asks once more: a shared cache may now have what a member got. */
async function keptAfter({
  url,
  kind,
  reader,
  kept,
}: {
  url: string
  kind: LeakKind
  reader: Read
  kept: readonly Set<string>[]
}): Promise<Leak[]> {
  const answer = await reader(url)
  if (answer === null) return []
  const text = visibleOf(readAs(url, kind, answer, 'member').seen)
  const evidence = kept.map((runs) => evidenceIn(text, runs)).find((words) => words !== null)
  return evidence ? [{ kind: 'cache', url, of: url, reader: nobody, evidence }] : []
}

/** Headers of a member's page that let a shared cache keep it. */
function cacheLeaks(url: string, reader: string, { headers }: OwnAnswer): Leak[] {
  const control = String(headers['cache-control'] ?? '')
  const leak = (evidence: string): Leak => ({ kind: 'cache', url, of: url, reader, evidence })
  // With a list of fields, `private="set-cookie"`, the rest of the page may be kept.
  const isPrivate = (value: string) => /(^|[\s,])(private|no-store)\s*($|,)/i.test(value)
  // Caches of a CDN follow their own field first: RFC 9213.
  const targeted = Object.keys(headers).filter(
    (name) =>
      /^(surrogate-control|([a-z]+-)*cdn-cache-control)$/.test(name) && !isPrivate(String(headers[name])),
  )
  const isHit = ['x-cache', 'cf-cache-status', 'x-vercel-cache', 'x-cache-status'].find((name) =>
    /^(tcp_)?(mem_)?hit\b/i.test(String(headers[name] ?? '')),
  )
  return [
    ...(isPrivate(control) ? [] : [leak(`Cache-Control: ${control || 'missing'}`)]),
    ...targeted.map((name) => leak(`${name}: ${String(headers[name])}`)),
    ...(isHit === undefined ? [] : [leak(`${isHit}: ${String(headers[isHit])}`)]),
    ...(Number(headers.age ?? 0) > 0 ? [leak(`Age: ${String(headers.age)}`)] : []),
  ]
}

/** Files that only a member's page names. They are asked for as nobody at the end. */
function filesOf(given: {
  url: string
  plan: string
  theirs: ReturnType<typeof readAs>
  own: ReturnType<typeof readAs>
  isOwn: LeakKeys['isOwn']
}): Leak[] {
  const { url, plan, theirs, own, isOwn } = given
  const known = new Set(own.files.map(({ href }) => href))
  return theirs.files
    .filter(({ href }) => !known.has(href) && URL.canParse(href, url) && !isOwn(new URL(href, url).pathname))
    .map(({ href }) => ({
      kind: 'file' as const,
      url: new URL(href, url).href,
      of: url,
      reader: nobody,
      evidence: `named only for ${plan}`,
    }))
}

/** Keeps those files that nobody is refused. */
async function askForFiles(leaks: Leak[], read: Read): Promise<void> {
  for (const leak of leaks.filter(({ kind }) => kind === 'file')) {
    const answer = await read(leak.url)
    if (answer === null || answer.status !== 200 || isHtml(answer)) leaks.splice(leaks.indexOf(leak), 1)
  }
}

/** Addresses at which sites have feeds and indexes, though no page names them. */
const usualPlaces: readonly { path: string; kind: LeakKind }[] = [
  ...['/feed', '/rss', '/feed.xml', '/rss.xml', '/atom.xml', '/feed.json'].map((path) => ({
    path,
    kind: 'feed' as const,
  })),
  ...['/search.json', '/search-index.json', '/index.json', '/llms-full.txt'].map((path) => ({
    path,
    kind: 'json' as const,
  })),
  { path: '/sitemap_index.xml', kind: 'sitemap' },
]

/** Other addresses under which sites serve a page: print versions, and the data behind it. */
function variantsOf(url: string): { path: string; kind: LeakKind }[] {
  const { pathname } = new URL(url)
  const path = pathname.replace(/\/+$/, '')
  return [
    ...['?print=1', '?print', '?view=print', '?format=print', '?amp=1'].map((query) => ({
      path: path + query,
      kind: 'print' as const,
    })),
    ...['/print', '/amp', '.print', '.txt', '.md'].map((end) => ({
      path: path + end,
      kind: 'print' as const,
    })),
    ...['.json', '?format=json', '/feed', '/index.json'].map((end) => ({
      path: path + end,
      kind: 'json' as const,
    })),
    ...[`/api${path}`, `/wp-json/wp/v2/posts?slug=${path.split('/').at(-1)}`].map((end) => ({
      path: end,
      kind: 'json' as const,
    })),
  ]
}

/** Compares what each reader got with the closed texts that are not theirs. */
function judge(found: Found, plans: readonly string[]): Leak[] {
  const leaks = [...found.early]
  for (const reader of [nobody, ...plans]) {
    const { seen, theirs, isVisibleLeak } = closedTo(reader, found)
    for (const item of seen)
      for (const { url: of, whole, shingles } of theirs)
        for (const { kind, text, isVisible } of item.parts) {
          if (isVisible && !isVisibleLeak(item.url, whole)) continue
          const own = shinglesOf(text)
          if ([...shingles].filter((run) => own.has(run)).length < fewest) continue
          leaks.push({ kind, url: item.url, of, reader, evidence: evidenceIn(text, shingles) ?? '' })
        }
  }
  return leaks
}

/** The closed texts that are not a reader's, as a whole and without what other pages show to that reader on purpose. */
function closedTo(reader: string, { readings, closed }: Pick<Found, 'readings' | 'closed'>) {
  const seen = readings.get(reader) ?? []
  const shown = new Map(seen.map((item) => [item.url, shinglesOf(visibleOf(item))]))
  const frame = frameOf(seen, shown)
  // A member of this plan may read what they see on the closed page itself.
  const theirs = closed
    .filter(({ plan }) => plan !== reader)
    .map(({ url, shingles }) => ({ url, whole: minus(minus(shingles, shown.get(url)), frame) }))
    .filter(({ whole }) => whole.size >= fewest)
  const isVisibleLeak = (url: string, shingles: ReadonlySet<string>) => {
    // What a page shows to members of another plan, such as its offers, is meant for them.
    if (reader !== nobody) return false
    const own = shown.get(url) ?? new Set()
    return (
      [...shingles].filter((run) => own.has(run)).length >= Math.max(fewest, shingles.size * visibleShare)
    )
  }
  // What other pages show on purpose, such as a quotation, is not closed.
  const open = new Set(
    seen
      .filter(({ url }) => !theirs.some(({ whole }) => isVisibleLeak(url, whole)))
      .flatMap(({ url }) => [...(shown.get(url) ?? [])]),
  )
  return {
    seen,
    isVisibleLeak,
    theirs: theirs.map((page) => ({ ...page, shingles: minus(page.whole, open) })),
  }
}

const framePages = 3

/** Text that every page shows around its own, such as menus and notes: on three pages or more. */
function frameOf(seen: readonly Seen[], shown: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const counts = new Map<string, number>()
  for (const { url, kind } of seen)
    if (kind === 'page') for (const run of shown.get(url) ?? []) counts.set(run, (counts.get(run) ?? 0) + 1)
  return new Set([...counts].filter(([, count]) => count >= framePages).map(([run]) => run))
}

function minus(a: ReadonlySet<string>, b: ReadonlySet<string> | undefined): Set<string> {
  return new Set([...a].filter((item) => b?.has(item) !== true))
}

/** Searches for two words of each closed page, as nobody. */
async function searchesOf(origin: string, read: Read, found: Found): Promise<Leak[]> {
  const { searches, words } = found
  const { theirs } = closedTo(nobody, found)
  const forms = new Map(searches.map((item) => [`${item.action} ${item.field}`, item]))
  if (forms.size === 0) forms.set('usual', { action: `${origin}/search`, field: 'q' })
  const leaks: Leak[] = []
  for (const { action, field } of forms.values())
    for (const query of new Set(words)) {
      const url = new URL(action)
      url.searchParams.set(field, query)
      const answer = await read(url.href)
      if (answer === null || answer.status >= 400) continue
      const text = isHtml(answer)
        ? [textsOfPage(answer.text).visible, plainOf(answer.text)].join(' ')
        : plainOf(answer.text)
      for (const { url: of, shingles } of theirs) {
        const evidence =
          [...shinglesOf(text)].filter((run) => shingles.has(run)).length >= fewest
            ? evidenceIn(text, shingles)
            : null
        url.searchParams.set(field, '…')
        if (evidence !== null) leaks.push({ kind: 'search', url: url.href, of, reader: nobody, evidence })
      }
    }
  return leaks
}

/** One leak for each place and reader, whichever plan's page showed it. */
function unique(leaks: readonly Leak[]): Leak[] {
  const byPlace = new Map<string, Leak>()
  for (const leak of leaks) {
    const place = `${leak.kind} ${leak.url} `
    // Everybody reads what nobody in particular may read.
    if (!byPlace.has(place + nobody) && !byPlace.has(place + leak.reader))
      byPlace.set(place + leak.reader, leak)
  }
  return [...byPlace.values()]
}
