/**
 * Returns one line of text that is safe to store and show; null if nothing is left. It collapses white space,
 * removes control characters, lone surrogates and direction overrides, and cuts to `max` characters.
 */
export function cleanText(text: string, max: number): string | null {
  const clean = text
    // Most of the text may be white space, so the limit is above `max`. Without a limit a hostile page would
    // cost too much.
    .slice(0, rawLength)
    .replace(/\s+/g, ' ')
    .replace(unwanted, '')
    .trim()
    .slice(0, max)
    // The cut may have split a surrogate pair.
    .replace(/\p{Cs}/gu, '')
    .trim()
  return clean === '' ? null : clean
}

/** Characters that are collected of a text before it is cleaned. */
export const rawLength = 10_000

const unwanted = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

export interface Capture {
  add(more: string): void
  text(): string
}

/** Creates a text that grows while a page is read. Text beyond `max` characters is dropped. */
export function createCapture(max: number): Capture {
  let text = ''
  return {
    add: (more: string): void => {
      if (text.length < max) text += more.slice(0, max - text.length)
    },
    text: (): string => text,
  }
}
