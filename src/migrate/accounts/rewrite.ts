import { isDeepStrictEqual } from 'node:util'
import { ifNotTooDeep } from '../deep.ts'
import { applyEdits, type Edit } from '../edits.ts'
import { type Finding, nothing, type Rewrite, type Rewriter, type SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { isEncrypted, mayBeEncrypted } from './encrypted.ts'
import { fieldName } from './fields.ts'
import { type Place, placesOf } from './places.ts'
import { backward, forward, type Names, type Renaming, renameIn } from './rename.ts'
import type { DataMap } from './tree.ts'
import { topLevelKey } from './yaml-tree.ts'

/** Renames `purchases` of the provider's field to `payments` in content files: text format, JSON, YAML. */
export const rewriteAccount: Rewriter = (source, facts) => renameData(source, facts, forward)

/**
 * Renames `payments` back to `purchases`, whatever else was written to the account since; null if that needs
 * a decision.
 */
export function revertAccount(text: string, file: string, facts: SiteFacts): string | null {
  const { edits, findings } = renameData({ file, text, encoding: 'utf8' }, facts, backward)
  return findings.length > 0 ? null : applyEdits(text, edits)
}

/** Finds the field with version 1 provider data in this file: a map with `purchases` and a customer. */
export function fieldOf({ file, text }: Pick<Source, 'file' | 'text'>): string | null {
  if (!text.includes(forward.from) || !/customer/i.test(text)) return null
  return placesOf({ file, text })?.find(isProviderData)?.label ?? null
}

/** Returns true if an account of the file has the provider's field, so that its value was read. */
export function hasField(source: Pick<Source, 'file' | 'text'>, { field }: SiteFacts): boolean {
  return (
    source.text.includes(forward.from) &&
    (ifNotTooDeep(source.text, () => placesOf(source))?.some(({ name }) => name === fieldName(field)) ??
      false)
  )
}

/** Returns true for a field with a map that has `purchases` and a customer. */
export function isProviderData(place: Place): boolean {
  if (place.written?.includes(forward.from) === false) return false
  const data = place.data()
  if (data?.kind !== 'map') return false
  const keys = data.entries.map(({ key }) => key)
  return keys.includes(forward.from) && keys.some((key) => /^customer/i.test(key))
}

/** Renames `names.from` to `names.to` in the provider's field of every account in a content file. */
export function renameData(
  source: Pick<Source, 'file' | 'text' | 'encoding'>,
  facts: SiteFacts,
  names: Names,
): Rewrite {
  const { text } = source
  if (!text.includes(names.from) && !mayBeEncrypted(text)) return nothing
  const places = placesOf(source)
  if (places === null) return text.includes(names.from) ? found(unparsedFile(facts, names)) : nothing
  const wanted = fieldName(facts.field)
  // In the text format the last of two equal fields counts.
  const own = /\.txt$/i.test(source.file)
    ? places.filter(({ name }) => name === wanted).slice(-1)
    : places.filter(({ name }) => name === wanted)
  const all = own.map((place) => renamePlace(place, source, facts, names))
  return {
    // A YAML alias can make two fields the same map.
    edits: uniqueBy(
      ({ start }) => start,
      all.flatMap(({ edits }) => edits),
    ),
    summary: [...new Set(all.flatMap(({ summary }) => summary))],
    findings: uniqueBy(
      ({ at }) => at,
      all.flatMap(({ findings }) => findings),
    ),
  }
}

function uniqueBy<T>(key: (element: T) => number, list: readonly T[]): T[] {
  return [...new Map(list.map((element) => [key(element), element])).values()]
}

/** Does the same for one field, whatever its origin. */
export function renamePlace(
  place: Place,
  source: Pick<Source, 'file' | 'text'>,
  facts: SiteFacts,
  names: Names,
): Rewrite {
  const { written } = place
  if (written?.includes(names.from) === false)
    return isEncrypted(written) ? found(encrypted(place, facts, names)) : nothing
  const seen = seenKey(place, names)
  if (seen) return renamed(seen, facts, names)
  const data = place.data()
  if (data?.kind !== 'map') {
    if (written === null) return nothing
    return found((isEncrypted(written) ? encrypted : unparsed)(place, facts, names))
  }
  const renaming = renameIn(data, place.text, names)
  if (renaming.kind === 'nothing')
    return isEncryptedMap(data) ? found(encrypted(place, facts, names)) : nothing
  const edit = 'edit' in renaming ? place.toSource(renaming.edit, names.from) : null
  if (edit === null || (renaming.kind === 'remove' && !isCutClean(source, place, data, edit, names)))
    return found(undecided(place, facts, names, renaming))
  if (renaming.kind === 'rename') return renamed(edit, facts, names)
  const [from, to] = [`${facts.field}.${names.from}`, `${facts.field}.${names.to}`]
  return { edits: [edit], summary: [`${from} removed: ${to} is the same`], findings: [] }
}

/**
 * Finds the key without parsing the values. Nearly all of thousands of accounts have it once, in a plain YAML
 * block.
 */
function seenKey(place: Place, { from, to }: Names): Edit | null {
  const { written } = place
  if (written === null || written.includes(to) || written.indexOf(from) !== written.lastIndexOf(from))
    return null
  const at = topLevelKey(written, from)
  return at === null ? null : place.toSource({ start: at, end: at + from.length, text: to }, from)
}

function renamed(edit: Edit, { field }: SiteFacts, { from, to }: Names): Rewrite {
  return {
    edits: [edit],
    summary: [`${field}.${from} → ${field}.${to}`],
    findings: [],
  }
}

function isEncryptedMap(data: DataMap): boolean {
  return isEncrypted(`{${data.entries.map(({ key }) => `"${key}": `).join(',')}}`)
}

// A removal is made only if parsing the whole result shows that nothing else changed.
function isCutClean(
  { file, text }: Pick<Source, 'file' | 'text'>,
  place: Place,
  before: DataMap,
  edit: Edit,
  { from }: Names,
): boolean {
  const then = placesOf({ file, text })
  const now = placesOf({ file, text: applyEdits(text, [edit]) })
  const at = then?.findIndex((candidate) => candidate.at === place.at) ?? -1
  const after = now?.[at]?.data()
  if (then === null || now === null || then.length !== now.length || after?.kind !== 'map') return false
  const plain = (map: DataMap) =>
    map.entries.filter(({ key }) => key !== from).map((entry) => [entry.key, entry.plain()])
  try {
    return (
      then.every(({ name }, i) => name === now[i]!.name) &&
      after.entries.every(({ key }) => key !== from) &&
      isDeepStrictEqual(plain(before), plain(after))
    )
  } catch {
    return false
  }
}

function found(...findings: Finding[]): Rewrite {
  return { edits: [], summary: [], findings }
}

function encrypted(place: Place, { field, prefix }: SiteFacts, { from, to }: Names): Finding {
  return {
    code: 'encrypted',
    at: place.at,
    reason: `The field "${field}" is encrypted, so it cannot be seen whether "${from}" is in it; it was not changed.`,
    replacement: `Store the field as plain text with the version that encrypted it (${prefix}.crypto.encrypt off), then run this again. Or rename "${from}" to "${to}" where it is decrypted.`,
  }
}

function unparsed(place: Place, { field }: SiteFacts, { from, to }: Names): Finding {
  return {
    code: 'not-parsed',
    at: place.at,
    reason: `The field "${field}" speaks of "${from}" but can be read as a map neither of YAML nor of JSON, so it was not changed.`,
    replacement: `Mend the value so that it can be read and run this again, or rename its key "${from}" to "${to}".`,
  }
}

function unparsedFile({ field }: SiteFacts, { from, to }: Names): Finding {
  return {
    code: 'not-parsed',
    at: 0,
    reason: `The file speaks of "${from}" but cannot be read, so it was not changed.`,
    replacement: `Mend the file and run this again, or rename "${from}" below "${field}" to "${to}".`,
  }
}

function undecided(place: Place, { field }: SiteFacts, { from, to }: Names, renaming: Renaming): Finding {
  if (renaming.kind === 'differ')
    return {
      code: 'both-forms-differ',
      at: place.at,
      reason: `The field "${field}" has both "${from}" and "${to}", and they are not the same.`,
      replacement: `Put every entry that counts under "${to}" and delete "${from}".`,
    }
  if (renaming.kind === 'twice' || renaming.kind === 'remove')
    return {
      code: 'both-forms',
      at: place.at,
      reason: `The field "${field}" has both "${from}" and "${to}" with the same content, written in a way that cannot be taken apart safely.`,
      replacement: `Delete "${from}" and keep "${to}".`,
    }
  return {
    code: 'not-parsed',
    at: place.at,
    reason: `The field "${field}" has "${from}" written in a way that cannot be changed safely.`,
    replacement: `Rename "${from}" to "${to}".`,
  }
}
