import type { MemberRow } from '../members/statements.ts'
import type { MergeRow } from './statements.ts'

/** Removes the values that a merge gave the kept account, where they are unchanged. Pure. */
export const restored = (
  kept: MemberRow,
  merged: MemberRow,
  { filled }: Pick<MergeRow, 'filled'>,
): Pick<MemberRow, 'id' | 'name' | 'language' | 'content'> => {
  const content = JSON.parse(kept.content) as Record<string, unknown>
  const given = JSON.parse(merged.content) as Record<string, unknown>
  const names = JSON.parse(filled) as string[]
  for (const name of names)
    if (name in content && JSON.stringify(content[name]) === JSON.stringify(given[name])) delete content[name]
  const own = (name: 'name' | 'language') =>
    names.includes(name) && kept[name] === merged[name] ? null : kept[name]
  return { id: kept.id, name: own('name'), language: own('language'), content: JSON.stringify(content) }
}
