import type { Edit } from '../edits.ts'
import type { Finding, Rewrite, SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { addBeside, type Layout, moveProvider, moveRole, providerPath, renameTo } from './change.ts'
import { type Draft, type Hit, toDraft, valueAt } from './file.ts'
import { dotted, prefixOf, toV2Path } from './keys.ts'
import { findLeftovers, mentionsV1 } from './leftovers.ts'
import { removal } from './places.ts'
import { providersOf } from './providers.ts'
import { listOf } from './syntax.ts'
import { type ConfigNode, type Entry, type MapNode, textOf, walkEntries } from './tree.ts'
import { keepsMeaning } from './verify.ts'

/**
 * Rewrites configuration files to v2. Files of one folder that override each other (`config.php`,
 * `config.localhost.php`) are processed together. Values are moved and never evaluated. Every result is
 * parsed again and compared. Each v2 lookup must give the value of the v1 lookup; otherwise nothing changes,
 * and the reason is reported.
 */
export function planConfig(sources: readonly Source[], facts: SiteFacts): ReadonlyMap<string, Rewrite> {
  const rewrites = new Map<string, Rewrite>()
  for (const set of setsOf(sources).filter((files) => files.some(({ text }) => mentionsV1(text, facts))))
    for (const [file, rewrite] of planSet(set, facts)) rewrites.set(file, rewrite)
  return rewrites
}

/**
 * Groups files that override each other: in one folder, with the same name up to the first dot. The first is
 * the base.
 */
function setsOf(sources: readonly Source[]): Source[][] {
  const sets = new Map<string, Source[]>()
  for (const source of sources) {
    const name = source.file.slice(source.file.lastIndexOf('/') + 1)
    const key = source.file.slice(0, -name.length) + name.split('.')[0]
    sets.set(key, [...(sets.get(key) ?? []), source])
  }
  return [...sets.values()].map((set) => set.sort((a, b) => dots(a) - dots(b)))
}

function dots({ file }: Source): number {
  return file.slice(file.lastIndexOf('/') + 1).split('.').length
}

function planSet(sources: readonly Source[], facts: SiteFacts): Map<string, Rewrite> {
  const rewrites = new Map<string, Rewrite>()
  const drafts: Draft[] = []
  for (const source of sources) {
    const draft = toDraft(source, facts)
    if (draft) drafts.push(draft)
    else
      rewrites.set(source.file, { edits: [], summary: [], findings: findLeftovers(source.text, facts, []) })
  }
  const layout = layoutOf(drafts, facts)
  for (const draft of drafts) change(draft, layout, facts)
  complete(drafts, facts)
  if (drafts.some((draft) => draft.edits.length > 0) && !keepsMeaning(drafts, facts)) giveUp(drafts, facts)
  explainDefaults(drafts, facts)
  explainHandlers(drafts, facts)
  for (const draft of drafts) {
    const { edits, summary, source } = draft
    const findings = [...draft.findings, ...findLeftovers(source.text, facts, draft.hits)]
    rewrites.set(source.file, { edits: unique(edits), summary: [...new Set(summary)], findings })
  }
  return rewrites
}

function layoutOf(drafts: readonly Draft[], facts: SiteFacts): Layout {
  const prefix = prefixOf(facts)
  const isWhole = ({ renamed }: Hit) => renamed.segments.at(-1) === facts.provider
  const hasMaps = drafts.some(({ hits }) => hits.some(isWhole))
  const nestsProviders = hasMaps && drafts.some((draft) => hasMapAt(draft, [...prefix, 'providers']))
  const split = drafts.flatMap(({ hits }) => hits.filter(({ renamed }) => renamed.isSplit))
  const nestsMembers =
    split.every(({ parents }) => parents.at(-1)!.map.entries.length === 1) &&
    !drafts.some((draft) => hasPath(draft, [...prefix, 'members']))
  return { nestsProviders, nestsMembers }
}

function hasMapAt(draft: Draft, path: readonly string[]): boolean {
  let has = false
  walkEntries(draft.root, draft.base, (entry, above) => {
    has ||= entry.value.kind === 'map' && dotted([...above, entry.key!]) === dotted(path)
    return !has
  })
  return has
}

function hasPath(draft: Draft, path: readonly string[]): boolean {
  let has = false
  walkEntries(draft.root, draft.base, (entry, above) => {
    has ||= `${dotted([...above, entry.key!])}.`.startsWith(`${dotted(path)}.`)
    return !has
  })
  return has
}

function change(draft: Draft, layout: Layout, facts: SiteFacts): void {
  for (const hit of draft.hits) {
    const { same, differ } = compareForms(draft, hit, facts)
    if (differ.length > 0) {
      draft.findings.push(...differ)
      continue
    }
    const [v1, v2] = namesOf(hit, facts)
    if (same === 'all') draft.summary.push(`${v1} is there as ${v2} already`)
    else if (!apply(draft, hit, layout, same, facts)) continue
    else draft.summary.push(`${v1} → ${v2}`)
    if (same === 'all') draft.edits.push(...removeWhole(draft, hit))
  }
}

function apply(draft: Draft, hit: Hit, layout: Layout, same: ReadonlySet<Entry>, facts: SiteFacts): boolean {
  const { entry, renamed, parents } = hit
  if (renamed.rule === 'provider') moveProvider(draft, hit, layout, same, facts)
  else if (renamed.rule === 'current') {
    renameTo(draft, entry, dotted(renamed.segments))
    draft.findings.push({
      code: 'confirm-handler',
      at: entry.start,
      reason: `"${facts.prefix}.provider.current" is "${facts.prefix}.provider.handler" now, with the same value. Version 2 takes a provider's key or class here: make sure that this one exists in version 2.`,
      replacement: null,
    })
  } else {
    const problem = roleProblem(draft, hit, facts)
    if (problem) draft.findings.push(problem)
    if (problem) return false
    moveRole(draft, hit, layout)
  }
  return parents.length > 0
}

/**
 * Reports roles that cannot be converted. A literal, a plain `env()` or a list can become the list of roles;
 * anything else needs a person.
 */
function roleProblem(draft: Draft, { entry, parents, renamed }: Hit, facts: SiteFacts): Finding | null {
  const { kind } = entry.value
  const isText = kind === 'literal' && typeof entry.value.value === 'string'
  const holder = parents.at(-1)!.entry
  const isShared = renamed.isSplit && holder !== null && !contains(holder, parents.at(-1)!.map)
  const isClear =
    (isText || kind === 'env' || kind === 'list') && !isShared && !(entry.isStatement && renamed.isSplit)
  if (isClear) return null
  // A nested key is suggested as the replacement of its parent.
  const outer = renamed.isSplit ? holder : null
  const path = outer
    ? [...outer.key!.split('.').slice(0, -1), 'members', 'roles']
    : [...prefixOf(facts), 'members', 'roles']
  const key = draft.syntax.key(dotted(path), "'")
  return {
    code: 'role-not-literal',
    at: (outer ?? entry).start,
    reason: `"${facts.prefix}.manageUsers.role" is "${facts.prefix}.members.roles" in version 2, a list of roles. The value here is neither a text nor a plain env(), so it was left.`,
    replacement: draft.syntax.pair(key, listOf(draft.syntax, textOf(entry.value))),
  }
}

function contains(entry: Entry, map: MapNode): boolean {
  return map.start >= entry.start && map.end <= entry.end
}

function removeWhole(draft: Draft, { entry, parents }: Hit): Edit[] {
  const { map, entry: holder } = parents.at(-1)!
  // A map that contains nothing else is removed with it.
  const isAlone = map.entries.length === 1 && holder !== null && parents.length > 1
  return isAlone
    ? removal(draft.source.text, parents.at(-2)!.map, holder)
    : removal(draft.source.text, map, entry)
}

/**
 * Adds the handler if exactly one provider is configured and none chosen, and the field if it is not the
 * default.
 */
function complete(drafts: readonly Draft[], facts: SiteFacts): void {
  const prefix = prefixOf(facts)
  const handler = [...prefix, 'provider', 'handler']
  const field = [...providerPath(facts), 'field']
  const withProvider = drafts.filter((draft) => placeToAdd(draft))
  const [first] = withProvider
  if (!first) return
  // Added to the base file; if that has no provider, to each file that has one.
  const targets = first === drafts[0] ? [first] : withProvider
  const hasHandler = drafts.some(
    (draft) => valueAt(draft, handler) || draft.hits.some(({ renamed }) => renamed.rule === 'current'),
  )
  if (!hasHandler && providersOf(drafts, facts).size === 1)
    for (const draft of targets) {
      addBeside(draft, placeToAdd(draft)!, handler, facts.provider)
      draft.summary.push(`${dotted(handler)} added: ${facts.provider}`)
    }
  const v1Field = [...prefix, facts.provider, 'field']
  const hasField = drafts.some((draft) => valueAt(draft, v1Field) || valueAt(draft, field))
  if (facts.field !== facts.provider && !hasField)
    for (const draft of targets) {
      addBeside(draft, placeToAdd(draft)!, field, facts.field)
      draft.summary.push(`${dotted(field)} added: ${facts.field}`)
    }
}

/**
 * Finds a provider's key next to which something can be added: it moves, stays in its map, and is no
 * statement.
 */
function placeToAdd(draft: Draft): Hit | undefined {
  return draft.findings.some(({ code }) => code === 'both-forms-differ')
    ? undefined
    : draft.hits.find(
        ({ entry, renamed }) =>
          renamed.rule === 'provider' &&
          !entry.isStatement &&
          draft.edits.some((edit) => edit.start >= entry.start && edit.start < entry.end && edit.text !== ''),
      )
}

function giveUp(drafts: readonly Draft[], facts: SiteFacts): void {
  for (const draft of drafts) {
    draft.edits.length = 0
    draft.summary.length = 0
    for (const hit of draft.hits) {
      const [v1, v2] = namesOf(hit, facts)
      draft.findings.push({
        code: 'meaning-would-change',
        at: hit.entry.start,
        reason: `"${v1}" is written in several forms that override each other, here or in another file. Renaming it would change the value.`,
        replacement: `Write each key once, then run the migration again. In version 2 this key is "${v2}".`,
      })
    }
  }
}

function namesOf({ entry, above }: Hit, facts: SiteFacts): [string, string] {
  const path = [...above, ...entry.key!.split('.')]
  return [dotted(path), dotted(toV2Path(path, facts))]
}

function unique(edits: readonly Edit[]): Edit[] {
  const seen = new Set<string>()
  return edits.filter(({ start, end, text }) => {
    const key = `${start}:${end}:${text}`
    // Two aliases of one anchor produce the same edit; insertions are always distinct.
    if (start !== end && seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Comparison of a v1 key with the v2 key in the same file: `all` exists already, or these entries of it. */
interface Forms {
  readonly same: 'all' | ReadonlySet<Entry>
  readonly differ: readonly Finding[]
}

/**
 * Looks up each v1 key under its v2 name in the same file; a difference other than white space is a finding.
 */
function compareForms(draft: Draft, hit: Hit, facts: SiteFacts): Forms {
  const leaves = leavesOf(hit)
  const same = new Set<Entry>()
  const differ: Finding[] = []
  for (const { entry, path } of leaves) {
    const target = toV2Path(path, facts)
    const known = valueAt(draft, target)
    if (!known) continue
    if (isSame(draft, entry.value, known, hit.renamed.rule === 'role')) same.add(entry)
    else
      differ.push({
        code: 'both-forms-differ',
        at: entry.start,
        reason: `"${dotted(path)}" is in version 2 "${dotted(target)}", and both are here with different values.`,
        replacement: `Keep the value that is right under "${dotted(target)}", and delete "${dotted(path)}".`,
      })
  }
  return { same: same.size > 0 && same.size === leaves.length ? 'all' : same, differ }
}

/** Returns the keys to look up; for a provider, each of its keys. */
function leavesOf({ entry, above, renamed }: Hit): { entry: Entry; path: readonly string[] }[] {
  const path = [...above, ...entry.key!.split('.')]
  const isSection = renamed.rule === 'provider' && renamed.segments.at(-2) === 'providers'
  if (!isSection || entry.value.kind !== 'map') return [{ entry, path }]
  return entry.value.entries.flatMap((inner) =>
    inner.key === null ? [] : [{ entry: inner, path: [...path, ...inner.key.split('.')] }],
  )
}

function isSame(draft: Draft, old: ConfigNode, now: ConfigNode, isRole: boolean): boolean {
  const written = bare(textOf(now))
  if (old.kind === 'literal' && now.kind === 'literal' && old.value === now.value) return true
  if (written === bare(textOf(old))) return true
  return isRole && written === bare(draft.syntax.list(textOf(old)))
}

function bare(text: string): string {
  return text.replace(/\s+/g, '')
}

/**
 * Reports files of a set that have a provider but no handler while another file has one: a site that reads
 * only these could sell nothing.
 */
function explainHandlers(drafts: readonly Draft[], facts: SiteFacts): void {
  const prefix = prefixOf(facts)
  const has = (draft: Draft, name: string) => valueAt(draft, [...prefix, 'provider', name]) !== null
  const hasHandler = (draft: Draft) => has(draft, 'handler') || has(draft, 'current')
  const [low] = drafts
  if (!low || hasHandler(low) || !drafts.some(hasHandler)) return
  const hasProviders = (draft: Draft) => providersOf([draft], facts).size > 0
  for (const draft of drafts) {
    const isComplete = hasHandler(draft) || !(hasProviders(draft) || (draft !== low && hasProviders(low)))
    if (isComplete || draft.edits.some(({ text }) => text.includes('handler'))) continue
    const at = draft.hits[0]?.entry.start ?? draft.root.entries[0]?.start ?? 0
    const provider = [...providersOf(drafts, facts)].join(' or ')
    draft.findings.push({
      code: 'handler-needed',
      at,
      reason: `Another file of this set says which provider takes new checkouts, and this one does not: a site that reads this one sells nothing.`,
      replacement: `${dotted([...prefix, 'provider', 'handler'])}: ${provider}`,
    })
  }
}

/**
 * Explains differences of v2 without a changed key, in the site's first configuration file. It does so only
 * if something of v1 is there, because a v2 site needs no explanation.
 */
function explainDefaults(drafts: readonly Draft[], facts: SiteFacts): void {
  const first = drafts.find(({ hits }) => hits.length > 0)
  if (!first) return
  const at = first.hits[0]!.entry.start
  const has = (...path: string[]) => drafts.some((draft) => valueAt(draft, [...prefixOf(facts), ...path]))
  if (!has('ratelimit', 'limit'))
    first.findings.push(
      note('default-ratelimit', at, [
        'Version 2 answers at most 30 requests a minute from one address on its own routes, and this site sets no limit of its own.',
        `Set "${facts.prefix}.ratelimit.limit" where that is too few.`,
      ]),
    )
  const providers = [...providersOf(drafts, facts)]
  if (providers.length > 1 && !has('provider', 'handler') && !has('provider', 'current'))
    first.findings.push({
      ...note('handler-needed', at, [
        `Version 2 has one provider for new checkouts, and this site configures ${providers.join(' and ')} without saying which.`,
      ]),
      replacement: `${facts.prefix}.provider.handler: ${providers.join(' or ')}`,
    })
  const trial = drafts.find(({ source, hits }) => hits.length > 0 && /\btrial/.test(source.text))
  if (trial)
    trial.findings.push(
      note('default-trial', trial.source.text.search(/\btrial/), [
        'In version 2 trials are managed by the provider, and a subscription on trial counts as active: its gates are open.',
      ]),
    )
}

function note(code: string, at: number, sentences: readonly string[]): Finding {
  return {
    code,
    at,
    reason: sentences.join(' '),
    replacement: null,
  }
}
