import { parsePhp } from '../php.ts'
import { parseScript } from '../script.ts'
import type { Source } from '../source.ts'
import type { Code } from './code.ts'
import { isWholePhp, isWholeScript } from './coverage.ts'
import { fromPhp } from './from-php.ts'
import { fromScript } from './from-script.ts'
import { defaultOf } from './imports.ts'
import { php, type Syntax, script } from './reading.ts'

/** Returns the language of a file's code; null for a template in another language. */
export function syntaxOf({ file, text }: Source): Syntax | null {
  if (/\.(?:php\d?|phps|phtml|inc)$/i.test(file)) return php
  // Smarty and others use the same extensions.
  if (/\.(?:tpl|module|install|theme|profile)$/i.test(file)) return text.includes('<?') ? php : null
  // A script without an ending names its language in its first line.
  if (!/\.\w+$/.test(file)) return scriptOf(text)
  return /\.(?:[cm]?[jt]sx?|eta|ejs)$/.test(file) ? script : null
}

function scriptOf(text: string): Syntax | null {
  if (/^(?:#![^\n]*\bphp\b|<\?php)/.test(text)) return php
  return /^#![^\n]*\b(?:node|tsx|bun|deno)\b/.test(text) ? script : null
}

/**
 * Parses a file's code as the common tree; null when it cannot be parsed, is nested deeper than the stack, or
 * has calls that the common tree lacks.
 */
export function treeOf(source: Source): Code | null {
  try {
    return read(source)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function read(source: Source): Code | null {
  const { file, text } = source
  const syntax = syntaxOf(source)
  if (syntax === null) return null
  if (syntax === php) {
    const tree = parsePhp(text)
    const code = tree && fromPhp(tree, text)
    return code && isWholePhp(tree, code) ? code : null
  }
  const language = /\.(eta|ejs)$/.exec(file)?.[1] as 'eta' | 'ejs' | undefined
  const tree = parseScript(language ? maskTemplate(text, language) : text, file)
  const code = tree && fromScript(tree, defaultOf(file))
  return code && isWholeScript(tree, code) ? code : null
}

/**
 * Returns the JavaScript of an Eta or EJS template as one program with the same offsets; everything else
 * becomes blanks.
 */
export function maskTemplate(text: string, language: 'eta' | 'ejs'): string {
  const out: string[] = []
  let at = 0
  for (;;) {
    const open = text.indexOf('<%', at)
    if (open === -1) break
    out.push(blank(text.slice(at, open)))
    const tag = tagAt(text, open, language)
    out.push(tag.code)
    at = tag.end
  }
  out.push(blank(text.slice(at)))
  return out.join('')
}

interface Tag {
  /** As long as the tag. */
  readonly code: string
  readonly end: number
}

function tagAt(text: string, open: number, language: 'eta' | 'ejs'): Tag {
  // `<%%` is the text `<%` itself.
  if (text.startsWith('<%%', open)) return { code: '   ', end: open + 3 }
  const close = closeOf(text, open + 2, language)
  if (close === -1) return { code: blank(text.slice(open)), end: text.length }
  const inner = text.slice(open + 2, close)
  const mark = (language === 'eta' ? /^[-_]?\s*[=~]?/ : /^[-_=#]?/).exec(inner)![0]
  const end = close + 2
  if (mark === '#') return { code: blank(text.slice(open, end)), end }
  const trim = /[-_]$/.test(inner.slice(mark.length)) ? 1 : 0
  const body = inner.slice(mark.length, inner.length - trim)
  const isOutput = language === 'eta' ? /[=~]$/.test(mark) : mark === '=' || mark === '-'
  if (!isOutput) return { code: `${blank(`<%${mark}`)}${body}${' '.repeat(trim)}\n `, end }
  if (body.trim() === '') return { code: blank(text.slice(open, end)), end }
  // EJS drops a semicolon at the end of an output.
  const value = body.replace(/;(?=\s*$)/, ' ')
  return { code: `;(${blank(mark)}${value}${' '.repeat(trim)});`, end }
}

// Eta supports strings and comments in its tags; in EJS the first `%>` ends one.
function closeOf(text: string, from: number, language: 'eta' | 'ejs'): number {
  if (language === 'ejs') return text.indexOf('%>', from)
  const marks = /%>|\/\*|'|"|`/g
  marks.lastIndex = from
  for (let mark = marks.exec(text); mark; mark = marks.exec(text)) {
    if (mark[0] === '%>') return mark.index
    const end = mark[0] === '/*' ? text.indexOf('*/', mark.index + 2) + 1 : endOfString(text, mark.index)
    if (end <= 0) return -1
    marks.lastIndex = end + 1
  }
  return -1
}

function endOfString(text: string, start: number): number {
  const quote = text[start]
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at
    else if (text[at] === '\n' && quote !== '`') return -1
  }
  return -1
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ')
}
