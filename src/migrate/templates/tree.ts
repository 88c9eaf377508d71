import { parsePhp } from '../php.ts'
import { parseScript } from '../script.ts'
import type { Source } from '../source.ts'
import type { Code } from './code.ts'
import { fromPhp } from './from-php.ts'
import { fromScript } from './from-script.ts'
import { defaultOf } from './imports.ts'
import { maskTemplate } from './mask.ts'
import { php, type Syntax, script } from './reading.ts'

/** Returns the language of a file's code; null for a template in another language. */
export const syntaxOf = ({ file, text }: Source): Syntax | null => {
  if (/\.(?:php\d?|phtml|inc)$/i.test(file)) return php
  // Smarty uses the same extension.
  if (/\.tpl$/i.test(file)) return text.includes('<?') ? php : null
  return /\.(?:[cm]?[jt]sx?|eta|ejs)$/.test(file) ? script : null
}

/** Parses a file's code as the common tree; null when it cannot be parsed, or is nested deeper than the
 *  stack. */
export const treeOf = (source: Source): Code | null => {
  try {
    return read(source)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

const read = (source: Source): Code | null => {
  const { file, text } = source
  const syntax = syntaxOf(source)
  if (syntax === null) return null
  if (syntax === php) {
    const tree = parsePhp(text)
    return tree && fromPhp(tree, text)
  }
  const language = /\.(eta|ejs)$/.exec(file)?.[1] as 'eta' | 'ejs' | undefined
  const tree = parseScript(language ? maskTemplate(text, language) : text, file)
  return tree && fromScript(tree, defaultOf(file))
}
