import { hash } from 'node:crypto'
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode'
import { Parser } from 'htmlparser2'
import { createAddresses } from './addresses.ts'
import { type Attributes, isHidden, isNotable, isState, toLine, toOpenTag } from './markup.ts'
import { createMetadataReader } from './metadata.ts'
import { createSigns, longestSign, type Signs, unseen } from './signs.ts'
import { addStyle, createTagReader, type TagDeps } from './tags.ts'
import { type Capture, createCapture, rawLength } from './text.ts'
import type { FetchedPage, Scan, Stop } from './types.ts'

const deepest = 512
const mostTags = 50_000
const mostCharacters = 1_048_576
const mostLinks = 200
// The contents of these elements are kept, or are not text to read.
const bearsText: ReadonlySet<string> = new Set(['svg', 'title', 'style', 'script', 'template', 'noscript'])
// Most tags of a page have no attribute and make no sign.
function isSilent(name: string): boolean {
  return !(bearsText.has(name) || isNotable(name, noAttributes))
}
const noAttributes: Attributes = {}
const onlyPath = /^\/[^/\\\s]/

/**
 * Reads a page once: the signs for fingerprints, the metadata, and the links. It accepts any text and never
 * throws for its contents. At 512 levels, 50 000 tags or 1 MB it stops and returns what it has.
 */
export function scanPage(page: FetchedPage): Scan {
  const signs = createSigns()
  const addresses = createAddresses(page.url)
  const metadata = createMetadataReader(addresses, findHeader(page.headers, 'content-language'))
  const links = new Map<string, string>()
  let canonical: string | null = null
  let hasPath = false
  const tagDeps = {
    addresses,
    signs,
    metadata,
    onCanonical: ({ href }) => {
      canonical ??= href
    },
    onLink: (href) => {
      // Most links are paths on the host that the first of them led to.
      const isPath = onlyPath.test(href)
      if (links.size >= mostLinks || (isPath && hasPath)) return
      hasPath ||= isPath
      const address = addresses.find(href)
      if (address && !links.has(address.host)) links.set(address.host, address.href)
    },
  } satisfies TagDeps
  const readTag = createTagReader(tagDeps)
  // Links may be in a menu that opens later. Signs in hidden elements do not count.
  const readHidden = createTagReader({ ...tagDeps, signs: unseen })
  addHeaderSigns(page.headers, signs)
  const texts = createTextReader({
    onTitle: metadata.title,
    onState: (tag, text) => signs.add('dom', toLine(tag + text)),
    onStyle: (text) => addStyle(text, tagDeps),
    write: (name, attributes) => toOpenTag(name, attributes, addresses),
  })
  const content = createContent()
  let hasBody = false
  const visitor: Visitor = {
    open: (name, attributes, isSeen) => {
      if (isSeen) readTag(name, attributes)
      else readHidden(name, attributes)
      hasBody ||= name === 'body'
      if (!bearsText.has(name)) return
      texts.open(name, attributes)
      content.open(name)
    },
    text: (text) => {
      texts.text(text)
      content.text(text)
    },
    close: (name) => {
      if (!bearsText.has(name)) return
      texts.close(name)
      content.close(name)
    },
  }
  const stopped = walk(page.html, visitor) ?? (page.isCut ? 'size' : null)
  texts.end()
  // If the head was cut, its end is read separately, because systems add their tags last.
  const tail = stopped !== null && !hasBody ? page.headTail || headTailOf(page.html) : ''
  if (tail !== '') {
    walk(fromFirstTag(tail), visitor)
    texts.end()
  }
  return {
    signs: signs.all(),
    metadata: metadata.read(),
    canonical,
    content: content.digest(page.html),
    links: [...links.values()],
    stopped,
    isHeadTailRead: tail !== '',
  }
}

/** Returns the end of the head, if reading stopped before it: too many tags, or too deep. */
function headTailOf(html: string): string {
  const end = html.search(/<\/head\b|<body\b/i)
  return end < 0 ? '' : html.slice(Math.max(0, end - longestTail), end)
}

const longestTail = 65_536

/** Skips a script or style that the tail may begin in, because its text contains no tags. */
function fromFirstTag(tail: string): string {
  const [text = ''] = /<\/(?:script|style)\s*>/i.exec(tail) ?? []
  const closed = text === '' ? -1 : tail.indexOf(text)
  const opened = tail.search(/<(?:script|style)[\s>]/i)
  if (closed >= 0 && (opened < 0 || closed < opened)) return tail.slice(closed + text.length)
  return tail.slice(Math.max(0, tail.indexOf('<')))
}

interface Visitor {
  open(name: string, attributes: Attributes, isSeen: boolean): void
  text(text: string): void
  close(name: string): void
}

/**
 * Walks the tags of a page up to a limit. The parser streams, and keeps only the names of open tags. Texts
 * are passed on raw, attribute values decoded.
 */
function walk(html: string, visitor: Visitor): Stop | null {
  let stopped: Stop | null = null
  let depth = 0
  let tags = 0
  let templateAt: number | null = null
  let hiddenAt: number | null = null
  const stop = (reason: Stop) => {
    stopped ??= reason
    parser.pause()
  }
  const onTag = {
    onopentag: (name: string, attributes: Record<string, string>) => {
      if (stopped) return
      const isBare = !decodeAll(attributes)
      // The contents of a template are not part of the page until a script inserts them.
      if (name === 'template') templateAt ??= depth
      if (!isBare && isHidden(name, attributes)) hiddenAt ??= depth
      if (templateAt === null && !(isBare && isSilent(name)))
        visitor.open(name, attributes, hiddenAt === null)
      depth += 1
      tags += 1
      if (depth >= deepest) stop('depth')
      else if (tags >= mostTags) stop('tags')
    },
    onclosetag: (name: string) => {
      depth -= 1
      if (!stopped && templateAt === null) visitor.close(name)
      if (templateAt === depth) templateAt = null
      if (hiddenAt === depth) hiddenAt = null
    },
    ontext: (text: string) => {
      if (!stopped && templateAt === null) visitor.text(text)
    },
  }
  // Decoding every text would take half of the time, and few texts are kept.
  const parser = new Parser(onTag, { decodeEntities: false })
  parser.write(html.slice(0, mostCharacters))
  // Ending a paused parser would make it continue.
  if (!stopped) parser.end()
  return stopped ?? (html.length > mostCharacters ? 'size' : null)
}

// Returns false if there are no attributes.
function decodeAll(attributes: Record<string, string>): boolean {
  let hasAny = false
  for (const name in attributes) {
    hasAny = true
    const value = attributes[name]!
    if (value.includes('&')) attributes[name] = decodeHTMLAttribute(value)
  }
  return hasAny
}

/** Adds headers as `name: value`, and cookies by name only, because a cookie's value is private. */
function addHeaderSigns(headers: FetchedPage['headers'], signs: Signs): void {
  for (const [name, value] of Object.entries(headers))
    for (const line of toLines(value)) {
      if (name !== 'set-cookie') signs.add('header', `${name}: ${line}`)
      else signs.add('cookie', line.slice(0, line.search(/[=;]|$/)).trim())
    }
}

/** Returns the first value of a header; undefined without it. */
function findHeader(headers: FetchedPage['headers'], name: string): string | undefined {
  return toLines(headers[name])[0]
}

function toLines(value: string | readonly string[] | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value
}

/** Collects the visible text of a page, which shows if two addresses lead to the same page. */
function createContent() {
  let seen = ''
  let silent = 0
  return {
    open: (name: string): void => {
      if (silentElements.has(name)) silent += 1
    },
    close: (name: string): void => {
      if (silentElements.has(name)) silent -= 1
    },
    text: (text: string): void => {
      if (silent === 0 && seen.length < mostContentCharacters) seen += text
    },
    /**
     * Returns the digest. A page without text, such as one built by scripts, is compared by its whole source.
     */
    digest: (html: string): string => {
      const text = seen.replace(notOneSpace, ' ').trim()
      return hash('sha256', text === '' ? html : text, 'base64url')
    },
  }
}

// Nearly all white space is a single space already and stays.
const notOneSpace = /\s\s+|[^\S ]/g
const silentElements = new Set(['script', 'style', 'template', 'noscript'])
const mostContentCharacters = 200_000

interface TextDeps {
  onTitle(text: string): void
  /** Receives the open tag of a script with state, and the beginning of its text. */
  onState(tag: string, text: string): void
  onStyle(text: string): void
  write(name: string, attributes: Attributes): string
}

/** Characters that are read of a style. */
const mostStyle = 100_000

/**
 * Collects the text of titles, styles and scripts with state, from raw texts. Titles inside drawings are left
 * out.
 */
function createTextReader({ onTitle, onState, onStyle, write }: TextDeps) {
  let drawings = 0
  let current: { name: string; capture: Capture; finish: (text: string) => void } | undefined

  const open = (name: string, attributes: Attributes): void => {
    if (name === 'svg') drawings += 1
    if (name === 'title' && drawings === 0)
      current = { name, capture: createCapture(rawLength), finish: (text) => onTitle(decodeHTML(text)) }
    // In HTML a style or script contains no character references. In SVG it does, like all other text.
    const read = drawings > 0 ? decodeHTML : asWritten
    if (name === 'style')
      current = { name, capture: createCapture(mostStyle), finish: (text) => onStyle(read(text)) }
    if (!isState(name, attributes)) return
    const tag = write(name, attributes)
    current = { name, capture: createCapture(longestSign), finish: (text) => onState(tag, read(text)) }
  }
  const end = (): void => {
    current?.finish(current.capture.text())
    current = undefined
  }
  const close = (name: string): void => {
    if (name === 'svg') drawings -= 1
    if (name === current?.name) end()
  }
  return { open, text: (text: string) => current?.capture.add(text), close, end }
}

function asWritten(text: string): string {
  return text
}
