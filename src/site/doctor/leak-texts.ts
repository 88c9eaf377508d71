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

// Soft hyphens and characters without a width stand within words.
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

function wordsOf(text: string): string[] {
  return (
    text
      .replace(invisible, '')
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

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
export type LinkKind = 'page' | 'file' | 'prefetch' | 'feed' | 'script' | 'json'

/** Elements that may begin or end within a word. */
const inlineNames =
  'b|i|em|strong|a|span|u|s|mark|small|sub|sup|code|abbr|wbr|font|ins|del|q|cite|bdi|bdo|var|kbd|samp|dfn|time|data|big|tt|nobr'
const isInline = new RegExp(`^(${inlineNames})$`)
const inlineTags = new RegExp(`</?(${inlineNames})\\b[^>]*>`, 'gi')

/** Attributes of people and programs; further ones count where they are long. */
const namedAttribute = /^(data-|alt$|title$|aria-|value$|placeholder$|label$|summary$|content$|srcdoc$)/
const shapeAttribute = /^(class|d|points|transform|integrity|nonce|srcset|sizes)$/

/** Reads a page once. Hidden elements are not visible; those that the page declares closed only with `showsClosed`. */
export function textsOfPage(html: string, { showsClosed = false } = {}): PageTexts {
  const closedClasses = showsClosed ? new Set<string>() : closedClassesOf(html)
  for (const name of hiddenByStyle(html)) closedClasses.add(name)
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
        if (name !== 'meta' && (namedAttribute.test(key) ? value.length > 20 : isLong(key, value)))
          add('attribute', ` ${value} `)
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
      if (!isInline.test(name)) visible.push(' ')
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
      if (!isInline.test(name)) visible.push(' ')
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
    (name === 'dialog' && !('open' in attributes)) ||
    hidingStyle.test(attributes.style ?? '')
  const classes = (attributes.class ?? '').split(/\s+/).map((word) => `.${word}`)
  return isHidden || [...classes, `#${attributes.id ?? ''}`].some((word) => closed.has(word)) ? 'page' : null
}

const hidingStyle =
  /display\s*:\s*none|visibility\s*:\s*hidden|filter\s*:\s*blur|opacity\s*:\s*0(?![.\d])|font-size\s*:\s*0(?![.\d])|max-height\s*:\s*0(?![.\d])|color\s*:\s*transparent|content-visibility\s*:\s*hidden/i

/** Classes and ids that the page's own style sheet hides, outside of media queries. */
function hiddenByStyle(html: string): string[] {
  const sheets = [...html.matchAll(/<style\b[^>]*>([\s\S]*?)<\/style>/gi)].map(([, sheet]) =>
    sheet!.replace(/\/\*[\s\S]*?\*\//g, '').replace(/@media[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g, ''),
  )
  return sheets.flatMap((sheet) =>
    [...sheet.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
      .filter(([, , rules]) => hidingStyle.test(rules!))
      .flatMap(([, selectors]) => selectors!.split(',').map((selector) => selector.trim()))
      .filter((selector) => /^[.#][\w-]+$/.test(selector)),
  )
}

function isLong(key: string, value: string): boolean {
  return value.length > 60 && !shapeAttribute.test(key)
}

/** Classes that the data for search engines declares closed: `isAccessibleForFree: false` with a `cssSelector`. */
function closedClassesOf(html: string): Set<string> {
  if (!/isAccessibleForFree"\s*:\s*"?false/i.test(html)) return new Set()
  return new Set([...html.matchAll(/"cssSelector"\s*:\s*"([.#][\w-]+)"/g)].map(([, name]) => name!))
}

function linksOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
): { href: string; kind: LinkKind }[] {
  const { href, src, rel = '', type = '' } = attributes
  const styled = [...(attributes.style ?? '').matchAll(/url\(\s*["']?([^"')]+)/gi)].map(
    ([, address]) => address,
  )
  const lazy = ['data-src', 'data-original', 'data-lazy-src', 'data-bg'].map((key) => attributes[key])
  const sets = [attributes.srcset, attributes['data-srcset'], attributes.imagesrcset].flatMap((set) =>
    (set ?? '').split(',').map((item) => item.trim().split(/\s+/)[0]),
  )
  const more = [
    ...files([...styled, ...lazy, ...sets, attributes.poster, attributes.data]),
    // Parts of a page that a script fetches. Addresses that act are written elsewhere.
    ...['hx-get', 'data-url', 'data-href', 'data-endpoint', 'data-json', 'data-api']
      .map((key) => attributes[key])
      .filter((address) => address !== undefined && /^(\.{0,2}\/|https?:)\S+$/.test(address))
      .map((address) => ({ href: address!, kind: 'json' as const })),
  ]
  if ((name === 'a' || name === 'area') && href) return [{ href, kind: 'page' }, ...more]
  if (name === 'meta' && /^refresh$/i.test(attributes['http-equiv'] ?? '')) {
    const [, address] = /url\s*=\s*["']?([^"'\s]+)/i.exec(attributes.content ?? '') ?? []
    return address === undefined ? more : [{ href: address, kind: 'page' }, ...more]
  }
  if (name === 'link' && href) {
    if (/xml|rss|atom|feed/i.test(type)) return [{ href, kind: 'feed' }]
    if (/prefetch|preload|prerender/i.test(rel)) return [{ href, kind: 'prefetch' }, ...more]
    return /stylesheet|icon|dns|preconnect|manifest/i.test(rel) ? [] : [{ href, kind: 'page' }]
  }
  if (name === 'script' && src) return [{ href: src, kind: 'script' }]
  const image = name === 'image' ? (href ?? attributes['xlink:href']) : undefined
  return [...files([src, image]), ...more]
}

function files(addresses: readonly (string | undefined)[]): { href: string; kind: 'file' }[] {
  return addresses.filter((address) => address).map((address) => ({ href: address!, kind: 'file' as const }))
}

/** Addresses in the header `Link`, by which a server asks the browser to load something early. */
export function linkedInHeader(header: string): string[] {
  return [...header.matchAll(/<([^>]+)>[^,]*\brel="?[^",]*(?:prefetch|preload|prerender)/gi)].map(
    ([, address]) => address!,
  )
}

/** A text of a program as words: JSON and script escapes, entities and percent signs are decoded, and tags removed. */
export function plainOf(text: string): string {
  return [text, ...valuesByKey(text), ...encodedIn(text)].map(plainWords).join(' | ')
}

function plainWords(text: string): string {
  const unescaped = text
    .replace(/\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})/gi, (whole, ...codes) => {
      const code = Number.parseInt(
        codes.slice(0, 3).find((item) => item !== undefined),
        16,
      )
      return code > 0x10ffff ? whole : String.fromCodePoint(code)
    })
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
  const decoded = decodeHTML(percent)
  // A feed writes a page as text, so its entities are written twice.
  return (/&(#\d+|#x[\da-f]+|[a-z]+\d*);/i.test(decoded) ? decodeHTML(decoded) : decoded)
    .replace(/<!\[CDATA\[|\]\]>/g, ' ')
    .replace(inlineTags, '')
    .replace(/<[^>]*>/g, ' ')
}

/** The texts of JSON by their key, one after the other: editors store a sentence as several nodes. */
function valuesByKey(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return []
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return []
  }
  const byKey = new Map<string, string[]>()
  const visit = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      const list = byKey.get(key) ?? []
      list.push(value)
      byKey.set(key, list)
    } else if (Array.isArray(value)) for (const item of value) visit(item, key)
    else if (typeof value === 'object' && value !== null)
      for (const [name, item] of Object.entries(value)) visit(item, name)
  }
  visit(parsed, '')
  return [...byKey.values()].filter((list) => list.length > 1).map(joined)
}

/** Joins nodes. A node may end within a sentence, and even within a word. */
function joined(parts: readonly string[]): string {
  return parts.reduce(
    (all, part) => all + (/[\p{L}\p{N}]$/u.test(all) && /^\p{Lu}/u.test(part) ? ' ' : '') + part,
    '',
  )
}

const leastEncoded = 80

/** Texts that are written in base64. */
function encodedIn(text: string): string[] {
  return (
    [...text.matchAll(/[A-Za-z0-9+/_-]{80,}={0,2}/g)]
      .slice(0, 50)
      .map(([run]) => Buffer.from(run, 'base64').toString('utf8'))
      // biome-ignore lint/suspicious/noControlCharactersInRegex: bytes that no text has
      .filter((decoded) => decoded.length * 2 > leastEncoded && !/[\u0000-\u0008\ufffd]/.test(decoded))
  )
}

/** Addresses that a script, a feed, a sitemap or JSON names. */
export function addressesIn(text: string): string[] {
  const plain = text.replaceAll('\\/', '/')
  const absolute = /["'`(>]\s*((?:https?:\/\/|\.{0,2}\/)[^\s"'`<>()\\]{1,500})\s*["'`)<]/g
  const relative = /["'`]([\w-]+(?:\/[\w.-]+)*\.(?:json|xml|txt|md|html|php))["'`]/g
  const named = [...plain.matchAll(absolute), ...plain.matchAll(relative)].map(([, url]) => url!)
  const maps = [...plain.matchAll(/[#@]\s*sourceMappingURL=([^\s*]+)/g)].map(([, url]) => url!)
  const sitemaps = [...plain.matchAll(/^\s*sitemap\s*:\s*(\S+)/gim)].map(([, url]) => url!)
  return [
    ...named.map((url) => decodeHTML(url)),
    ...maps.filter((url) => !url.startsWith('data:')),
    ...sitemaps,
  ]
}
