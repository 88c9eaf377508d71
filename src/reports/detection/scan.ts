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
// What stands in them is kept, or is nothing to read.
const bearsText: ReadonlySet<string> = new Set(['svg', 'title', 'style', 'script', 'template', 'noscript'])
// Most tags of a page have no attribute, and nothing to say by themselves.
const isSilent = (name: string): boolean => !(bearsText.has(name) || isNotable(name, noAttributes))
const noAttributes: Attributes = {}
const onlyPath = /^\/[^/\\\s]/

/** Reads a page once: the signs that fingerprints look for, its metadata and where it links to. Takes any text, never
 *  throws for what stands in it, and stops at 512 levels, 50 000 tags or 1 MB with what it has until there. */
export const scanPage = (page: FetchedPage): Scan => {
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
      // Most links are paths of the host that the first of them led to.
      const isPath = onlyPath.test(href)
      if (links.size >= mostLinks || (isPath && hasPath)) return
      hasPath ||= isPath
      const address = addresses.find(href)
      if (address && !links.has(address.host)) links.set(address.host, address.href)
    },
  } satisfies TagDeps
  const readTag = createTagReader(tagDeps)
  // Links may be in a menu that is opened later; signs that nobody sees are none.
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
  // A head that was cut: what stands at its end is what systems add last.
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

/** The end of the head of a page whose reading stopped before it: too many tags, or too deep. */
function headTailOf(html: string): string {
  const end = html.search(/<\/head\b|<body\b/i)
  return end < 0 ? '' : html.slice(Math.max(0, end - longestTail), end)
}

const longestTail = 65_536

/** A tail may begin within a script or a style, whose text is no tags. */
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

/** Walks the tags of a page until a limit is met. The parser streams and keeps only the names of open tags. Texts come
 *  as they are written, values of attributes decoded. */
const walk = (html: string, visitor: Visitor): Stop | null => {
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
      // What a template holds is no part of the page until a script makes it one.
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
  // To look for references in all that is written would take half of the time; few texts are kept.
  const parser = new Parser(onTag, { decodeEntities: false })
  parser.write(html.slice(0, mostCharacters))
  // Ending a paused parser would make it read on.
  if (!stopped) parser.end()
  return stopped ?? (html.length > mostCharacters ? 'size' : null)
}

// False where there are none.
const decodeAll = (attributes: Record<string, string>): boolean => {
  let hasAny = false
  for (const name in attributes) {
    hasAny = true
    const value = attributes[name]!
    if (value.includes('&')) attributes[name] = decodeHTMLAttribute(value)
  }
  return hasAny
}

/** Headers as `name: value`, cookies as their names: a cookie's value is nobody's business. */
const addHeaderSigns = (headers: FetchedPage['headers'], signs: Signs): void => {
  for (const [name, value] of Object.entries(headers))
    for (const line of toLines(value)) {
      if (name !== 'set-cookie') signs.add('header', `${name}: ${line}`)
      else signs.add('cookie', line.slice(0, line.search(/[=;]|$/)).trim())
    }
}

/** The first value of a header; undefined without it. */
const findHeader = (headers: FetchedPage['headers'], name: string): string | undefined =>
  toLines(headers[name])[0]

const toLines = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value

/** Gathers what a reader sees of a page while it is read, for telling two addresses of one page from two pages. */
const createContent = () => {
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
    /** A page without text, as scripts make them, is told by all that it has. */
    digest: (html: string): string => {
      const text = seen.replace(notOneSpace, ' ').trim()
      return hash('sha256', text === '' ? html : text, 'base64url')
    },
  }
}

// Nearly all white space is one space already and stays.
const notOneSpace = /\s\s+|[^\S ]/g
const silentElements = new Set(['script', 'style', 'template', 'noscript'])
const mostContentCharacters = 200_000

interface TextDeps {
  onTitle(text: string): void
  /** Takes the open tag of a script that holds state, and the beginning of its text. */
  onState(tag: string, text: string): void
  onStyle(text: string): void
  write(name: string, attributes: Attributes): string
}

/** Characters of a style that are read. */
const mostStyle = 100_000

/** Gathers the text of titles, of styles, and of scripts that hold state, from texts as they are written. A drawing has
 *  titles of its own. */
const createTextReader = ({ onTitle, onState, onStyle, write }: TextDeps) => {
  let drawings = 0
  let current: { name: string; capture: Capture; finish: (text: string) => void } | undefined

  const open = (name: string, attributes: Attributes): void => {
    if (name === 'svg') drawings += 1
    if (name === 'title' && drawings === 0)
      current = { name, capture: createCapture(rawLength), finish: (text) => onTitle(decodeHTML(text)) }
    // In HTML a style and a script hold no references; in a drawing they do, as everything there.
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

const asWritten = (text: string): string => text
