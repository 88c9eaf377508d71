import { Command } from 'commander'
import { toWebsite, type Website } from '../reports/index.ts'
import type { Membership } from '../site/membership.ts'
import { actor, type Common, common, countUpTo, planned } from './flags.ts'
import { columns, counted, notYet, print, shortTime } from './output.ts'
import { relinkCommand } from './relink-command.ts'
import { confirmCommand, declineCommand, requestsCommand } from './relink-requests-command.ts'
import { exportCommand, importsCommand, listCommand } from './reports-list.ts'
import { withSite } from './site.ts'

/** `membership reports …` */
export function reportsCommand(): Command {
  return new Command('reports')
    .addHelpText(
      'after',
      '\nExamples:\n  membership reports list --status unreachable\n  membership reports export --csv > websites.csv' +
        '\n  membership reports relink websites.txt --partner index@acme.example' +
        '\n  membership reports show https://example.com' +
        '\n  membership reports exclude example.com --reason "the owner asked"' +
        '\n  membership reports review\n  membership reports accept rpt_4f1c\n  membership reports audit rpt_4f1c',
    )
    .addCommand(listCommand())
    .addCommand(exportCommand())
    .addCommand(importsCommand())
    .addCommand(relinkCommand())
    .addCommand(requestsCommand())
    .addCommand(confirmCommand())
    .addCommand(declineCommand())
    .addCommand(showCommand())
    .addCommand(excludeCommand())
    .addCommand(restoreCommand())
    .addCommand(excludedCommand())
    .addCommand(reviewCommand())
    .addCommand(acceptCommand())
    .addCommand(mergeCommand())
    .addCommand(auditCommand())
}

function showCommand(): Command {
  return common(
    new Command('show')
      .description('Show everything known about a website.')
      .argument('<website>', 'id or address'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  membership reports show rpt_4f1c\n  membership reports show https://example.com --json',
    )
    .action(async (name: string, flags: Common) => {
      const site = await withSite(flags, async (m) => shown(m, await m.reports.operator.get(name)))
      print(flags, site, linesOf(site))
    })
}

function excludeCommand(): Command {
  return common(
    new Command('exclude')
      .description('Exclude a host and everything below it, or one folder, from the index.')
      .argument('<pattern>', 'a host, or an address with a path'),
  )
    .requiredOption('--reason <text>', 'why')
    .addHelpText(
      'after',
      '\nNeither the crawler nor a partner brings it back.' +
        '\n\nExamples:\n  membership reports exclude example.com --reason "the owner asked"' +
        '\n  membership reports exclude https://example.com/demo --reason "a theme demo"',
    )
    .action(async (pattern: string, { reason, ...flags }: Common & { reason: string }) => {
      const done = await withSite(flags, (m) => m.reports.operator.exclude(pattern, reason, actor()), {
        absent: 'make',
      })
      print(flags, done, [
        `Excluded ${done.pattern}: ${counted(done.websites, 'website')} taken out.`,
        `→ Undo: membership reports restore ${done.pattern}`,
      ])
    })
}

function restoreCommand(): Command {
  return common(
    new Command('restore')
      .description('Allow an excluded host again. The next crawl visits it.')
      .argument('<pattern>', 'as it was excluded'),
  )
    .addHelpText('after', '\nExamples:\n  membership reports restore example.com')
    .action(async (pattern: string, flags: Common) => {
      const done = await withSite(flags, (m) => m.reports.operator.restore(pattern, actor()))
      print(flags, done, [`Restored ${done.pattern}: ${counted(done.websites, 'website')} to check.`])
    })
}

function excludedCommand(): Command {
  return common(new Command('excluded').description('List excluded hosts and folders, with the reasons.'))
    .addHelpText('after', '\nExamples:\n  membership reports excluded')
    .action(async (flags: Common) => {
      const rules = await withSite(flags, (m) => m.reports.operator.exclusions())
      const lines = columns(
        rules.map((rule) => [
          rule.pattern,
          rule.against === 'everyone' ? 'for everyone' : `for the ${rule.against}`,
          rule.until === null ? 'for good' : `until ${rule.until.slice(0, 10)}`,
          rule.reason,
        ]),
      )
      print(flags, rules, lines.length > 0 ? lines : ['Nothing is excluded.'])
    })
}

function reviewCommand(): Command {
  return common(new Command('review').description('List the websites that wait for a review.'))
    .addHelpText(
      'after',
      '\nAccepting or excluding the website closes its case.\n\nExamples:\n  membership reports review',
    )
    .action(async (flags: Common) => {
      const cases = await withSite(flags, (m) => m.reports.operator.reviews())
      const value = cases.map(({ resolved_at: _, ...rest }) => rest)
      print(flags, value, [
        ...columns(
          cases.map((entry) => [entry.at.slice(0, 10), entry.report_id ?? '-', entry.url, `(${entry.why})`]),
        ),
        ...(cases.length === 0
          ? ['No cases.']
          : [
              '',
              '→ It is the system all the same: membership reports accept ID',
              '→ It is not to come back: membership reports exclude URL --reason …',
            ]),
      ])
    })
}

function acceptCommand(): Command {
  return common(
    new Command('accept')
      .description('List a website, although it was not recognised.')
      .argument('<website>', 'id or address'),
  )
    .addHelpText('after', '\nExamples:\n  membership reports accept rpt_4f1c')
    .action(async (name: string, flags: Common) => {
      const site = await withSite(flags, async (m) =>
        shown(m, await m.reports.operator.accept(name, actor())),
      )
      print(flags, site, [`Listed ${site.url} (${site.id}).`])
    })
}

function mergeCommand(): Command {
  return planned(
    common(
      new Command('merge')
        .description('Merge two websites. Without --write, show which stays.')
        .argument('<keep>', 'id or address of the one that stays')
        .argument('<merge>', 'id or address of the one that goes into it'),
    ),
  )
    .addHelpText(
      'after',
      '\nPartner and picture move only where the kept one has none of its own. There is no' +
        '\nway back.' +
        '\n\nExamples:\n  membership reports merge https://example.com http://old.example.com' +
        '\n  membership reports merge rpt_4f1c rpt_9a2e --write',
    )
    .action(async (keep: string, merge: string, { write, ...flags }: Common & { write?: boolean }) => {
      const { kept, merged } = await withSite(flags, async (m) => {
        const merged = shown(m, await m.reports.operator.get(merge))
        const kept = await m.reports.operator.merge({ keep, merge, write, by: actor() })
        return { merged, kept: shown(m, kept) }
      })
      const [from, into] = [merged, kept].map(({ url, id }) => `${url} (${id})`)
      print(
        flags,
        kept,
        write ? [`Merged ${from} into ${into}.`] : [`Would merge ${from} into ${into}.`, ...notYet],
      )
    })
}

function auditCommand(): Command {
  return common(
    new Command('audit')
      .description('List the actions on the index, with who did them, newest first.')
      .argument('[subject]', 'an id, or a pattern'),
  )
    .option('--limit <number>', 'how many at most', countUpTo(10_000), 50)
    .addHelpText(
      'after',
      '\nExamples:\n  membership reports audit\n  membership reports audit rpt_4f1c\n  membership reports audit example.com --json',
    )
    .action(async (subject: string | undefined, { limit, ...flags }: Common & { limit: number }) => {
      const rows = await withSite(flags, (m) => m.reports.audit.list({ subject, limit }))
      const value = rows.map((row) => ({ ...row, details: JSON.parse(row.details) as object }))
      const lines = columns(
        rows.map((row) => [
          shortTime(row.at),
          row.actor,
          row.action,
          row.subject,
          row.details === '{}' ? '' : row.details,
        ]),
      )
      print(flags, value, lines.length > 0 ? lines : ['Nothing was done yet.'])
    })
}

function shown(m: Membership, entry: Parameters<typeof toWebsite>[0]): Website {
  return toWebsite(entry, m.operator.config.url ?? '')
}

function linesOf({ details, ...site }: Website): string[] {
  const { system, preview } = site
  const facts: [string, string | null][] = [
    ['id', site.id],
    ['url', site.url],
    ['leads to', site.final_url === site.url ? null : site.final_url],
    ['status', [site.status, site.status_reason && `(${site.status_reason})`].filter(Boolean).join(' ')],
    ['in the index', site.indexed ? 'yes' : 'no'],
    ['accepted', site.accepted ? 'by the operator' : null],
    ['partner', site.partner_id ?? '-'],
    ['source', site.source],
    ['system', `${system.name} ${system.version ?? ''}`.trim()],
    ['signs', details?.summary ?? null],
    ['title', site.title],
    ['description', site.description],
    ['language', site.language],
    ['picture', preview && `${preview.width} × ${preview.height}, ${preview.custom ? 'uploaded' : 'made'}`],
    ['first seen', shortTime(site.first_seen_at)],
    ['checked', shortTime(site.checked_at)],
    ['next check', shortTime(site.next_check_at)],
    ['failing since', site.failing_since && `${shortTime(site.failing_since)}, ${site.failures} times`],
    ['kept until', site.keep_until && shortTime(site.keep_until)],
  ]
  return [
    ...facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(14)} ${value}`])),
    ...(details && details.checks.length > 0
      ? ['', 'Checks', ...columns(details.checks.map(checkCells))]
      : []),
  ]
}

function checkCells(check: NonNullable<Website['details']>['checks'][number]): string[] {
  return [
    `  ${shortTime(check.at)}`,
    check.outcome,
    check.reason ?? '',
    check.http_status === null ? '' : `HTTP ${check.http_status}`,
    check.milliseconds === null ? '' : `${check.milliseconds} ms`,
    check.changed ? 'changed' : '',
  ]
}
