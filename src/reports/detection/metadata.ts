import { LRUCache } from 'lru-cache'
import type { Addresses } from './addresses.ts'
import { cleanText } from './text.ts'
import type { Metadata } from './types.ts'

/** Collects what a page says about itself while it is read. The first value counts. */
export interface MetadataReader {
  title(text: string): void
  /** Adds a meta tag. `name` is the lower-case `name`, `property` or `http-equiv`. */
  meta(name: string, content: string): void
  language(tag: string): void
  icon(rel: string, address: URL): void
  read(): Metadata
}

const mostIcons = 20

/** Builds a reader. `contentLanguage` is the header, used if the page itself names no language. */
export function createMetadataReader(addresses: Addresses, contentLanguage?: string): MetadataReader {
  const texts = new Map<string, string>()
  const say = (key: string, text: string | null) => {
    if (text !== null && !texts.has(key)) texts.set(key, text)
  }
  const firstOf = (...keys: string[]) =>
    keys.map((key) => texts.get(key)).find((text) => text !== undefined) ?? null
  const icons = new Set<string>()
  const favicons: string[] = []

  return {
    title: (text) => say('title', cleanText(text, 300)),
    meta: (name, content) => {
      const max = longest.get(name)
      if (max !== undefined) say(name, cleanText(content, max))
      else if (imageNames.includes(name)) say(name, addresses.find(content.trim())?.href ?? null)
      else if (name === 'content-language') say(name, toLanguage(content))
    },
    language: (tag) => say('lang', toLanguage(tag)),
    icon: (rel, { href }) => {
      if (icons.size >= mostIcons) return
      icons.add(href)
      if (rel.split(' ').includes('icon')) favicons.push(href)
    },
    read: () => ({
      title: firstOf('title', 'og:title'),
      description: firstOf('description', 'og:description'),
      language: firstOf('lang', 'content-language') ?? toLanguage(contentLanguage ?? ''),
      favicon_url: favicons[0] ?? [...icons][0] ?? null,
      icons: [...icons],
      image_url: firstOf(...imageNames),
    }),
  }
}

const longest = new Map([
  ['og:title', 300],
  ['description', 500],
  ['og:description', 500],
])

/** Meta tags that name a social image, best first. */
export const imageNames: readonly string[] = [
  'og:image',
  'og:image:url',
  'og:image:secure_url',
  'twitter:image',
  'twitter:image:src',
]

/**
 * Returns the first language of a list as a canonical tag, or null for invalid text. `en_US` is a common
 * mistake and accepted.
 */
function toLanguage(text: string): string | null {
  const [first = ''] = text.slice(0, 100).split(',')
  return canonicalOf(first.trim().replaceAll('_', '-'))
}

// The web uses few languages, and canonicalising a name costs as much as parsing dozens of tags. Only short
// names are cached: a longer one may be a substring that keeps its whole page in memory.
const canonicalTags = new LRUCache<string, { readonly tag: string | null }>({ max: 500 })
function canonicalOf(name: string): string | null {
  if (name.length > 12) return askForTag(name)
  const known = canonicalTags.get(name)
  if (known) return known.tag
  const tag = askForTag(name)
  canonicalTags.set(name, { tag })
  return tag
}
function askForTag(name: string): string | null {
  try {
    return Intl.getCanonicalLocales(name)[0] ?? null
  } catch {
    return null
  }
}
