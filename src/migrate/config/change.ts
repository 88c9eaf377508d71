import { indentAt, newlineOf } from '../lines.ts'
import type { SiteFacts } from '../plan.ts'
import type { Draft, Hit } from './file.ts'
import { dotted, prefixOf } from './keys.ts'
import { insertion, insertionBefore, movedText, removal } from './places.ts'
import { type Entry, type MapNode, textOf } from './tree.ts'

/**
 * Layout of a set of files that override each other. It must be the same for all, or an override would no
 * longer match.
 */
export interface Layout {
  /** Moves the provider into a map `providers`; otherwise its key becomes `providers.{provider}`. */
  readonly nestsProviders: boolean
  /** Renames `manageUsers` to `members`; otherwise its `role` becomes `members.roles` beside it. */
  readonly nestsMembers: boolean
}

/** Moves a provider's keys below `providers`. `gone` are the entries that already exist in v2. */
export function moveProvider(
  draft: Draft,
  { entry, parents, renamed }: Hit,
  layout: Layout,
  gone: ReadonlySet<Entry>,
  facts: SiteFacts,
): void {
  const { text } = draft.source
  const { map } = parents.at(-1)!
  const inner = entry.value
  if (inner.kind === 'map') for (const item of gone) draft.edits.push(...removal(text, inner, item))
  const isWhole = renamed.segments.at(-1) === facts.provider
  if (!isWhole || !layout.nestsProviders || entry.isStatement) {
    renameTo(draft, entry, dotted(renamed.segments))
    return
  }

  const above = dotted(renamed.segments.slice(0, -1))
  const home = map.entries.find((item) => item.key === above && item.value.kind === 'map')
  if (!home) {
    wrap(draft, map, entry, above, facts)
    return
  }
  const target = home.value as MapNode
  const own = target.entries.find((item) => item.key === facts.provider && item.value.kind === 'map')
  const [into, moved] =
    own && inner.kind === 'map'
      ? [own.value as MapNode, inner.entries.filter((item) => !gone.has(item))]
      : [target, [entry]]
  const behind = into.entries.at(-1)
  if (!behind) {
    draft.findings.push(notMoved(entry, above))
    return
  }
  for (const item of moved) {
    const written = movedText(text, item, indentAt(text, behind.start), draft.syntax)
    draft.edits.push(...insertion(text, into, behind, written))
  }
  // Single entries are removed together with the whole.
  draft.edits.splice(
    0,
    draft.edits.length,
    ...draft.edits.filter((e) => !(e.start >= entry.start && e.end <= entry.end)),
  )
  draft.edits.push(...removal(text, map, entry))
}

/** Replaces a key, keeping its quotes. */
export function renameTo(draft: Draft, entry: Entry, key: string): void {
  const like = draft.source.text.slice(entry.keyStart, entry.keyEnd)
  const written = draft.syntax.key(key, like)
  const text = entry.isShorthand ? draft.syntax.pair(written, like) : written
  draft.edits.push({ start: entry.keyStart, end: entry.keyEnd, text })
}

/** Wraps a value in a list. */
export function wrapInList(draft: Draft, { value }: Entry): void {
  draft.edits.push({ start: value.start, end: value.end, text: draft.syntax.list(textOf(value)) })
}

/** Turns `stripe: { … }` into `providers: { stripe: { … } }`. */
function wrap(draft: Draft, map: MapNode, entry: Entry, above: string, facts: SiteFacts): void {
  const { syntax, source, edits } = draft
  const like = source.text.slice(entry.keyStart, entry.keyEnd)
  const [outer, inner] = [syntax.key(above, like), syntax.key(facts.provider, like)]
  if (!map.isFlow) {
    const eol = newlineOf(source.text)
    const indent = indentAt(source.text, entry.start)
    const step = '  '
    edits.push({ start: entry.keyStart, end: entry.keyEnd, text: `${outer}:${eol}${indent}${step}${inner}` })
    for (
      let at = source.text.indexOf('\n', entry.keyEnd);
      at !== -1 && at < entry.end;
      at = source.text.indexOf('\n', at + 1)
    )
      if (/[^\r\n]/.test(source.text[at + 1] ?? '\n')) edits.push({ start: at + 1, end: at + 1, text: step })
    return
  }
  const value = entry.isShorthand ? `${inner}: ${like}` : inner
  const [open = '', close = ''] = syntax.pair(outer, syntax.map('\u0000')).split('\u0000')
  edits.push({ start: entry.keyStart, end: entry.keyEnd, text: open + value })
  edits.push({ start: entry.end, end: entry.end, text: close })
}

function notMoved(entry: Entry, above: string) {
  return {
    code: 'cannot-be-moved',
    at: entry.start,
    reason: `"${entry.key}" belongs into "${above}", which is there and empty.`,
    replacement: `Move the lines of "${entry.key}" into "${above}".`,
  }
}

/** Renames `manageUsers.role`, and wraps a single role in a list. */
export function moveRole(draft: Draft, hit: Hit, layout: Layout): void {
  const { entry, parents, renamed } = hit
  const { text } = draft.source
  const holder = parents.at(-1)!
  if (!renamed.isSplit) {
    renameTo(draft, entry, dotted(renamed.segments))
    if (entry.value.kind !== 'list') wrapInList(draft, entry)
    return
  }
  const outer = holder.entry!
  const around = parents.at(-2)!.map
  const below = outer.key!.split('.').slice(0, -1)
  if (layout.nestsMembers) {
    renameTo(draft, outer, dotted([...below, 'members']))
    renameTo(draft, entry, 'roles')
    if (entry.value.kind !== 'list') wrapInList(draft, entry)
    return
  }
  const value = textOf(entry.value)
  const roles = entry.value.kind === 'list' ? value : draft.syntax.list(value)
  const key = dotted([...below, 'members', 'roles'])
  if (holder.map.entries.length === 1) {
    renameTo(draft, outer, key)
    // The only entry of a map replaces the map, on the same line.
    draft.edits.push({ start: outer.keyEnd, end: outer.end, text: between(draft, outer) + roles })
    return
  }
  const like = text.slice(outer.keyStart, outer.keyEnd)
  draft.edits.push(...removal(text, holder.map, entry))
  // Inserted before it, because in YAML the removed lines may be its last.
  draft.edits.push(
    ...insertionBefore(text, around, outer, draft.syntax.pair(draft.syntax.key(key, like), roles)),
  )
}

// Returns the text between key and value: `: ` or ` => `.
function between({ source, syntax }: Draft, entry: Entry): string {
  const written = source.text.slice(entry.keyEnd, entry.value.start)
  return written.includes('\n') ? syntax.pair('', '') : written
}

/** Adds a key beside an entry, in the same map. */
export function addBeside(draft: Draft, hit: Hit, path: readonly string[], value: string): void {
  const { entry, above, parents } = hit
  const like = draft.source.text.slice(entry.keyStart, entry.keyEnd)
  const key = draft.syntax.key(dotted(path.slice(above.length)), like)
  const pair = draft.syntax.pair(key, draft.syntax.text(value, like))
  draft.edits.push(...insertion(draft.source.text, parents.at(-1)!.map, entry, pair))
}

/** Returns the whole v2 path of the site's provider. */
export function providerPath(facts: SiteFacts): readonly string[] {
  return [...prefixOf(facts), 'providers', facts.provider]
}
