/** What goes wrong at each provider, and what then holds, made from the lifecycles in `test/lifecycles`. */
import { readFileSync } from 'node:fs'
import { lives } from '../test/lifecycles/all.ts'
import { dunnings } from '../test/lifecycles/dunning.ts'
import type { Lifecycle, Sight, Step } from '../test/lifecycles/lifecycle.ts'
import { played } from '../test/lifecycles/lifecycle.ts'
import type { Count } from '../test/lifecycles/mutations.ts'
import { notPlayed } from '../test/lifecycles/not-played.ts'
import { silent } from '../test/lifecycles/silent.ts'
import { situations, told, withouts } from '../test/lifecycles/situations.ts'
import { sdks } from '../test/lifecycles/typed.ts'
import { between } from './provider-tables.ts'

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

const dayMs = 86_400_000

function accessIn({ open = {}, openForBob = {} }: Sight): string {
  const words = [...Object.values(open)]
  const bobs = Object.values(openForBob)
  const own = words.length === 0 ? '' : words.includes(true) ? 'access' : 'no access'
  return bobs.length === 0 ? own : `${own}, the other member has access`
}

function stepOf({ at, happens, sees = {} }: Step, start: string): string {
  const day = Math.floor((Date.parse(at) - Date.parse(start)) / dayMs)
  const mails = (sees.mails ?? []).map((kind) => `, mail \`${kind}\``).join('')
  return `Day ${day}, ${happens}: ${accessIn(sees)}${mails}.`
}

function startOf({ steps }: Lifecycle): string {
  return steps[0]?.sends?.[0]?.at ?? steps[0]?.at ?? ''
}

/** What a member has, step by step, or is to have. */
function memberIn(life: Lifecycle): string {
  return [
    ...(life.fails === undefined ? [] : [`Does not hold yet: ${life.fails}. It is to be:`]),
    ...life.steps
      .filter(({ sees }) => sees !== undefined && accessIn(sees) !== '')
      .map((step) => stepOf(step, startOf(life))),
  ].join('<br>')
}

/** The lifecycles that the package does not hold yet. */
function failing(): string {
  return tableOf(
    ['What does not hold yet', 'Why'],
    lives.flatMap(({ provider, situation, fails }) =>
      fails === undefined ? [] : [[`${provider}: ${situation}.`, `${sentence(fails)}.`]],
    ),
  )
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function factOf({ fact, setting }: Lifecycle): string {
  const where = fact.source === 'unknown' ? ' No page says it.' : ` ([source](${fact.source.address}))`
  return `${fact.says}${where}${setting === undefined ? '' : ` Setting: ${setting}.`}`
}

/** The page of one provider with its table of situations. */
export function withSituations(page: string, provider: string): string {
  const own = lives.filter((life) => life.provider === provider)
  if (own.length === 0) return page
  const rows = own.map((life) => [life.situation, factOf(life), memberIn(life), life.help])
  return between(
    page,
    'situations',
    tableOf(['Situation', 'What the provider does', 'What the member has', 'What you can do'], rows),
  )
}

/** The messages that were dropped, and what nobody can notice. */
function dropped(): string {
  const counts = JSON.parse(
    readFileSync(new URL('../test/lifecycles/dropped.json', import.meta.url), 'utf8'),
  ) as Record<string, Omit<Count, 'provider'>>
  const figures = (provider: string) => {
    const { all = 0, noticed = 0, repeated = 0, silent = 0, unnoticed = 0 } = counts[provider] ?? {}
    return [all, noticed, repeated, silent, unnoticed]
  }
  const sum = played.map(figures).reduce((a, b) => a.map((n, i) => n + b[i]!))
  const rows = played.map((provider) => {
    const sdk = sdks[provider]
    return [
      provider,
      ...figures(provider).map(String),
      'package' in sdk ? `\`${sdk.package}\`` : `no: ${sdk.none}`,
    ]
  })
  const quiet = silent.map(({ provider, because }) => `${provider}: ${because}`)
  return [
    tableOf(
      ['Provider', 'Messages', 'Noticed', 'Said twice', 'Changes nothing', 'Nobody notices', 'Typed by'],
      [...rows, ['all', ...sum.map(String), '']],
    ),
    tableOf(
      ['Why a missing message changes nothing'],
      quiet.map((line) => [line]),
    ),
  ].join('\n\n')
}

/** When a failed renewal is tried again. */
function retries(): string {
  return tableOf(
    ['Provider', 'Days after a failed renewal on which it is tried again'],
    dunnings.map(({ provider, retries, because = '', source }) => {
      const days =
        retries === null ? because : retries.length === 0 ? 'It is not tried again.' : retries.join(', ')
      return [
        provider,
        `${days}${source === 'unknown' ? ' No page says it.' : ` ([source](${source.address}))`}`,
      ]
    }),
  )
}

/** Where each situation is played, and where it is not. */
function situationTables(): string {
  const listed = (providers: readonly string[]) =>
    providers.length === played.length ? 'all' : providers.join(', ')
  const rows = told.map(({ situation, played: own, without, unknown, open }) => [
    situation.name,
    listed(own),
    listed(without),
    [listed(open), unknown.length === 0 ? '' : `no page says it: ${listed(unknown)}`]
      .filter((text) => text !== '')
      .join('; '),
  ])
  const general = situations.flatMap(({ name, elsewhere }) =>
    elsewhere === undefined ? [] : [[name, elsewhere.map(testOf).join('<br>')]],
  )
  const names = new Map(situations.map(({ key, name }) => [key, name]))
  const reasons = withouts.map(({ providers, situations: keys, because, source }) => [
    providers.join(', '),
    `${because}${source === 'unknown' ? '' : ` ([source](${source}))`}`,
    keys.map((key) => `${names.get(key)}.`).join('<br>'),
  ])
  return [
    tableOf(['Situation', 'Played for', 'Has no such thing', 'Open'], rows),
    tableOf(['Situation', 'Tests for every provider at once, in `test/`'], general),
    tableOf(['Provider', 'Why it has no such thing', 'Situations'], reasons),
    ...(lives.some(({ fails }) => fails !== undefined) ? [failing()] : []),
  ].join('\n\n')
}

function testOf(name: string): string {
  const [file, ...title] = name.split(': ')
  return `\`${file}\`: \`${title.join(': ')}\``
}

/** `docs/tested.md` with the count of lifecycles, and the situations that no fake server plays. */
export function withLifecycles(page: string): string {
  const rows = played.map((provider) => {
    const own = lives.filter((life) => life.provider === provider)
    const unknown = own.filter(({ fact }) => fact.source === 'unknown')
    const missing = own.filter((life) => notPlayed(life) !== null)
    return [
      `[${provider}](providers/${provider}.md#when-something-goes-wrong)`,
      ...[own.length, own.length - unknown.length, unknown.length, own.length - missing.length].map(String),
    ]
  })
  const reasons = [...new Set(lives.flatMap((life) => notPlayed(life) ?? []))]
  const missing = reasons.map((reason) => [
    reason,
    lives
      .filter((life) => notPlayed(life) === reason)
      .map(({ provider, situation }) => `${provider}: ${situation}.`)
      .join('<br>'),
  ])
  return between(
    between(page, 'situations', situationTables()),
    'lifecycles',
    `${tableOf(['Provider', 'Lifecycles', 'With a source', 'No page says it', 'Played by its fake server'], rows)}\n\n${tableOf(['Why no fake server plays it', 'Situations'], missing)}\n\n${dropped()}\n\n${retries()}`,
  )
}
