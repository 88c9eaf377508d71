import type { Addresses } from './addresses.ts'
import { longestSign } from './signs.ts'

/** An element's attributes, by their lower-case names. */
export type Attributes = Readonly<Record<string, string>>

/** True for a tag worth a sign: the page's frame, forms, custom elements, and whatever bears an id, a class or data. */
export const isNotable = (name: string, attributes: Attributes): boolean => {
  if (frame.has(name) || name.includes('-')) return true
  for (const key in attributes) if (isMark(key)) return true
  return false
}

/** A tag as text, such as `<body class="home">`: id, class and data only, a form's action as the address' sign. Quotes
 *  in values are escaped, so that no value can pose as an attribute. Addresses are left out: they have channels that
 *  tell whose they are. */
export const toOpenTag = (name: string, attributes: Attributes, addresses: Addresses): string => {
  let tag = `<${name.slice(0, 60)}`
  for (const key in attributes) {
    if (tag.length >= longestSign) break
    if (isMark(key) || (name === 'script' && key === 'type')) tag += attribute(key, attributes[key]!)
  }
  const action = name === 'form' ? addresses.find(attributes.action) : undefined
  return `${tag}${action ? attribute('action', addresses.toSign(action)) : ''}>`
}

/** True for scripts that hold state as JSON. Linked data is left out: it is the author's text. */
export const isState = (name: string, attributes: Attributes): boolean =>
  name === 'script' && /json/i.test(attributes.type ?? '') && !/ld\+json/i.test(attributes.type ?? '')

/** Nobody sees it: signs in it are easily made and prove nothing. A page as a whole may begin hidden. */
export const isHidden = (name: string, attributes: Attributes): boolean => {
  if (name === 'html' || name === 'body') return false
  for (const key in attributes) if (hides(name, key, attributes[key]!)) return true
  return false
}

const hides = (name: string, key: string, value: string): boolean => {
  switch (key) {
    case 'hidden':
      return true
    case 'style':
      return /display\s*:\s*none/i.test(value.slice(0, 2048))
    case 'width':
    case 'height':
      return name === 'img' && /^\s*[01](?:px)?\s*$/.test(value)
    default:
      return false
  }
}

/** Text as it may stand in a sign: on one line. */
export const toLine = (text: string): string => {
  const cut = text.slice(0, longestSign)
  return isLine.test(cut) ? cut : cut.replace(/\s+/g, ' ').trim()
}
const isLine = /^\S+(?: \S+)*$/

const frame = new Set(['html', 'body', 'main', 'form'])

const isMark = (key: string): boolean =>
  key === 'id' || key === 'class' || (key.startsWith('data-') && !addressKeys.has(key))

/** Attributes with addresses of files that load when they are scrolled to. */
export const lazyAddresses = [
  'data-src',
  'data-lazy-src',
  'data-lazy',
  'data-original',
  'data-bg',
  'data-background',
  'data-background-image',
  'data-poster',
] as const
/** The same in place of a `srcset`: lists of addresses with their widths. */
export const lazySets = ['data-srcset', 'data-lazy-srcset'] as const

const addressKeys: ReadonlySet<string> = new Set([...lazyAddresses, ...lazySets])

const attribute = (key: string, value: string): string =>
  ` ${key.slice(0, 60)}="${escapeQuotes(toLine(value))}"`

const escapeQuotes = (text: string): string => (text.includes('"') ? text.replaceAll('"', '&quot;') : text)
