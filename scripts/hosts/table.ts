import type { Walked } from './walk.ts'

/** What the runs have shown, as docs/hosts.md has it. */
export const table = (
  rows: readonly { readonly title: string; readonly bundle?: string; readonly walked: Walked | string }[],
): string => {
  const lines = rows.map(({ title, bundle = 'none', walked }) => {
    const { events, gate, sell } =
      typeof walked === 'string' ? { events: 'no', gate: 'no', sell: 'no' } : walked
    return `| ${title} | ${events} | ${gate} | ${sell} | ${bundle} | ${process.version.slice(1)} |`
  })
  return ['| Host | events | gate | sells | bundled by | Node |', '|---|---|---|---|---|---|', ...lines].join(
    '\n',
  )
}
