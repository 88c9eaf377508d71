import type { Addresses } from './addresses.ts'
import { longestSign } from './signs.ts'

/** Attributes of an element, by lower-case name. */
export type Attributes = Readonly<Record<string, string>>

/**
 * Returns true for a tag that makes a sign: the page's frame, forms, custom elements, and tags with an id, a
 * class or data.
 */
export function isNotable(name: string, attributes: Attributes): boolean {
  if (frame.has(name) || name.includes('-')) return true
  for (const key in attributes) if (isMark(key)) return true
  return false
}

/**
 * Formats a tag as text, such as `<body class="home">`. It keeps id, class and data, and a form's action as a
 * sign. Quotes in values are escaped, so that no value can imitate an attribute. Other addresses are left
 * out, because their own channels also tell the owner.
 */
export function toOpenTag(name: string, attributes: Attributes, addresses: Addresses): string {
  let tag = `<${name.slice(0, 60)}`
  for (const key in attributes) {
    if (tag.length >= longestSign) break
    if (isMark(key) || (name === 'script' && key === 'type')) tag += attribute(key, attributes[key]!)
  }
  const action = name === 'form' ? addresses.find(attributes.action) : undefined
  return `${tag}${action ? attribute('action', addresses.toSign(action)) : ''}>`
}

/** Returns true for scripts that contain state as JSON. Linked data is left out, because authors write it. */
export function isState(name: string, attributes: Attributes): boolean {
  return name === 'script' && /json/i.test(attributes.type ?? '') && !/ld\+json/i.test(attributes.type ?? '')
}

/**
 * Returns true for a hidden element. Signs in it are easy to fake and prove nothing. The whole page may begin
 * hidden, so `html` and `body` do not count.
 */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (name === 'html' || name === 'body') return false
  for (const key in attributes) if (hides(name, key, attributes[key]!)) return true
  return false
}

function hides(name: string, key: string, value: string): boolean {
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

/** Puts text on one line, so that it can be part of a sign. */
export function toLine(text: string): string {
  const cut = text.slice(0, longestSign)
  return isLine.test(cut) ? cut : cut.replace(/\s+/g, ' ').trim()
}
const isLine = /^\S+(?: \S+)*$/

const frame = new Set(['html', 'body', 'main', 'form'])

function isMark(key: string): boolean {
  return key === 'id' || key === 'class' || (key.startsWith('data-') && !addressKeys.has(key))
}

/** Attributes with addresses of files that load on scrolling. */
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
/** The same for `srcset`: lists of addresses with widths. */
export const lazySets = ['data-srcset', 'data-lazy-srcset'] as const

const addressKeys: ReadonlySet<string> = new Set([...lazyAddresses, ...lazySets])

function attribute(key: string, value: string): string {
  return ` ${key.slice(0, 60)}="${escapeQuotes(toLine(value))}"`
}

function escapeQuotes(text: string): string {
  return text.includes('"') ? text.replaceAll('"', '&quot;') : text
}
