import { hash } from 'node:crypto'

/** Gathers what a reader sees of a page while it is read, for telling two addresses of one page from two pages. */
export const createContent = () => {
  let seen = ''
  let silent = 0
  return {
    open: (name: string): void => {
      if (unseen.has(name)) silent += 1
    },
    close: (name: string): void => {
      if (unseen.has(name)) silent -= 1
    },
    text: (text: string): void => {
      if (silent === 0 && seen.length < mostCharacters) seen += text
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
const unseen = new Set(['script', 'style', 'template', 'noscript'])
const mostCharacters = 200_000
