import { ifNotTooDeep } from '../deep.ts'
import { applyEdits, type Edit, placeBefore } from '../edits.ts'
import { lineIndex } from '../lines.ts'
import { type Finding, isExplanation, type SiteFacts } from '../plan.ts'
import type { Source } from '../source.ts'
import { treeOf } from '../templates/tree.ts'
import { prefixOf } from './keys.ts'
import { isComment } from './leftovers.ts'
import { findMentions } from './mentions.ts'

/**
 * Finds version 1 keys left in code after its edits: everything that may be one and was neither rewritten nor
 * reported. Offsets refer to the original text.
 */
export function leftInCode(
  source: Source,
  edits: readonly Edit[],
  known: readonly Finding[],
  facts: SiteFacts,
): Finding[] {
  const { text } = source
  if (!mayMention(source, facts)) return []
  const after = { ...source, text: applyEdits(text, edits) }
  const root = treeOf(after)
  const found =
    root === null
      ? scanMentions(after.text, facts)
      : (ifNotTooDeep(after.text, () => findMentions(root, after.text, facts)) ??
        scanMentions(after.text, facts))
  found.push(...compacted(after.text, facts))
  const lineOf = lineIndex(text)
  // An explanation asks for nothing, so it hides no finding of its line.
  const lines = new Set(known.flatMap((finding) => (isExplanation(finding) ? [] : [lineOf(finding.at)])))
  const left: Finding[] = []
  for (const entry of found) {
    const at = placeBefore(edits, entry.at)
    const line = lineOf(at)
    // Each line is reported once.
    if (lines.has(line)) continue
    lines.add(line)
    left.push({ ...entry, at })
  }
  return left
}

/** `return compact('membership')`: the section is put together from variables. */
function compacted(text: string, { prefix }: SiteFacts): Finding[] {
  return [...text.matchAll(/\bcompact\s{0,9}\(([^()]{0,400})\)/gi)].flatMap(({ 1: names, index }) =>
    new RegExp(`(['"])${prefix.split('.')[0]}\\1`).test(names!)
      ? [
          {
            code: 'section-in-code',
            at: index,
            reason:
              'A section of the configuration is put together from variables here. Its keys have other places in version 2.',
            replacement: null,
          },
        ]
      : [],
  )
}

function mayMention({ file, text }: Source, facts: SiteFacts): boolean {
  return (
    text.includes(prefixOf(facts).at(-1)!) ||
    text.includes('manageUsers') ||
    // Configuration may even build the prefix from parts.
    (/(?:^|\/)config\/[^/]+$/.test(file) && text.includes(facts.provider))
  )
}

/**
 * Does the same for text that cannot be parsed as code: another template language, or a file with a syntax
 * error.
 */
function scanMentions(text: string, facts: SiteFacts): Finding[] {
  const prefix = facts.prefix.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const patterns = [
    /\bmanageUsers\b/g,
    new RegExp(`(["'])${prefix}\\.(?:[\\w.]*\\.)?\\1\\s*[.~+]`, 'g'),
    new RegExp(`${prefix}\\.(?:${facts.provider}\\.|provider\\.)?[#$]?\\{`, 'g'),
  ]
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .filter(({ index }) => !isComment(text, index))
    .map(({ index }) => ({
      code: 'key-made-by-code',
      at: index,
      reason: 'A key of the configuration is named here, and it may be one of version 1.',
      replacement: null,
    }))
}
