/** Markup that is trusted, since all of it was made here; everything else on a page is escaped. */
export class Markup {
  readonly html: string
  constructor(html: string) {
    this.html = html
  }
  toString(): string {
    return this.html
  }
}

/** The form of a part of a text: a link, a stress, or a class of the style sheet. */
export type Part = { readonly href: string } | 'strong' | 'code' | 'span'

/** The words of a part, or a value, as the markup that its page wants; both are escaped. */
export const marked = (text: string, part: Part | undefined): string => {
  if (part === undefined) return escaped(text)
  if (typeof part === 'string') return `<${part}>${escaped(text)}</${part}>`
  return `<a href="${escaped(part.href)}">${escaped(text)}</a>`
}

/** Text as HTML, for content and for attributes in quotes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => marks[mark]!)

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
