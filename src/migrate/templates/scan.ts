import { lineIndex } from '../lines.ts'
import type { Finding, Rewrite, SiteFacts } from '../plan.ts'
import { type Change, changeOf } from './api.ts'
import { type Code, type Span, walkCode } from './code.ts'
import { php, type Syntax, script } from './reading.ts'

/** Expressions of a template language, as far as a replacement needs them. */
interface Language {
  readonly name: string
  readonly syntax: Syntax
  /** Marks that begin and end a comment. */
  readonly comments: readonly [RegExp, RegExp]
}

const html: Language['comments'] = [/<!--/g, /-->/g]
const hash: Language['comments'] = [/\{#/g, /#\}/g]
const languages: Record<string, Language> = {
  'blade.php': { name: 'Blade', syntax: php, comments: [/\{\{--/g, /--\}\}/g] },
  latte: { name: 'Latte', syntax: php, comments: [/\{\*/g, /\*\}/g] },
  twig: { name: 'Twig', syntax: script, comments: hash },
  njk: { name: 'Nunjucks', syntax: script, comments: hash },
  jinja: { name: 'Jinja', syntax: script, comments: hash },
  jinja2: { name: 'Jinja', syntax: script, comments: hash },
  j2: { name: 'Jinja', syntax: script, comments: hash },
  mdx: { name: 'MDX', syntax: script, comments: [/\{\/\*/g, /\*\/\}/g] },
  liquid: {
    name: 'Liquid',
    syntax: script,
    comments: [/\{%-?\s{0,9}comment\s{0,9}-?%\}/g, /\{%-?\s{0,9}endcomment\s{0,9}-?%\}/g],
  },
  hbs: { name: 'Handlebars', syntax: script, comments: [/\{\{!--/g, /--\}\}/g] },
  handlebars: { name: 'Handlebars', syntax: script, comments: [/\{\{!--/g, /--\}\}/g] },
  mustache: { name: 'Mustache', syntax: script, comments: [/\{\{!/g, /\}\}/g] },
  vue: { name: 'Vue', syntax: script, comments: html },
  svelte: { name: 'Svelte', syntax: script, comments: html },
  astro: { name: 'Astro', syntax: script, comments: html },
  tpl: { name: 'Smarty', syntax: script, comments: [/\{\*/g, /\*\}/g] },
  pug: { name: 'Pug', syntax: script, comments: [/\/\/-/g, /$/gm] },
  html: { name: 'HTML', syntax: script, comments: html },
  htm: { name: 'HTML', syntax: script, comments: html },
}

/** Reports what a template in another language must change; null for an unknown language. */
export function scanTemplate(file: string, text: string, facts: SiteFacts): Rewrite | null {
  const extension = /\.(blade\.php|[a-z]+\d?)$/i.exec(file)?.[1]?.toLowerCase() ?? ''
  if (!Object.hasOwn(languages, extension)) return null
  const language = languages[extension]!
  const written = withoutComments(text, language)
  const why = `Templates in ${language.name} are not changed by this command.`
  const known = scan(written, language.syntax, facts, { code: 'other-template-language', why })
  const findings = [...known, ...traces(written, facts, known)]
  return found([...findings, ...escapes(written, facts, findings)])
}

/** Reports what the HTML of a file of PHP must change: scripts in place, and attributes that hold code. */
export function scanInlineScripts(root: Code, text: string, facts: SiteFacts): Finding[] {
  if (!/<script\b|\sx-\w|\sv-\w|\s@\w/.test(text)) return []
  const html: Span[] = []
  walkCode(root, (code) => {
    if (code.kind === 'html') html.push(code)
  })
  let out = ''
  for (const { start, end } of html.sort((a, b) => a.start - b.start)) {
    if (start < out.length) continue
    out += text.slice(out.length, start).replace(/[^\r\n]/g, ' ') + text.slice(start, end)
  }
  return /subscription|items\W{1,8}data/i.test(out)
    ? [...(scanTemplate('a.html', out, facts)?.findings ?? [])]
    : []
}

/**
 * Reports whole lists and subscriptions that a template prints, filters, or passes to a function, because
 * they differ between versions. Loops over a list, conditions and counts are the same.
 */
function escapes(text: string, facts: SiteFacts, known: readonly Finding[]): Finding[] {
  const lineOf = lineIndex(text)
  const lines = new Set(known.map(({ at }) => lineOf(at)))
  return [...listUses(text), ...variableUses(text, facts)].flatMap((at) => {
    const line = lineOf(at)
    if (lines.has(line)) return []
    lines.add(line)
    return [
      {
        code: 'not-followed',
        at,
        reason:
          'Subscriptions are used as a whole here, in a template that is not followed. In version 2 they have other fields: look at what reads them.',
        replacement: null,
      },
    ]
  })
}

// `{{ user.subscriptions|json_encode }}`, `@json($user->subscriptions())`
function listUses(text: string): number[] {
  return [...text.matchAll(/(?:\.|->)subscriptions\b(?:\(\s{0,9}\))?/g)].flatMap(({ index, 0: word }) => {
    const before = text
      .slice(Math.max(0, index - 200), index)
      .split('\n')
      .at(-1)!
    const after = text.slice(index + word.length, index + word.length + 40)
    const isLooped =
      /(?:\b(?:for|foreach|each|in|of|if|elseif|unless|empty|isset|forelse|assign|set|const|let|v-if)\b|[#@]\w+\s*\(?|=)[^{}]{0,80}$/.test(
        before,
      ) ||
      /^\s{0,9}(?:\bas\b|\|\s{0,9}(?:length|count|first|last)\b|(?:\.|->)(?:length|count|map|filter|forEach|find|some|every)\b|\[)/.test(
        after,
      )
    const isGivenAway =
      /@(?:json|js|dump|dd)\s*\([^()]{0,80}$|\b\w+\([^()]{0,80}$/.test(before) &&
      !/\b(?:foreach|for|forelse|each|if|elseif|unless|empty|isset|count)\s*\([^()]{0,80}$/.test(before)
    return !isLooped || isGivenAway ? [index] : []
  })
}

// `{{ s }}`, `{{ s|json_encode }}`, `@json($s)`, `dump(s)`
function variableUses(text: string, facts: SiteFacts): number[] {
  const variables = holding(text, facts)
  return [outputs, given, pairs].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ index, 1: name }) => (variables.has(name!) ? [index] : [])),
  )
}

// `{% for k, v in s %}`
const pairs = /\b\w{1,60}\s{0,3},\s{0,3}\w{1,60}\s{1,3}in\s{1,3}(\w{1,60})\s{0,3}[-~]?[%}]/g
const outputs = /\{[{!]{1,2}[-~]?\s{0,9}\$?(\w{1,60})\s{0,9}(?:\|(?!\|)|[-~]?[!}]\})/g
const given =
  /(?<![\w$])(?!(?:if|elseif|unless|for|foreach|forelse|each|isset|empty|include\w{0,20}|component|snippet|with)\b)\w{1,40}\(\s{0,9}\$?(\w{1,60})\s{0,9}[,)]/g

/**
 * Reports words that only version 1 had in a subscription, if their object is unknown: blocks of Handlebars
 * and Mustache, parts stored in a variable.
 */
function traces(text: string, { given }: SiteFacts, known: readonly Finding[]): Finding[] {
  const words = new Set(text.match(/\w+/g))
  if (!/subscription/i.test(text) && ![...(given?.names ?? [])].some((name) => words.has(name))) return []
  const lineOf = lineIndex(text)
  const lines = new Set(known.map(({ at }) => lineOf(at)))
  return [...text.matchAll(trace)].flatMap(({ index, 0: word }) => {
    const line = lineOf(index)
    if (lines.has(line)) return []
    lines.add(line)
    return [
      {
        code: 'trace-of-version-1',
        at: index,
        reason: `"${word.trim()}" stands in a template that speaks of subscriptions or is given one, and version 2 has no such field. If it is read of a subscription, it has to be another one.`,
        replacement: null,
      },
    ]
  })
}

const trace = new RegExp(
  [
    'items\\W{1,8}data\\b',
    '\\b(?:price|plan)\\W{1,4}id\\b',
    '(?<!(?:page|site)\\.)\\b(?:trial_end|trial_start|pause_collection|latest_invoice|start_date)\\b',
    // Read of something, or taken out of it: `s.customer`, `s['plan']`, `{ customer, plan }`.
    '(?<=(?:\\w\\)?(?:\\.|\\?\\.|->)|[\\w\\])]\\[\\s{0,3}["\']?|[({,]\\s{0,3}["\']?|this\\s["\']))(?:customer|plan)\\b(?!["\']?\\s{0,3}(?:=>|=[^=>]))',
    '\\{\\{[#~]{0,2}\\s{0,9}(?:if\\s)?(?:customer|plan)\\b',
    // Beside a text the word of a status becomes a name, such as a key of a translation.
    '["\']\\s{0,3}[~.+]\\s{0,3}\\$?\\w+(?:\\.|->|\\[["\'])status\\b',
    // Blocks that enter a part: {{#data}}, {{#each data}}, {{#with price}}
    '\\{\\{[#~]{1,2}\\s{0,9}(?:(?:each|with)\\s{1,9})?(?:this\\.)?(?:data|price|plan)\\b',
    // A former numeric time that is shown unchanged.
    '\\{\\{\\s{0,9}(?:this\\.)?(?:current_period_(?:start|end)|cancel_at|canceled_at|ended_at)\\s{0,9}\\}\\}',
  ].join('|'),
  'g',
)

/** Replaces comments with blanks, so that every offset stays. */
function withoutComments(text: string, { comments: [open, close] }: Language): string {
  let out = ''
  let from = 0
  for (;;) {
    open.lastIndex = from
    const start = open.exec(text)
    if (!start) break
    close.lastIndex = open.lastIndex
    if (!close.exec(text)) break
    // A match at the end of a line has no width.
    const end = Math.max(close.lastIndex, open.lastIndex)
    out += text.slice(from, start.index) + text.slice(start.index, end).replace(/[^\r\n]/g, ' ')
    from = end
  }
  return out + text.slice(from)
}

/** Reports what code must change that could not be parsed. */
export function scanCode(text: string, syntax: Syntax, facts: SiteFacts): Rewrite {
  const why = `This file could not be read as ${syntax.name === 'php' ? 'PHP' : 'JavaScript'}, so nothing in it was changed.`
  const known = scan(text, syntax, facts, { code: 'not-parsed', why })
  if (known.length > 0) return found(known)
  const at = Math.max(0, text.search(/\b(?:subscriptions?|purchases|payments|getUserData)\b/i))
  return found([{ code: 'not-parsed', at, reason: `${why} Look at it by hand.`, replacement: null }])
}

function found(findings: Finding[]): Rewrite {
  return {
    edits: [],
    summary: [],
    findings: findings.sort((a, b) => a.at - b.at),
  }
}

interface Manner {
  readonly code: string
  readonly why: string
}

function scan(text: string, syntax: Syntax, facts: SiteFacts, manner: Manner): Finding[] {
  return [
    ...prices(text, syntax, manner),
    ...fields(text, syntax, facts, manner),
    ...purchases(text, facts, manner),
  ]
}

// One step of a path: `.items`, `?.items`, `['items']`, `->items`. Every repetition is bounded.
function step(key: string) {
  return `\\s{0,40}(?:(?:\\?\\.|\\.|\\?->|->)\\s{0,40}${key}\\b|(?:\\?\\.)?\\[\\s{0,9}["']?${key}["']?\\s{0,9}\\])`
}
const first = `\\s{0,40}(?:(?:\\?\\.)?\\[\\s{0,9}["']?0["']?\\s{0,9}\\]|\\.(?:0|first)\\b|\\.\\[0\\]|(?:\\?\\.|\\.)at\\(0\\))`
const pricePath = `${step('items')}${step('data')}${first}${step('price')}${step('id')}`

function prices(text: string, syntax: Syntax, { code, why }: Manner): Finding[] {
  return [...text.matchAll(new RegExp(pricePath, 'g'))].map((match) => {
    const { at, base } = baseBefore(text, match.index)
    const isOptional = /^\s*\?/.test(match[0])
    return {
      code,
      at,
      reason: `${why} The price id of a subscription has its own property in version 2. Put this there.`,
      replacement: base + syntax.path(['price_id'], isOptional),
    }
  })
}

/**
 * Reports single fields of a value named like a subscription, or of the variable of a loop over
 * `subscriptions()`.
 */
function fields(text: string, syntax: Syntax, facts: SiteFacts, { code, why }: Manner): Finding[] {
  const variables = holding(text, facts)
  return [...text.matchAll(fieldStep)].flatMap((match) => {
    const { at, base } = baseBefore(text, match.index)
    const v1 = match[1] ?? match[2] ?? ''
    const change = changeOf([v1])
    // The filter accepts a text as well as a number.
    const isDead = syntax.name === 'php' && match[0].includes('[')
    if (
      !isDead &&
      change.kind === 'time' &&
      String(change.path) === v1 &&
      readsDate.test(text.slice(match.index + match[0].length, match.index + 200))
    )
      return []
    const isSame = syntax.name === 'script' && change.kind === 'same' && String(change.path) === v1
    // After an arrow, and unchanged where both versions look alike, it is version 2 already.
    if (
      isSame ||
      change.kind === 'part' ||
      change.path === null ||
      (syntax.name === 'php' && !match[0].includes('['))
    )
      return []
    if (!/subscription$/i.test(base) && !variables.has(base.replace('$', ''))) return []
    const value = base + syntax.path(change.path, false)
    return [{ code, at, reason: `${why} ${becomes(change.kind, v1)}`, replacement: value }]
  })
}

const readsDate = /^\s{0,9}\|\s{0,9}(?:date|format_date|format_datetime|localizeddate)\b/

const fieldStep = new RegExp(step('([a-z]\\w{0,40})'), 'g')

function becomes(kind: Change['kind'], v1: string): string {
  if (kind === 'time')
    return `${v1} was a number of seconds. In version 2 it is a text like 2026-02-01T00:00:00.000Z, in the property named here.`
  if (kind === 'case') return `${v1} was in lower case (eur). In version 2 it is in upper case (EUR).`
  return `If this is a subscription, ${v1} is the property named here in version 2. Put this there.`
}

// `foreach ($user->subscriptions() as $s)`, `for s in user.subscriptions`, `{#each user.subscriptions() as
// s}`
function loopVariables(text: string, lists: readonly string[]): ReadonlySet<string> {
  const list = `\\b(?:${['subscriptions', ...lists].join('|')})\\b`
  const as = text.matchAll(
    new RegExp(
      `${list}[^\\n]{0,60}?\\bas\\s{1,9}\\|?(?:\\$\\w{1,60}\\s{0,9}=>\\s{0,9})?\\$?(\\w{1,60})`,
      'g',
    ),
  )
  const within = text.matchAll(
    new RegExp(`\\b(\\w{1,60})\\)?\\s{1,9}(?:in|of)\\s{1,9}[\\w.$()?>-]{0,80}${list}`, 'g'),
  )
  // `{% set s = user.subscriptions|first %}`, `const [s] = user.subscriptions()`
  const kept = text.matchAll(
    new RegExp(
      `\\b(?:set|assign|const|let|var)\\s{1,9}[\\[{]?\\s{0,3}\\$?(\\w{1,60})[^=\\n]{0,40}=[^;%}\\n]{0,80}${list}`,
      'g',
    ),
  )
  const eachOf = text.matchAll(
    new RegExp(`@each\\([^,]{1,80},[^,]{0,80}${list}[^,]{0,9},\\s{0,9}['"](\\w{1,60})`, 'g'),
  )
  return new Set([...as, ...within, ...kept, ...eachOf].map((match) => match[1]!))
}

/** Returns variables that may be a subscription: of loops, and by the names that other files pass one. */
function holding(text: string, { given }: SiteFacts): ReadonlySet<string> {
  const names = [...(given?.names ?? [])].filter((name) => /^\w+$/.test(name))
  return new Set([...loopVariables(text, names), ...names])
}

/**
 * Returns the names by which a template passes subscriptions on: `['s' => $sub]`, `with {s: sub}`,
 * `:s="$sub"`.
 */
export function givenInText(text: string, facts: SiteFacts): ReadonlySet<string> {
  const variables = holding(text, facts)
  const named = text.matchAll(/['"]?(\w{1,60})['"]?\s{0,9}(?:=>|:)\s{0,9}\$?(\w{1,60})\s{0,9}(?=[,}\])])/g)
  const bound = text.matchAll(/:(\w{1,60})\s{0,9}=\s{0,9}"\$?(\w{1,60})"/g)
  // `<Row {entry} />` of Svelte and Astro.
  const short = text.matchAll(/<[A-Z][\w.]{0,60}\s[^<>]{0,200}?\{(\w{1,60})\}/g)
  const eachOf = text.matchAll(/@each\([^,]{1,80},[^,]{0,80}subscriptions[^,]{0,9},\s{0,9}['"](\w{1,60})/g)
  const isOne = (value: string) => variables.has(value) || /subscriptions?$/i.test(value)
  return new Set([
    ...[...named, ...bound].flatMap(([, name, value]) => (isOne(value!) ? [name!] : [])),
    ...[...short].flatMap(([, name]) => (isOne(name!) ? [name!] : [])),
    ...[...eachOf].map(([, name]) => name!),
  ])
}

const purchasesStep = new RegExp(step('purchases'), 'g')

function purchases(text: string, facts: SiteFacts, { code, why }: Manner): Finding[] {
  return [...text.matchAll(purchasesStep)].map((match) => {
    const { at, base } = baseBefore(text, match.index)
    const isField = base.endsWith(facts.field) || /getUserData/.test(base)
    return {
      code,
      at,
      reason: isField
        ? `${why} What was purchases in the provider’s data is payments in version 2. Put this there.`
        : `${why} If this is the provider’s data of a member, purchases is payments in version 2.`,
      replacement: base + match[0].replace('purchases', 'payments'),
    }
  })
}

/** Returns the simple expression that ends before an offset: names, steps, calls without blanks. */
function baseBefore(text: string, end: number): { at: number; base: string } {
  let at = end
  let depth = 0
  while (at > 0 && end - at < 200) {
    const char = text[at - 1]!
    if (char === ')' || char === ']') depth++
    else if (char === '(' || char === '[') {
      if (depth === 0) break
      depth--
    } else if (depth === 0 && !/[\w$.?!>-]/.test(char)) break
    else if (char === '>' && text[at - 2] !== '-') break
    else if (char === '-' && text[at] !== '>') break
    else if (char === '\n') break
    at--
  }
  while (at < end && /[.?!\s]/.test(text[at]!)) at++
  return { at, base: text.slice(at, end) }
}
