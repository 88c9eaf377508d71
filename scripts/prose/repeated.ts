/** Finds sentences that stand in two guides word for word. One of them links to the other instead. */
import { writtenByHand } from './measure.ts'

export interface Page {
  readonly file: string
  readonly text: string
  /** Readers need one page of such a group, so its pages may say the same. */
  readonly alternatives: string | null
}

const fewestWords = 10

/** The sentences of a page that somebody wrote, with their links reduced to words. */
function sentencesOf(page: string): string[] {
  return (
    writtenByHand(page)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, '')
      .replaceAll(/<!--[\s\S]*?-->/g, '')
      .replaceAll(/\]\([^)]*\)/g, ']')
      .split(/\n|\||(?<=[.!?:])\s+/)
      .map((sentence) => sentence.replaceAll(/[[\]*_>#]|^\s*(?:-|\d+\.)\s/g, '').trim())
      // A sentence that ends with a colon introduces its own example.
      .filter((sentence) => !sentence.endsWith(':') && sentence.split(/\s+/).length >= fewestWords)
  )
}

/** A line for each sentence of ten words or more that stands in two pages, unless they are alternatives. */
export function repeatedSentences(pages: readonly Page[]): string[] {
  const found = new Map<string, Set<Page>>()
  for (const page of pages)
    for (const sentence of sentencesOf(page.text))
      found.set(sentence.toLowerCase(), (found.get(sentence.toLowerCase()) ?? new Set()).add(page))
  return [...found]
    .filter(([, those]) => {
      const groups = new Set([...those].map(({ alternatives }) => alternatives))
      return those.size > 1 && (groups.size > 1 || groups.has(null))
    })
    .map(([sentence, those]) => {
      const files = [...those].map(({ file }) => file).join(' and ')
      return `${files}: repeated: “${sentence}”: let a page link to the other`
    })
}
