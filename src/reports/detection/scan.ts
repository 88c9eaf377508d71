import { Parser } from 'htmlparser2'
import { createAddresses } from './addresses.ts'
import { addHeaderSigns, findHeader } from './headers.ts'
import { type Attributes, toLine, toOpenTag } from './markup.ts'
import { createMetadataReader } from './metadata.ts'
import { createSigns } from './signs.ts'
import { createTagReader } from './tags.ts'
import { createTextReader } from './texts.ts'
import type { FetchedPage, Scan, Stop } from './types.ts'

const deepest = 512
const mostTags = 50_000
const mostCharacters = 1_048_576
const mostLinks = 200

/** Reads a page once: the signs that fingerprints look for, its metadata and where it links to. Takes any text, never
 *  throws for what stands in it, and stops at 512 levels, 50 000 tags or 1 MB with what it has until there. */
export const scanPage = (page: FetchedPage): Scan => {
  const signs = createSigns()
  const addresses = createAddresses(page.url)
  const metadata = createMetadataReader(addresses, findHeader(page.headers, 'content-language'))
  const links = new Map<string, string>()
  const readTag = createTagReader({
    addresses,
    signs,
    metadata,
    onLink: (address) => {
      if (links.size < mostLinks && !links.has(address.host)) links.set(address.host, address.href)
    },
  })
  addHeaderSigns(page.headers, signs)
  const texts = createTextReader({
    onTitle: metadata.title,
    onState: (tag, text) => signs.add('dom', toLine(tag + text)),
    write: (name, attributes) => toOpenTag(name, attributes, addresses),
  })
  const stopped = walk(page.html, {
    open: (name, attributes) => {
      readTag(name, attributes)
      texts.open(name, attributes)
    },
    text: texts.text,
    close: texts.close,
    comment: (text) => {
      if (signs.hasRoom('dom')) signs.add('dom', `<!-- ${toLine(text)} -->`)
    },
  })
  texts.end()
  return { signs: signs.all(), metadata: metadata.read(), links: [...links.values()], stopped }
}

interface Visitor {
  open(name: string, attributes: Attributes): void
  text(text: string): void
  close(name: string): void
  comment(text: string): void
}

/** Walks the tags of a page until a limit is met. The parser streams and keeps only the names of open tags. */
const walk = (html: string, visitor: Visitor): Stop | null => {
  let stopped: Stop | null = null
  let depth = 0
  let tags = 0
  const stop = (reason: Stop) => {
    stopped ??= reason
    parser.pause()
  }
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (stopped) return
      visitor.open(name, attributes)
      depth += 1
      tags += 1
      if (depth >= deepest) stop('depth')
      else if (tags >= mostTags) stop('tags')
    },
    onclosetag: (name) => {
      depth -= 1
      if (!stopped) visitor.close(name)
    },
    ontext: (text) => {
      if (!stopped) visitor.text(text)
    },
    oncomment: (text) => {
      if (!stopped) visitor.comment(text)
    },
  })
  parser.write(html.slice(0, mostCharacters))
  // Ending a paused parser would make it read on.
  if (!stopped) parser.end()
  return stopped ?? (html.length > mostCharacters ? 'size' : null)
}
