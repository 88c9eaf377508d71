import { oneLine, type WriteMoney } from '../../core/dto/index.ts'
import type { Render } from '../../core/pages/index.ts'
import { type Languages, loadLanguages } from '../../core/words/index.ts'
import type { Sale } from './data.ts'
import type { Letter, MailDefinition, Typed } from './define.ts'
import { kinds } from './kinds/index.ts'
import type { Mail, MailData, MailKind } from './mail.ts'
import { outline, shippedTexts } from './outline.ts'
import { greetableName, toLink, toRecipient } from './safe.ts'
import { createSpeaker, type Speaker } from './speaker.ts'

export interface MailsDeps {
  readonly render: Render
  readonly languages: Languages
  readonly site: { readonly name: string; readonly url: string }
  /** Formats amounts in each provider's minor units. Default: those of ISO 4217. */
  readonly money?: WriteMoney
  /** The seller and the tax that a receipt names, by provider. */
  readonly saleAt?: (provider: string) => Sale
}

/** A mail's recipient and data. */
export interface Recipient<K extends MailKind> {
  readonly to: string
  readonly name?: string | null
  /** A language tag such as `de-AT`: German texts with Austrian dates and amounts. */
  readonly language?: string | null
  readonly data: MailData[K]
}

/** Writes mails in their recipients' languages. */
export interface Mails {
  /**
   * Writes a mail without sending it.
   * @throws ERR_FORM for an invalid recipient or link
   */
  compose<K extends MailKind>(kind: K, recipient: Recipient<K>): Omit<Mail, 'id'>
  /** The languages with texts, from the package and the site. */
  languages(): string[]
}

/**
 * Loads the texts of mails, with those in `templates/mails/` of the site's folder over the package's. `defaultLanguage`
 * is for members with an unknown language or one without texts.
 * @throws ERR_CONFIG for a file with mistakes
 */
export function loadMailTexts(root: string | false, defaultLanguage: string): Languages {
  return loadLanguages({
    folder: 'mails',
    of: 'mails',
    root,
    outline: () => outline,
    groups: { names: Object.keys(kinds), shipped: shippedTexts },
    defaultLanguage,
  })
}

/** Creates the mail writer. */
export function createMails({ render, languages, site, money, saleAt }: MailsDeps): Mails {
  const siteName = oneLine(site.name)
  const siteUrl = toLink(site.url, 'The site’s address')

  return {
    compose: (kind, { to, name, language, data }) => {
      const speaker = createSpeaker(
        languages.choose([language]),
        { name: siteName, url: siteUrl },
        { money, saleAt },
      )
      const letter = letterOf(kind)(speaker, data)
      const known = greetableName(name)
      const subject = oneLine(letter.subject) || siteName
      const page = {
        site: { name: siteName, url: siteUrl },
        language: speaker.language,
        direction: speaker.direction,
        subject,
        greeting: linesOf(
          known === null
            ? speaker.text('common.greeting_plain', {})
            : speaker.text('common.greeting', { name: known }),
        ).join(' '),
        paragraphs: letter.paragraphs.flatMap(paragraphsOf),
        facts: (letter.facts ?? []).flatMap(({ label, text }) =>
          text === '' ? [] : [{ label, lines: linesOf(text).map((line) => oneLine(line)) }],
        ),
        link: letter.link && { ...letter.link, label: oneLine(letter.link.label) },
        linkHint: linesOf(speaker.text('common.link_hint', {})).join(' '),
        closing: linesOf(speaker.text('common.closing', {})),
        wrap,
      }
      return {
        to: toRecipient(to),
        subject,
        text: render('mails/text', page),
        html: render('mails/layout', page),
        language: speaker.language,
        kind,
        headers: {},
      }
    },
    languages: () => [...languages.names],
  }
}

function letterOf<K extends MailKind>(kind: K): (speaker: Speaker, data: MailData[K]) => Letter {
  return (kinds[kind] as unknown as MailDefinition<MailData[K]>).letter
}

/** Splits a text at its blank lines. A line break inside a paragraph is kept where a person typed it. */
function paragraphsOf(text: string | Typed): string[] {
  return (typeof text === 'string' ? text : text.typed)
    .split(/\n\s*\n/)
    .map((paragraph) => linesOf(paragraph).join(typeof text === 'string' ? ' ' : '\n'))
    .filter((paragraph) => paragraph !== '')
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Wraps a paragraph at spaces to lines of at most `width` characters. A longer word gets a line of its own. */
export function wrap(text: string, width = 72): string {
  return text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n')
}

function wrapLine(text: string, width: number): string {
  const lines: string[] = []
  // Only a plain space breaks a line. "5 €" has a no-break space.
  for (const word of text.split(/[ \t]+/).filter(Boolean)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join('\n')
}
