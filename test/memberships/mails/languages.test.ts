import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { stringify } from 'yaml'
import { isMembershipError } from '../../../src/core/errors.ts'
import { languageFiles, packageLanguages } from '../../support/languages.ts'
import { mailTexts } from '../../support/mail-texts.ts'
import { kinds, openMails, samples, siteWith } from './support.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'templates', 'mails')
const to = 'ann@example.com'

/** Each text with the placeholders in it, sorted. */
function outlineOf(language: string): Record<string, string[]> {
  const tree = mailTexts(language) as Record<string, Record<string, string>>
  return Object.fromEntries(
    Object.entries(tree)
      .filter(([, group]) => typeof group === 'object')
      .flatMap(([group, texts]) =>
        Object.entries(texts).map(([key, text]) => [`${group}.${key}`, text.match(/\{\w+\}/g)?.sort() ?? []]),
      ),
  )
}

test('all languages of the package have the same texts with the same placeholders', (t) => {
  const files = readdirSync(folder).filter((file) => /^[a-z]{2}\.yml$/.test(file))
  t.deepEqual(files.sort(), languageFiles)
  for (const language of packageLanguages) t.deepEqual(outlineOf(language), outlineOf('en'), language)
  t.deepEqual(
    Object.keys(outlineOf('en'))
      .map((key) => key.split('.')[0])
      .filter((group, index, all) => all.indexOf(group) === index)
      .sort(),
    ['common', ...kinds].sort(),
  )
})

test('a new language is one file', (t) => {
  const english = stringify(mailTexts('en'), { lineWidth: 0 })
  // Every text gets a mark, so that one from elsewhere would be seen.
  const marked = english
    .replace('locale: en-GB', 'locale: fr')
    .replace(/^( {2}\w+: "?)(?!\|)(.)/gm, '$1¡$2')
    .replace('    Yours,', '    ¡Yours,')
  const mails = openMails({ root: siteWith(t, { 'fr.yml': marked }) })
  t.deepEqual(mails.languages(), ['de', 'en', 'fr'])
  for (const kind of kinds) {
    const mail = mails.compose(kind, { to, name: 'Ann', language: 'fr-CA', data: samples[kind] as never })
    t.is(mail.language, 'fr')
    t.true(mail.html.includes('<html lang="fr"'))
    t.true(mail.subject.startsWith('¡'))
    // The words of whoever gives a gift stand as they were typed.
    for (const paragraph of mail.text.trim().split('\n\n'))
      t.true(paragraph.startsWith('¡') || paragraph === 'Happy birthday!', paragraph)
  }
  const receipt = mails.compose('receipt', { to, language: 'fr', data: samples.receipt }).text
  t.regex(receipt, /50\s€ on 21 novembre 2026/)
})

test('a language without its own locale formats dates in its own way, not the default’s', (t) => {
  const root = siteWith(t, { 'fr.yml': 'receipt:\n  intro: "{amount}, {date}"' })
  const { text } = openMails({ root }).compose('receipt', { to, language: 'fr', data: samples.receipt })
  t.regex(text, /50\s€, 21 novembre 2026/)
})

test('a site changes single texts of a language and keeps the others', (t) => {
  const root = siteWith(t, { 'de.yml': 'common:\n  greeting: Hallo {name}!\n' })
  const { text } = openMails({ root }).compose('account-deleted', {
    to,
    name: 'Ann',
    language: 'de',
    data: {},
  })
  t.regex(text, /^Hallo Ann!\n\nWie gewünscht/)
})

test('a missing text comes from the default language, else from English', (t) => {
  const root = siteWith(t, {
    'fr.yml': 'welcome:\n  subject: Bienvenue\n',
    'nl.yml': 'welcome:\n  subject: Welkom\n  button: Mijn account\n',
  })
  const mail = openMails({ root, defaultLanguage: 'nl' }).compose('welcome', {
    to,
    language: 'fr',
    data: samples.welcome,
  })
  t.is(mail.subject, 'Bienvenue')
  t.regex(mail.text, /Mijn account:\n/)
  t.regex(mail.text, /Thank you for joining/)
})

test('the member’s language is the nearest file, else the default', (t) => {
  const root = siteWith(t, { 'pt-BR.yml': 'welcome: { subject: Bem-vindo }', 'pt.yml': '' })
  const mails = openMails({ root, defaultLanguage: 'de' })
  const chosen = (language: string | null | undefined) =>
    mails.compose('welcome', { to, language, data: samples.welcome }).language
  t.is(chosen('de-AT'), 'de')
  t.is(chosen('en_US'), 'en')
  t.is(chosen('EN'), 'en')
  t.is(chosen('pt-br'), 'pt-BR')
  t.is(chosen('pt-PT'), 'pt')
  t.is(chosen('zh-Hant-TW'), 'de')
  t.is(chosen(null), 'de')
  t.is(chosen(undefined), 'de')
})

test('an empty text is omitted, and a blank line begins a paragraph', (t) => {
  const root = siteWith(t, {
    'en.yml':
      'common:\n  closing: ""\nwelcome:\n  account: ""\n  intro: |\n    One\n    two.\n\n    Three.\n',
  })
  const mail = openMails({ root }).compose('welcome', { to, data: samples.welcome })
  t.regex(mail.text, /^Hello,\n\nOne two\.\n\nThree\.\n\nOpen my account:\n/)
  t.notRegex(mail.html, /<p[^>]*>\s*<\/p>/)
})

test('texts of several lines become one where a mail needs one line', (t) => {
  const root = siteWith(t, {
    'en.yml':
      'common:\n  greeting_plain: |\n    Dear\n    reader,\nwelcome:\n  subject: |\n    Hi\n    there\n  button: |\n    Go\n    on\n',
  })
  const mail = openMails({ root }).compose('welcome', { to, data: samples.welcome })
  t.is(mail.subject, 'Hi there')
  t.regex(mail.text, /^Dear reader,\n\nThank you/)
  t.regex(mail.text, /\n\nGo on:\nhttps:/)
})

test('a right-to-left language is marked as such', (t) => {
  const root = siteWith(t, { 'ar.yml': 'direction: rtl\nwelcome:\n  subject: أهلا' })
  const mail = openMails({ root }).compose('welcome', { to, language: 'ar-EG', data: samples.welcome })
  t.true(mail.html.includes('<html lang="ar" dir="rtl">'))
})

test('a site changes one mail in the file that the package has for it', (t) => {
  const root = siteWith(t, {
    'account-deleted.yml': 'de:\n  subject: Auf Wiedersehen\nfr:\n  subject: Au revoir\n',
    'de.yml': 'common:\n  greeting_plain: Moin!\n',
  })
  const mails = openMails({ root })
  const written = (language: string) => mails.compose('account-deleted', { to, language, data: {} })
  t.is(written('de').subject, 'Auf Wiedersehen')
  t.regex(written('de').text, /^Moin!\n\nWie gewünscht/)
  t.is(written('fr').subject, 'Au revoir')
  t.not(written('en').subject, 'Au revoir')
})

test('a copy of the package’s folder writes every mail as the package does', (t) => {
  const root = siteWith(t, {})
  cpSync(join(folder, '..'), join(root, 'templates'), { recursive: true })
  const [copied, own] = [openMails({ root }), openMails()]
  for (const language of packageLanguages)
    for (const kind of kinds) {
      const recipient = { to, language, data: samples[kind] as never }
      t.deepEqual(copied.compose(kind, recipient), own.compose(kind, recipient), kind)
    }
})

function refusal(t: Parameters<typeof siteWith>[0], files: Record<string, string>, defaultLanguage = 'en') {
  const error = t.throws(() => openMails({ root: siteWith(t, files), defaultLanguage }))
  t.true(isMembershipError(error, 'ERR_CONFIG'), String(error))
  return `${error!.message}\n→ ${(error as Error & { action?: string }).action}`
}

test('an unknown key reports the file, the key and what is allowed', (t) => {
  const text = refusal(t, { 'de.yml': 'welcome:\n  sujbect: Hallo\nwelcom:\n  subject: Hallo\n' })
  t.regex(
    text,
    /templates\/mails\/de\.yml: unknown key "welcome\.sujbect"; allowed are welcome\.subject, welcome\.intro, /,
  )
  t.regex(text, /Rename "welcome\.sujbect" to "welcome\.subject" in templates\/mails\/de\.yml\./)
  t.regex(text, /unknown key "welcom"; allowed are locale, direction, common, magic-link, welcome, /)
})

test('an unknown placeholder reports the file, the key and what is allowed', (t) => {
  const text = refusal(t, { 'fr.yml': 'receipt:\n  subject: "{titre} {site}"\n  intro: "{ amount }"\n' })
  t.regex(
    text,
    /templates\/mails\/fr\.yml: receipt\.subject has the unknown placeholder \{titre\}; allowed are \{title\}, \{amount\}, \{site\}/,
  )
  t.regex(text, /receipt\.intro has the unknown placeholder \{ amount \}/)
  t.regex(refusal(t, { 'en.yml': 'welcome: { subject: "Hi {plan" }' }), /welcome\.subject has a "\{" or "\}"/)
})

test('a mistake in the file of one mail reports the file, the language and what is allowed', (t) => {
  const text = refusal(t, {
    'receipt.yml': 'de:\n  sujbect: Beleg\n  intro: "{titre}"\nde_?:\n  subject: x\nen: hello\n',
  })
  t.regex(
    text,
    /templates\/mails\/receipt\.yml, de: unknown key "sujbect"; allowed are subject, intro, .*, name/,
  )
  t.regex(text, /Rename "sujbect" to "subject" in templates\/mails\/receipt\.yml, de\./)
  t.regex(text, /receipt\.yml, de: intro has the unknown placeholder \{titre\}; allowed are \{title\}/)
  t.regex(text, /receipt\.yml: "de_\?" is no language tag such as de/)
  t.regex(text, /receipt\.yml: en must be a group of texts/)
})

test('a text that a site gives in two files reports both', (t) => {
  const text = refusal(t, {
    'de.yml': 'receipt:\n  subject: Beleg\n',
    'receipt.yml': 'de:\n  subject: Zahlung\n',
  })
  t.regex(
    text,
    /The text receipt\.subject in de is in templates\/mails\/de\.yml and in templates\/mails\/receipt\.yml/,
  )
  t.regex(text, /Remove receipt\.subject from one of/)
})

test('an unreadable language file gets a clear error', (t) => {
  t.regex(refusal(t, { 'de.yml': 'welcome:\n  subject: {site}: hello\n' }), /templates\/mails\/de\.yml/)
  t.regex(
    refusal(t, { 'de.yml': 'welcome:\n  subject: {plan}\n' }),
    /de\.yml: welcome\.subject must be text\n.*quotes/,
  )
  t.regex(refusal(t, { 'de.yml': '- a\n' }), /de\.yml must hold groups of texts/)
  t.regex(refusal(t, { 'de.yml': 'welcome: hello\n' }), /de\.yml: welcome must be a group of texts/)
  t.regex(refusal(t, { 'de.yml': 'welcome: { subject: " " }' }), /welcome\.subject must not be empty/)
  t.regex(refusal(t, { 'de.yml': 'welcome: { subject: a }\nwelcome: { subject: b }' }), /de\.yml is no YAML/)
  t.regex(
    refusal(t, { 'de.yml': 'welcome:\n  subject: Neu: hallo\n' }),
    /templates\/mails\/de\.yml is no YAML: .* at line 2, column 12\n.*quotes/,
  )
  t.regex(
    refusal(t, { 'de.yml': 'welcome:\n  subject: *Neu*\n' }),
    /de\.yml has a text that begins with "\*", at line 2\n.*quotes/,
  )
  t.regex(refusal(t, { 'de.yml': 'locale: German please' }), /de\.yml: locale must be a language tag/)
  t.regex(refusal(t, { 'de.yml': 'direction: left' }), /de\.yml: direction must be ltr or rtl/)
  t.regex(refusal(t, { 'de.yml': '__proto__: { a: b }\nconstructor: { a: b }' }), /unknown key "constructor"/)
  t.regex(
    refusal(t, { 'de.yaml': '' }),
    /templates\/mails\/de\.yaml is not named after a language.*\n→ Rename templates\/mails\/de\.yaml to templates\/mails\/de\.yml\./,
  )
  t.regex(
    refusal(t, { 'Deutsch.yml': '' }),
    /templates\/mails\/Deutsch\.yml is not named after a language, such as de\.yml, or a mail, such as magic-link\.yml\n→ Rename .* move it out of templates\/mails\//,
  )
  t.regex(
    refusal(t, { 'reciept.yml': '' }),
    /Rename templates\/mails\/reciept\.yml to templates\/mails\/receipt\.yml\./,
  )
})

test('a default language without a file lists the available languages', (t) => {
  t.regex(refusal(t, {}, 'fr'), /default language of mails is "fr", .* there are de, en/)
  t.is(openMails({ defaultLanguage: 'de-CH' }).compose('account-deleted', { to, data: {} }).language, 'de')
})
