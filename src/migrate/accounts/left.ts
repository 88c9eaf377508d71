import { applyEdits, type Edit, placeBefore } from '../edits.ts'
import type { Finding, SiteFacts } from '../plan.ts'
import { forward } from './rename.ts'

// Matches a key as JSON, YAML, PHP's arrays, serialize() and var_export() write it.
const asKey = new RegExp(`(?:^|[^\\w.])${forward.from}\\\\?["']?\\s*(?::|=>|;)`, 'gm')

/**
 * Finds `purchases` left in a text after its edits that may be a provider's data: under another field, in a
 * map of users, or in an unsupported form. Offsets refer to the original text.
 */
export function leftPurchases(text: string, edits: readonly Edit[], facts: SiteFacts): Finding[] {
  if (!text.includes(forward.from)) return []
  const after = applyEdits(text, edits)
  const match = [...after.matchAll(asKey)].find(({ index }) => isBelowField(after, index, facts))
  return match
    ? [{ ...left(facts), at: placeBefore(edits, match.index + match[0].indexOf(forward.from)) }]
    : []
}

// Other things have purchases too, so the word must be below the field's name, or beside a customer of the
// provider.
function isBelowField(text: string, at: number, { field }: SiteFacts): boolean {
  const before = text.slice(Math.max(0, at - 400), at)
  const name = field.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?:^|[^\\w.])${name}\\\\?["']?\\s*(?::|=>|;)`, 'im').test(before)
}

/** Builds the finding for purchases that were not understood. */
export function left({ field }: SiteFacts): Omit<Finding, 'at'> {
  return {
    code: 'purchases-left',
    reason: `This speaks of "${forward.from}" beside the data of a provider, in a form that is not changed. If it is what version 1 kept in the field "${field}", its key is "${forward.to}" in version 2.`,
    replacement: null,
  }
}
