import { Command, Option } from 'commander'
import { type CsvColumns, toCsv, toCsvRows } from '../core/dto/csv.ts'
import { reportStatuses, type Website, type WebsiteFilter } from '../reports/index.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, countUpTo } from './flags.ts'
import { columns, counted, plain, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

type Filter = Common & Omit<WebsiteFilter, 'cursor' | 'limit'>

function filtered(command: Command): Command {
  return common(command)
    .addOption(new Option('--status <status>', 'in this state').choices([...reportStatuses]))
    .option('--partner <partner>', 'of this partner: id or e-mail address; none for nobody’s')
    .option('--since <day>', 'added since, such as 2026-11-01')
    .option('--system <name>', 'found to run it, such as WordPress')
    .option('--release <version>', 'of this version: 4 finds 4.0 and 4.5.1')
    .option('--search <text>', 'with this in address or title')
}

function toFilter(flags: Filter & { release?: string; search?: string }): WebsiteFilter {
  return {
    status: flags.status,
    partner: flags.partner,
    since: flags.since,
    system: flags.system,
    version: flags.release,
    q: flags.search,
  }
}

/** `membership reports list` */
export function listCommand(): Command {
  return filtered(new Command('list').description('List websites of the index, newest first.'))
    .option('--limit <number>', 'how many at most', countUpTo(100_000), 50)
    .addHelpText(
      'after',
      '\nRefused attempts are in it, too: --status listed leaves them out.' +
        '\n\nExamples:\n  membership reports list --status unreachable' +
        '\n  membership reports list --partner index@acme.example --since 2026-11-01' +
        '\n  membership reports list --release 3 --json',
    )
    .action(async ({ limit, ...flags }: Filter & { limit: number }) => {
      const websites = await withSite(flags, async (m) => {
        const found: Website[] = []
        for await (const website of each(m, toFilter(flags))) if (found.push(website) === limit) break
        return found
      })
      const lines = columns(websites.map(toCells))
      print(flags, websites, [
        ...(lines.length > 0 ? lines : ['No website fits.']),
        ...(websites.length === limit ? [`→ The first ${limit}: more with --limit, all with export.`] : []),
      ])
    })
}

/** `membership reports export` */
export function exportCommand(): Command {
  return filtered(new Command('export').description('Print every website that fits, as CSV or JSON.'))
    .option('--csv', 'a line each, for a spreadsheet (default)')
    .addHelpText(
      'after',
      '\n--json prints one object a line.' +
        '\n\nExamples:\n  membership reports export --csv > websites.csv' +
        '\n  membership reports export --status unreachable --csv' +
        '\n  membership reports export --json | jq .url',
    )
    .action(async (flags: Filter & { csv?: boolean }) => {
      await withSite(flags, async (m) => {
        if (!flags.json) process.stdout.write(toCsv(exportColumns, []))
        for await (const website of each(m, toFilter(flags)))
          process.stdout.write(
            flags.json ? `${JSON.stringify(website)}\n` : toCsvRows(exportColumns, [website]),
          )
      })
    })
}

/** `membership reports imports` */
export function importsCommand(): Command {
  return common(
    new Command('imports')
      .description('List what partners’ lists did; with an id line by line.')
      .argument('[id]', 'of a list'),
  )
    .option('--partner <partner>', 'of this partner: id or e-mail address')
    .addHelpText(
      'after',
      '\nExamples:\n  membership reports imports\n  membership reports imports imp_4f1c --json' +
        '\n  membership reports imports --partner index@acme.example',
    )
    .action(async (id: string | undefined, flags: Common & { partner?: string }) => {
      if (id !== undefined) return showImport(id, flags)
      const lists = await withSite(flags, (m) => m.reports.imports(flags.partner))
      const lines = columns(
        lists.map(({ id: list, partner_id, created_at, done, total }) => [
          shortTime(created_at),
          list,
          partner_id,
          `${done} of ${counted(total, 'line')}`,
        ]),
      )
      print(flags, lists, lines.length > 0 ? lines : ['No list was sent yet.'])
    })
}

async function showImport(id: string, flags: Common): Promise<void> {
  const list = await withSite(flags, (m) => m.reports.importOf(id))
  print(
    flags,
    list,
    columns(
      list.lines.map(({ line, outcome, text, detail, report_id }) => [
        String(line),
        outcome ?? 'waits',
        plain(text),
        report_id ?? '',
        plain(detail ?? ''),
      ]),
    ),
  )
}

async function* each(m: Membership, filter: WebsiteFilter): AsyncGenerator<Website> {
  for (let cursor: string | undefined; ; ) {
    const page = await m.reports.websites({ ...filter, cursor, limit: 1000 })
    yield* page.data
    if (page.cursor === null) return
    cursor = page.cursor
  }
}

function toCells({ id, url, status, status_reason, system, title, partner_id }: Website): string[] {
  return [
    id,
    url,
    status_reason === null ? status : `${status} (${status_reason})`,
    system.detected ? `${system.name} ${system.version ?? ''}`.trim() : '-',
    partner_id ?? '-',
    plain(title ?? ''),
  ]
}

const exportColumns: CsvColumns<Website> = [
  ['id', ({ id }) => id],
  ['url', ({ url }) => url],
  ['status', ({ status }) => status],
  ['status_reason', ({ status_reason }) => status_reason],
  ['system', ({ system }) => (system.detected ? system.name : null)],
  ['version', ({ system }) => system.version],
  ['other_system', ({ details }) => details?.other_system?.name ?? null],
  ['partner_id', ({ partner_id }) => partner_id],
  ['source', ({ source }) => source],
  ['title', ({ title }) => title],
  ['language', ({ language }) => language],
  ['first_seen_at', ({ first_seen_at }) => first_seen_at],
  ['checked_at', ({ checked_at }) => checked_at],
  ['failing_since', ({ failing_since }) => failing_since],
]
