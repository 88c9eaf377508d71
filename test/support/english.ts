import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeHTML } from 'entities'
import { parse } from 'yaml'
import { textsOf } from '../../src/core/words/language-file.ts'
import { wordingsOf } from '../../src/core/words/text.ts'
import { mailTexts } from './mail-texts.ts'

const templates = join(import.meta.dirname, '..', '..', 'templates')

function textsIn(folder: string, language: string): Map<string, string> {
  return new Map(
    textsOf(
      folder === 'mails'
        ? mailTexts(language)
        : parse(readFileSync(join(templates, folder, `${language}.yml`), 'utf8')),
      '',
    ).map(([key, text]) => [key, wordingsOf(text).join(' {} ')]),
  )
}

/** What stands between the placeholders of a text, as long as it is a phrase: three words or more. */
function phrasesOf(text: string): string[] {
  return text
    .replace(/\{\w+\|([^}]*)\}/g, '$1')
    .split(/\{[^}]*\}/)
    .map(plain)
    .filter((phrase) => (phrase.match(/\p{L}+/gu) ?? []).length > 2)
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** Every phrase of the package's own English that its German says otherwise. */
const phrases = ['words', 'mails'].flatMap((folder) => {
  const german = textsIn(folder, 'de')
  return [...textsIn(folder, 'en')].flatMap(([key, text]) =>
    phrasesOf(text).filter((phrase) => !plain(german.get(key) ?? '').includes(phrase)),
  )
})

/** The English of our own that stands in a page or a mail which speaks German. */
export function englishIn(page: string): string[] {
  const said = plain(decodeHTML(page.replace(/<(style|script)[\s\S]*?<\/\1>|<[^>]+>/g, ' ')))
  return [...new Set(phrases.filter((phrase) => said.includes(phrase)))]
}
