/** One line of text that is safe to store and to show: white space collapsed, control characters, lone surrogates
 *  and what turns the reading direction around taken out, cut to `max` characters; null when nothing is left. */
export const cleanText = (text: string, max: number): string | null => {
  const clean = text
    // White space may be most of it, so some more than `max` is looked at; all of a hostile page would cost.
    .slice(0, rawLength)
    .replace(/\s+/g, ' ')
    .replace(unwanted, '')
    .trim()
    .slice(0, max)
    // The cut may have halved a pair.
    .replace(/\p{Cs}/gu, '')
    .trim()
  return clean === '' ? null : clean
}

/** Characters of a text that are collected before it is cleaned. */
export const rawLength = 10_000

const unwanted = /[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

/** A text that grows while a page is read, up to `max` characters; what comes later is dropped. */
export const createCapture = (max: number) => {
  let text = ''
  return {
    add: (more: string): void => {
      if (text.length < max) text += more.slice(0, max - text.length)
    },
    text: (): string => text,
  }
}

export type Capture = ReturnType<typeof createCapture>
