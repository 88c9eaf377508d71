/** The reports of others in docs/tested.md, made from `test/reports-of-others`. */
import { declined, reports } from '../test/reports-of-others/all.ts'
import { kinds, projectOf, type Report } from '../test/reports-of-others/report.ts'
import { between } from './provider-tables.ts'

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`
}
function tableOf(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(row).join('\n')
}

function countsOf(of: readonly Report[]): number[] {
  return [
    of.length,
    of.filter(({ seller }) => seller !== 'stripe' && seller !== null).length,
    of.filter(({ at6ca7 }) => at6ca7 === 'failed').length,
  ]
}

function linkTo(report: Pick<Report, 'link'>): string {
  return `[${projectOf(report)}#${report.link.split('/').at(-1)}](${report.link})`
}

function sentenceOf(title: string): string {
  return `${title[0]!.toUpperCase()}${title.slice(1)}.`
}

/** `docs/tested.md` with the reports, counted by kind and by project, and those that are declined. */
export function withReportsOfOthers(page: string): string {
  const byKind = kinds
    .map((kind) => [kind, ...countsOf(reports.filter((report) => report.kind === kind))])
    .filter(([, count]) => count !== 0)
  const projects = [...new Set(reports.map(projectOf))].sort()
  const byProject = projects.map((name) => [
    name,
    reports.filter((report) => projectOf(report) === name).length,
  ])
  const list = kinds.flatMap((kind) =>
    reports
      .filter((report) => report.kind === kind)
      .map((report) => [linkTo(report), kind, sentenceOf(report.wanted), report.why, report.at6ca7]),
  )
  const refused = declined.map((item) => [
    linkTo(item),
    sentenceOf(item.wanted),
    `${item.because} [Docs](${item.docs})`,
  ])
  return between(
    page,
    'reports of others',
    [
      tableOf(
        ['Kind', 'Reports', 'Of people who sell without Stripe', 'Failed at 6ca7b530'],
        [...byKind, ['all', ...countsOf(reports)]],
      ),
      tableOf(['Project', 'Reports'], byProject),
      tableOf(['Report', 'Kind', 'What has to hold', 'What they met', 'At 6ca7b530'], list),
      tableOf(['Declined', 'What was wanted', 'Why not'], refused),
    ].join('\n\n'),
  )
}
