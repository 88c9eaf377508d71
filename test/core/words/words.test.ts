import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { parse, stringify } from 'yaml'
import { keysFile, mailKindsFile } from '../../../scripts/words.ts'
import { createProblems } from '../../../src/core/config/problems.ts'
import { isMembershipError, MembershipError, toProblem } from '../../../src/core/errors.ts'
import { createRender } from '../../../src/core/pages/index.ts'
import { costIn, createWords, errorIn, titleIn } from '../../../src/core/words/index.ts'
import { outlineOf, readLanguage, textsOf } from '../../../src/core/words/language-file.ts'
import { readAccepted } from '../../../src/core/words/tags.ts'
import { placeholdersIn, wordingsOf } from '../../../src/core/words/text.ts'
import { outline as mailOutline } from '../../../src/memberships/mails/outline.ts'
import { languageFiles, packageLanguages } from '../../support/languages.ts'
import { mailTexts } from '../../support/mail-texts.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const folder = join(root, 'templates', 'words')
const files = readdirSync(folder)
function textsIn(file: string) {
  return textsOf(parse(readFileSync(join(folder, file), 'utf8')), '')
}
const english = new Map(textsIn('en.yml'))

/** A folder of a site with these language files of pages. */
function siteWith(t: ExecutionContext, given: Record<string, string>): string {
  const site = mkdtempSync(join(tmpdir(), 'words-'))
  t.teardown(() => rmSync(site, { recursive: true, force: true }))
  mkdirSync(join(site, 'templates', 'words'), { recursive: true })
  for (const [name, text] of Object.entries(given))
    writeFileSync(join(site, 'templates', 'words', name), text)
  return site
}
function wordsOf(site: string | false = false, defaultLanguage = 'en') {
  return createWords({ root: site, defaultLanguage, site: 'Neap' })
}

const sources = ['templates', 'src'].flatMap((wing) =>
  readdirSync(join(root, wing), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(eta|ts)$/.test(name) && !name.endsWith('generated/words.ts'))
    .map((name) => ({ name: join(wing, name), text: readFileSync(join(root, wing, name), 'utf8') })),
)

test('every language of the package has every text, with the same placeholders', (t) => {
  t.deepEqual(files.sort(), languageFiles)
  const outline = (file: string) =>
    textsIn(file).map(([key, text]) => [key, [...new Set(wordingsOf(text).flatMap(placeholdersIn))].sort()])
  for (const file of files) t.deepEqual(outline(file), outline('en.yml'), file)
})

test('the package’s own language files of pages, mails and the office have no mistakes', (t) => {
  for (const [place, outline] of Object.entries({
    words: outlineOf('templates/words/en.yml', ['site'], 'site'),
    'office/words': outlineOf('templates/office/words/en.yml', ['site'], 'site'),
    'partner/words': outlineOf('templates/partner/words/en.yml', ['site'], 'site'),
  })) {
    const problems = createProblems()
    const names = readdirSync(join(root, 'templates', place)).filter((name) => name.endsWith('.yml'))
    for (const name of names) readLanguage(join(root, 'templates', place, name), name, outline, problems)
    t.deepEqual(names.sort(), languageFiles)
    t.notThrows(() => problems.throwIfAny(), place)
  }
  // Mails have a file for each kind; together they are what a site's own file may say.
  const site = siteWith(
    t,
    Object.fromEntries(
      packageLanguages.map((language) => [`${language}.yml`, stringify(mailTexts(language))]),
    ),
  )
  const problems = createProblems()
  for (const name of languageFiles)
    readLanguage(join(site, 'templates', 'words', name), name, mailOutline, problems)
  t.notThrows(() => problems.throwIfAny())
})

test('every text that a page uses exists', (t) => {
  for (const { name, text } of sources)
    for (const [, key = ''] of text.matchAll(/\b(?:say|rich)\(\s*'([^']+)'/g))
      if (!key.startsWith('site.') && /\.eta$|core\/words|\bvoice\b|Voice/.test(name + text))
        t.true(english.has(key) || mailKeys.has(key), `${name} asks for "${key}"`)
})

test('every text is used somewhere', (t) => {
  const named = new Set<string>()
  const begun: string[] = []
  for (const { text } of sources) {
    for (const [, key = ''] of text.matchAll(/'([a-z][\w.-]*\.[\w.-]+)'/g)) named.add(key)
    for (const [, start = ''] of text.matchAll(/`([a-z][\w.-]*\.)\$\{/g)) begun.push(start)
  }
  const unused = [...english.keys()].filter(
    (key) => !named.has(key) && !begun.some((start) => key.startsWith(start)),
  )
  t.deepEqual(unused, [])
})

test('the types know every text: npm run words', (t) => {
  t.is(readFileSync(join(root, 'src', 'generated', 'words.ts'), 'utf8'), keysFile())
  t.is(readFileSync(join(root, 'src', 'generated', 'mail-kinds.ts'), 'utf8'), mailKindsFile())
})

test('a site changes single texts, adds a language with one file, and adds its own group', (t) => {
  const site = siteWith(t, {
    'de.yml': 'page:\n  account: Mein Bereich\nsite:\n  tea: Tee mit {name}\n',
    'fr.yml': 'login:\n  send: Envoyez-moi un lien\n',
  })
  const words = wordsOf(site)
  const german = words.voiceFor(['de-AT'])
  t.is(german.say('page.account'), 'Mein Bereich')
  t.is(german.say('page.prices'), 'Preise')
  t.is(german.say('site.tea', { name: 'Ann' }), 'Tee mit Ann')
  const french = words.voiceFor(['fr'])
  t.is(french.lang, 'fr')
  t.is(french.say('login.send'), 'Envoyez-moi un lien')
  t.is(french.say('page.account'), 'Account', 'the default language’s')
  t.deepEqual(
    french.languages.map(({ name }) => name),
    ['Deutsch', 'English', 'Français'],
  )
})

test('a mistake in a site’s file stops the start and reports its place', (t) => {
  const site = siteWith(t, { 'de.yml': 'login:\n  sned: Los\n  confirm:\n    heading: "{mail} anmelden"\n' })
  const error = t.throws(() => wordsOf(site))
  t.true(isMembershipError(error, 'ERR_CONFIG'))
  t.regex(
    error!.message,
    /templates\/words\/de\.yml: unknown key "login\.sned"; allowed are login\.email, login\.send/,
  )
  t.regex(
    error!.message,
    /login\.confirm\.heading has the unknown placeholder \{mail\}; allowed are \{email\}, \{site\}/,
  )
})

test('the language is the account’s, else the browser’s choice, else the browser’s request, else the default', (t) => {
  const words = wordsOf(false, 'de')
  const spoken = (...of: Parameters<typeof words.voiceFor>) => words.voiceFor(...of).lang
  t.is(spoken(['en', 'de'], 'de'), 'en')
  t.is(spoken([null, 'en'], 'de'), 'en')
  t.is(spoken(['tlh', 'en'], 'de'), 'en', 'a language without a file is none')
  t.is(spoken([null, null], 'tlh, en;q=0.8, de;q=0.3'), 'en')
  t.is(spoken([], ''), 'de')
  t.is(spoken([], '*'), 'de')
})

test('Accept-Language is matched by RFC 4647: shorter and shorter, and q=0 excludes a language', (t) => {
  const words = wordsOf()
  const spoken = (header: string) => words.voiceFor([], header).lang
  t.is(spoken('de-CH-1996'), 'de')
  t.is(spoken('DE'), 'de')
  t.is(spoken('zh-Hant-TW, de;q=0.1'), 'de')
  t.is(spoken('de;q=0, tlh'), 'en')
  t.is(spoken('de-AT, de;q=0'), 'en')
  t.is(spoken('en;q=0.2, de;q=0.9'), 'de')
  t.is(spoken('; drop, "", ../../etc, de'), 'de')
  t.is(spoken(`${'x,'.repeat(5000)}de`), 'en', 'nobody reads a list without end')
  t.deepEqual(readAccepted('de-CH, fr;q=0.5, it;q=0, *;q=0.1'), { tags: ['de-CH', 'fr'], refused: ['it'] })
  t.is(words.voiceFor([], 'de-CH').locale, 'de-CH')
  t.regex(
    words.voiceFor([], 'de-CH').amount({ amount: 123_456_70, currency: 'CHF' }),
    /^CHF\s123[’']456\.70$/,
  )
  t.regex(words.voiceFor([], 'de-u-ca-buddhist').day('2026-11-22'), /2026/)
})

test('numbers, days, amounts, lists and plurals follow the language', (t) => {
  const site = siteWith(t, {
    'en.yml': 'site:\n  days:\n    one: "{count} day"\n    other: "{count} days"\n',
    'ar.yml':
      'direction: rtl\nsite:\n  days:\n    zero: لا أيام\n    one: يوم واحد\n    two: يومان\n    few: "{count} أيام"\n    many: "{count} يوما"\n    other: "{count} يوم"\n',
  })
  const words = wordsOf(site)
  const [english, german, arabic] = ['en', 'de', 'ar'].map((tag) => words.voiceFor([tag]))
  t.deepEqual(
    [1, 2, 1200].map((count) => english!.say('site.days', { count })),
    ['1 day', '2 days', '1,200 days'],
  )
  t.deepEqual(
    [0, 1, 2].map((count) => arabic!.say('site.days', { count })),
    ['لا أيام', 'يوم واحد', 'يومان'],
  )
  t.is(arabic!.dir, 'rtl')
  t.is(german!.number(1234567.5), '1.234.567,5')
  t.is(german!.day('2026-12-20T10:00:00.000Z'), '20. Dezember 2026')
  t.is(german!.amount({ amount: 7005, currency: 'CHF' }), '70,05\u00a0CHF')
  const quarterly = { amount: 7005, currency: 'CHF', interval: 'month', interval_count: 3 } as const
  t.is(costIn(english!, quarterly)?.replace(/\s/g, ' '), 'CHF 70.05 every 3 months')
  t.is(costIn(german!, quarterly)?.replace(/\s/g, ' '), '70,05 CHF alle 3 Monate')
  t.is(costIn(english!, { ...quarterly, interval_count: 1 })?.replace(/\s/g, ' '), 'CHF 70.05 per month')
  t.is(german!.list(['Brot', 'Wein', 'Käse']), 'Brot, Wein und Käse')
})

test('a value is escaped everywhere, and a text contains no markup', (t) => {
  const site = siteWith(t, { 'en.yml': 'site:\n  t: "<b> {name} & {prices|see <i>prices</i>} {name}"\n' })
  const voice = wordsOf(site).voiceFor([])
  const name = '<img src=x onerror=alert(1)> {site} \u202e'
  const html = voice.rich('site.t', { name }, { name: 'strong', prices: { href: '/p?a="&b' } }).html
  const value = '<strong>&lt;img src=x onerror=alert(1)&gt; {site} </strong>'
  t.is(
    html,
    `&lt;b&gt; ${value} &amp; <a href="/p?a=&quot;&amp;b">see &lt;i&gt;prices&lt;/i&gt;</a> ${value}`,
  )
  t.is(voice.say('site.t', { name: 'Ann' }), '<b> Ann & see <i>prices</i> Ann', 'plain, for a page to escape')
})

const ways = { again: '/archive?a=1', account: '/account' }

test('every error is described for visitors without configuration keys, routes or internal terms', (t) => {
  const codes = readFileSync(join(root, 'docs', 'errors.md'), 'utf8').matchAll(/^## (ERR_\w+)$/gm)
  const words = wordsOf()
  for (const [, code = ''] of codes)
    for (const lang of ['en', 'de']) {
      const error = new MembershipError(code as 'ERR_FORM', 'membership.provider.handler is "x".', {
        action: 'Set membership.url.',
      })
      const { body, status } = toProblem(error)
      const { title, text, action } = errorIn(words.voiceFor([lang]), { ...body, status }, ways)
      const said = `${title} ${text} ${action.label}`
      t.notRegex(said, /membership\.|POST|GET|handler|webhook|ERR_|error\.|[{}]/i, `${code}: ${said}`)
      t.true(title.length > 5 && text.length > 15, code)
    }
  const login = errorIn(words.voiceFor([]), { code: 'ERR_LOGIN_REQUIRED', status: 401 }, ways)
  t.deepEqual(login.action, { label: 'Log in', url: '/membership/login?redirect=%2Farchive%3Fa%3D1' })
  const twice = { code: 'ERR_CHECKOUT_REFUSED', status: 409, subscription_id: 'sub_1' }
  t.is(errorIn(words.voiceFor([]), twice, ways).title, 'You already have this')
})

test('a page declares its language and direction, and nothing that a text could not say', (t) => {
  const site = siteWith(t, { 'he.yml': 'direction: rtl\nlogin:\n  ask:\n    title: "<כניסה>"\n' })
  const page = createRender(null, true)('login/ask', {
    ...wordsOf(site).voiceFor(['he']),
    token: 'x',
    redirect: '/',
  })
  t.regex(page, /<html lang="he" dir="rtl">/)
  t.regex(page, /<h1 id="notice-title">&lt;כניסה&gt;<\/h1>/)
})

const mailKeys = new Set(textsOf(mailTexts('en'), '').map(([key]) => key))

test('the package’s languages are named in their own language, as CLDR names them', (t) => {
  const { languages } = createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([])
  t.deepEqual(
    languages.map(({ lang }) => lang),
    packageLanguages,
  )
  for (const { lang, name } of languages) {
    const named = new Intl.DisplayNames([lang], { type: 'language' }).of(lang)!
    t.is(name, named.charAt(0).toLocaleUpperCase(lang) + named.slice(1))
  }
})

test('two prices of one rhythm have different titles; a sale and a raised price do not count', (t) => {
  const voice = createWords({ root: false, defaultLanguage: 'en', site: '' }).voiceFor([])
  const price = (id: string, amount: number, more: object = {}) => ({
    id,
    type: 'recurring' as const,
    interval: 'month' as const,
    interval_count: 1,
    amount,
    currency: 'EUR',
    provider: 'sandbox',
    ...more,
  })
  const plan = (...prices: ReturnType<typeof price>[]) => [{ id: 'pro', name: 'Pro', prices }]
  const twins = plan(price('a', 500), price('b', 900))
  t.deepEqual(
    ['a', 'b'].map((id) => titleIn(voice, id, twins)),
    ['Pro, monthly (€5)', 'Pro, monthly (€9)'],
  )
  const named = plan(price('a', 500, { label: 'with adverts' }), price('b', 900))
  t.is(titleIn(voice, 'a', named), 'Pro, with adverts')
  t.is(titleIn(voice, 'a', plan(price('a', 500))), 'Pro, monthly')
  for (const more of [{ retired: true }, { stands_for: 'a' }, { replaces: ['a'] }])
    t.is(titleIn(voice, 'a', plan(price('a', 500), price('b', 900, more))), 'Pro, monthly')
})
