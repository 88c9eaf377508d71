import { hash } from 'node:crypto'
import { decodeHTML } from 'entities'
import { Parser } from 'htmlparser2'

/** The words of one shingle. Fewer are a coincidence too often. */
const shingleWords = 8

/** Hashes of every run of eight words, each with the place of its first word. The text itself is not kept. */
export function shinglesOf(text: string): Set<string> {
  const words = wordsOf(text)
  const found = new Set<string>()
  for (let n = 0; n + shingleWords <= words.length; n++)
    found.add(hash('sha1', words.slice(n, n + shingleWords).join(' '), 'base64url').slice(0, 14))
  return found
}

/** The first words of a text that a set of shingles contains: ten words at most. */
export function evidenceIn(text: string, closed: ReadonlySet<string>): string | null {
  const words = wordsOf(text)
  for (let n = 0; n + shingleWords <= words.length; n++) {
    const run = words.slice(n, n + shingleWords).join(' ')
    if (closed.has(hash('sha1', run, 'base64url').slice(0, 14))) return run
  }
  return null
}

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** A page as a person and as a program see it. */
export interface PageTexts {
  /** The text that a browser shows. */
  readonly visible: string
  /** Parts that a browser does not show, by the place where they stand. */
  readonly hidden: readonly { readonly place: HiddenPlace; readonly text: string }[]
  /** Addresses as written, with the place. */
  readonly links: readonly { readonly href: string; readonly kind: LinkKind }[]
  /** GET forms with a field for words. */
  readonly searches: readonly { readonly action: string; readonly field: string }[]
}

export type HiddenPlace = 'page' | 'description' | 'json-ld' | 'script' | 'attribute'
export type LinkKind = 'page' | 'file' | 'prefetch' | 'feed' | 'script'

/** Reads a page once. Hidden elements are not visible; those that the page declares closed only with `showsClosed`. */
export function textsOfPage(html: string, { showsClosed = false } = {}): PageTexts {
  const closedClasses = showsClosed ? new Set<string>() : closedClassesOf(html)
  const visible: string[] = []
  const parts = new Map<HiddenPlace, string[]>()
  const add = (place: HiddenPlace, text: string) => {
    const list = parts.get(place) ?? []
    list.push(text)
    parts.set(place, list)
  }
  const links: { href: string; kind: LinkKind }[] = []
  const searches: { action: string; field: string }[] = []
  const open: { name: string; place: HiddenPlace | null }[] = []
  let form: string | null = null
  const here = (): HiddenPlace | null => open.findLast(({ place }) => place !== null)?.place ?? null
  const parser = new Parser({
    onopentag: (name, attributes) => {
      const place = placeOf(name, attributes, closedClasses)
      if (!empty.has(name)) open.push({ name, place })
      if (
        name === 'meta' &&
        attributes.content !== undefined &&
        !/^(viewport|csrf|charset)/i.test(attributes.name ?? '')
      )
        add('description', attributes.content)
      for (const [key, value] of Object.entries(attributes))
        if (/^(data-|alt$|title$|aria-label$|value$|srcdoc$)/.test(key) && value.length > 20)
          add('attribute', value)
      links.push(...linksOf(name, attributes))
      if (name === 'form' && (attributes.method ?? 'get').toLowerCase() === 'get')
        form = attributes.action ?? ''
      if (
        name === 'input' &&
        form !== null &&
        attributes.name &&
        /^(search|text)?$/.test(attributes.type ?? '')
      )
        searches.push({ action: form, field: attributes.name })
      if (!/^(b|i|em|strong|a|span|u|s|mark|small|sub|sup|code|abbr)$/.test(name)) visible.push(' ')
    },
    ontext: (text) => {
      const place = here()
      if (place === null) visible.push(text)
      else add(place, text)
    },
    oncomment: (text) => add('page', ` ${text} `),
    onclosetag: (name) => {
      const n = open.findLastIndex((item) => item.name === name)
      if (n >= 0) open.splice(n)
      if (name === 'form') form = null
      if (!/^(b|i|em|strong|a|span|u|s|mark|small|sub|sup|code|abbr)$/.test(name)) visible.push(' ')
    },
  })
  parser.end(html)
  const hidden = [...parts].map(([place, texts]) => ({
    place,
    text: texts.join(place === 'description' ? ' | ' : ''),
  }))
  return { visible: visible.join(''), hidden, links, searches }
}

const empty = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'track',
  'wbr',
])

function placeOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  closed: ReadonlySet<string>,
): HiddenPlace | null {
  if (name === 'script') return /ld\+json/i.test(attributes.type ?? '') ? 'json-ld' : 'script'
  if (name === 'template' || name === 'noscript' || name === 'style') return 'page'
  const isHidden =
    'hidden' in attributes ||
    attributes['aria-hidden'] === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden|filter\s*:\s*blur/i.test(attributes.style ?? '')
  const classes = (attributes.class ?? '').split(/\s+/)
  return isHidden || classes.some((word) => closed.has(word)) ? 'page' : null
}

/** Classes that the data for search engines declares closed: `isAccessibleForFree: false` with a `cssSelector`. */
function closedClassesOf(html: string): Set<string> {
  if (!/isAccessibleForFree"\s*:\s*"?false/i.test(html)) return new Set()
  return new Set([...html.matchAll(/"cssSelector"\s*:\s*"\.([\w-]+)"/g)].map(([, name]) => name!))
}

function linksOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
): { href: string; kind: LinkKind }[] {
  const { href, src, rel = '', type = '' } = attributes
  if (name === 'a' && href) return [{ href, kind: 'page' }]
  if (name === 'link' && href) {
    if (/xml|rss|atom|feed/i.test(type)) return [{ href, kind: 'feed' }]
    if (/prefetch|preload|prerender/i.test(rel)) return [{ href, kind: 'prefetch' }]
    return /stylesheet|icon|dns|preconnect|manifest/i.test(rel) ? [] : [{ href, kind: 'page' }]
  }
  if (name === 'script' && src) return [{ href: src, kind: 'script' }]
  const sets = (attributes.srcset ?? '').split(',').map((item) => item.trim().split(/\s+/)[0]!)
  const files = [src, attributes.poster, attributes.data, ...sets].filter((item) => item)
  return files.map((item) => ({ href: item!, kind: 'file' as const }))
}

/** A text of a program as words: JSON and script escapes, entities and percent signs are decoded, and tags removed. */
export function plainOf(text: string): string {
  const unescaped = text
    .replace(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(["'\\/])/g, '$1')
  const percent = /%[\da-f]{2}/i.test(unescaped)
    ? unescaped.replace(/(%[\da-f]{2})+/gi, (run) => {
        try {
          return decodeURIComponent(run)
        } catch {
          return ' '
        }
      })
    : unescaped
  return decodeHTML(percent)
    .replace(/<!\[CDATA\[|\]\]>/g, ' ')
    .replace(/<\/?(b|i|em|strong|a|span|u|s|mark|small|sub|sup|code|abbr)\b[^>]*>/gi, '')
    .replace(/<[^>]*>/g, ' ')
}

/** Addresses that a script, a feed, a sitemap or JSON names. */
export function addressesIn(text: string): string[] {
  const named = [...text.matchAll(/["'`(>]((?:https?:\/\/|\/)[^\s"'`<>()\\]{1,500})["'`)<]/g)].map(
    ([, url]) => url!,
  )
  const maps = [...text.matchAll(/[#@]\s*sourceMappingURL=([^\s*]+)/g)].map(([, url]) => url!)
  return [...named.map((url) => decodeHTML(url)), ...maps.filter((url) => !url.startsWith('data:'))]
}
