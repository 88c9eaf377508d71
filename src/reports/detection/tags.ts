import type { Addresses } from './addresses.ts'
import { type Attributes, isNotable, lazyAddresses, lazySets, toOpenTag } from './markup.ts'
import { imageNames, type MetadataReader } from './metadata.ts'
import type { Signs } from './signs.ts'

export interface TagDeps {
  readonly addresses: Addresses
  readonly signs: Signs
  readonly metadata: MetadataReader
  /** Receives the address of each `<link rel=canonical>`. */
  readonly onCanonical: (address: URL) => void
  /** Receives every `<a href>` as written. */
  readonly onLink: (href: string) => void
}

/** Reads one open tag: its signs, its metadata and its links. */
export function createTagReader(deps: TagDeps) {
  const { addresses, signs } = deps
  const isRepeated = createRepeats()
  return (name: string, attributes: Attributes): void => {
    readers.get(name)?.(attributes, deps)
    addBackgrounds(attributes, deps)
    if (signs.hasRoom('dom') && !isRepeated(name, attributes) && isNotable(name, attributes))
      signs.add('dom', toOpenTag(name, attributes, addresses))
  }
}

/**
 * Returns true if the same tag with only a class occurred before. Most tags are such, and the sign need not
 * be formatted again.
 */
function createRepeats() {
  const byName = new Map<string, Set<string>>()
  return (name: string, attributes: Attributes): boolean => {
    for (const key in attributes) if (key !== 'class') return false
    const { class: names } = attributes
    if (names === undefined) return false
    const known = byName.get(name)
    if (known?.has(names)) return true
    if (known) known.add(names)
    else byName.set(name, new Set([names]))
    return false
  }
}

type Reader = (attributes: Attributes, deps: TagDeps) => void

const readers = new Map(
  Object.entries<Reader>({
    html: ({ lang }, { metadata }) => {
      if (lang) metadata.language(lang)
    },
    base: ({ href }, { addresses }) => {
      if (href) addresses.setBase(href)
    },
    meta: (attributes, { addresses, signs, metadata }) => {
      const name = (attributes.name ?? attributes.property ?? attributes['http-equiv'])?.trim().toLowerCase()
      const { content } = attributes
      if (!name || !content) return
      signs.add('meta', `${name}=${content}`)
      metadata.meta(name, content)
      const image = imageNames.includes(name) ? addresses.find(content.trim()) : undefined
      if (image) signs.add('asset', addresses.toSign(image))
    },
    script: (attributes, deps) => {
      addSign('script', attributes.src, deps)
      addFiles(attributes, deps)
    },
    link: ({ rel, href }, { addresses, signs, metadata, onCanonical }) => {
      const address = addresses.find(href)
      const kinds = rel?.slice(0, 100).trim().toLowerCase().split(/\s+/).join(' ')
      if (!address || !kinds) return
      if (isFile(kinds)) signs.add('asset', addresses.toSign(address))
      else signs.add('link', `${kinds}=${addresses.toSign(address)}`)
      if (iconKinds.test(kinds)) metadata.icon(kinds, address)
      if (kinds.split(' ').includes('canonical')) onCanonical(address)
    },
    a: ({ href }, deps) => {
      if (href === undefined) return
      deps.onLink(href)
      addDownload(href, deps)
    },
    // A picture inside of an SVG drawing.
    image: (attributes, deps) => {
      addSign('asset', attributes.href ?? attributes['xlink:href'], deps)
      addFiles(attributes, deps)
    },
    ...Object.fromEntries(
      ['img', 'source', 'video', 'audio', 'track', 'embed'].map((name): [string, Reader] => [
        name,
        (attributes, deps) => addFiles(attributes, deps),
      ]),
    ),
  }),
)

const iconKinds = /(?:^| )(?:icon|apple-touch-icon(?:-precomposed)?)(?: |$)/

/** Returns true for links that load a file of the page. Others describe a relation. */
function isFile(kinds: string): boolean {
  return (
    iconKinds.test(kinds) ||
    /(?:^| )(?:stylesheet|preload|prefetch|modulepreload|mask-icon)(?: |$)/.test(kinds)
  )
}

const addFiles: Reader = (attributes, deps) => {
  if (!deps.signs.hasRoom('asset')) return
  for (const name in attributes)
    if (single.has(name)) addSign('asset', attributes[name], deps)
    else if (sets.has(name))
      for (const candidate of toCandidates(attributes[name]!)) addSign('asset', candidate, deps)
}
const single: ReadonlySet<string> = new Set(['src', 'poster', ...lazyAddresses])
const sets: ReadonlySet<string> = new Set(['srcset', ...lazySets])

// Only links to files of the site make a sign. A link to a page says nothing about this page's system.
function addDownload(href: string, deps: TagDeps): void {
  if (deps.signs.hasRoom('asset') && fileName.test(href)) addSign('asset', href, deps)
}
const fileName =
  /\.(?:avif|docx?|epub|gif|ics|jpe?g|m4a|mp[34]|odt|pdf|png|pptx?|svg|vcf|webm|webp|xlsx?|zip)(?:[?#]|$)/i

// On pages whose pictures are all backgrounds, these addresses are the only sign of the system.
function addBackgrounds({ style }: Attributes, deps: TagDeps): void {
  if (style !== undefined) addStyle(style.slice(0, 2048), deps)
}

/** Adds the files that a style loads. */
export function addStyle(style: string, deps: Pick<TagDeps, 'addresses' | 'signs'>): void {
  for (const [, raw] of style.matchAll(/url\(\s*['"]?([^'")\s]+)/gi)) {
    if (!deps.signs.hasRoom('asset')) return
    addSign('asset', raw, deps)
  }
}

function addSign(
  channel: 'asset' | 'script',
  raw: string | undefined,
  { addresses, signs }: Pick<TagDeps, 'addresses' | 'signs'>,
): void {
  const sign = addresses.findSign(raw)
  if (sign !== undefined) signs.add(channel, sign)
}

/**
 * Returns the addresses of a srcset. Addresses contain commas themselves, so only a comma before white space
 * separates.
 */
function toCandidates(srcset: string): string[] {
  return srcset
    .slice(0, 8192)
    .split(/,\s/, 20)
    .map((candidate) => candidate.trim().split(/\s/, 1)[0]!)
    .filter(Boolean)
}
