/** Trusted markup that was built here. Everything else on a page is escaped. */
export class Markup {
  readonly html: string
  constructor(html: string) {
    this.html = html
  }
  toString(): string {
    return this.html
  }
}

/** The markup of a part of a text: a link, an emphasis, code, or a span for the style sheet. */
export type Part = { readonly href: string } | 'strong' | 'code' | 'span'

/** Wraps a part's or value's text in markup, escaped. */
export function marked(text: string, part: Part | undefined): string {
  if (part === undefined) return escaped(text)
  if (typeof part === 'string') return `<${part}>${escaped(text)}</${part}>`
  return `<a href="${escaped(part.href)}">${escaped(text)}</a>`
}

/** Escapes text for HTML content and quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => marks[mark]!)
}

const marks: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
