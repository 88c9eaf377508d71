import { createReadStream } from 'node:fs'
import { Command, Option } from 'commander'
import { type CsvColumns, toCsv } from '../core/dto/csv.ts'
import { MembershipError } from '../core/errors.ts'
import type { RelinkOutcome, RelinkResult } from '../reports/index.ts'
import { actor, type Common, common } from './flags.ts'
import { columns, counted, plain, print } from './output.ts'
import { withSite } from './site.ts'

interface Flags extends Common {
  partner?: string
  write?: boolean
  format: 'text' | 'json' | 'csv'
  undo?: string
}

/** `membership reports relink …` */
export function relinkCommand(): Command {
  return common(
    new Command('relink')
      .description('Link the websites of a list to a partner. Without --write, show what would happen.')
      .argument('[file]', 'one address a line, 100 000 at most; - reads the standard input'),
  )
    .option('--partner <partner>', 'id or e-mail address')
    .option('--write', 'do it, all of it or nothing')
    .addOption(
      new Option('--format <format>', 'how the outcomes are printed')
        .choices(['text', 'json', 'csv'])
        .default('text'),
    )
    .option('--undo <batch>', 'take a batch back')
    .addHelpText(
      'after',
      '\nMissing schemes, www., closing slashes, Windows line ends, blank lines and comments after # are fine.' +
        '\nExits with 0 when every line was matched, 2 when some were not, 1 on an error.' +
        '\n\nExamples:\n  membership reports relink websites.txt --partner index@acme.example' +
        '\n  membership reports relink websites.txt --partner index@acme.example --write' +
        '\n  membership reports relink - --partner prt_4f1c --format csv < websites.txt > outcomes.csv' +
        '\n  membership reports relink --undo bat_4f1c',
    )
    .action(run)
}

async function run(file: string | undefined, flags: Flags): Promise<void> {
  if (flags.undo !== undefined) return undo(flags.undo, file, flags)
  if (file === undefined || flags.partner === undefined)
    throw new MembershipError('ERR_USAGE', 'A list and a partner are needed.', {
      action: 'membership reports relink websites.txt --partner index@acme.example',
    })
  const { partner, write = false } = flags
  const text = await readList(file)
  const result = await withSite(flags, (m) =>
    m.reports.operator.relink(text, partner, { write, actor: actor() }),
  )
  show(result, flags)
  if (result.lines.some(({ outcome }) => !isMatch[outcome])) process.exitCode = 2
}

async function undo(batch: string, file: string | undefined, flags: Flags): Promise<void> {
  if (file !== undefined || flags.partner !== undefined || flags.write || flags.format === 'csv')
    throw new MembershipError('ERR_USAGE', '--undo stands alone: the batch says what was done.', {
      action: `membership reports relink --undo ${batch}`,
    })
  const { restored, kept } = await withSite(flags, (m) => m.reports.operator.undo(batch, actor()))
  print({ json: flags.json || flags.format === 'json' }, { batch, restored, kept }, [
    `Undone: ${counted(restored, 'website')} as before.`,
    ...kept.map((id) => `${id} stays as it is: it was changed since.`),
  ])
  if (kept.length > 0) process.exitCode = 2
}

function show(result: RelinkResult, flags: Flags): void {
  const undoWith = result.batch === null ? null : `membership reports relink --undo ${result.batch}`
  const summary = summaryOf(result, { isWritten: flags.write === true, undoWith })
  if (flags.json || flags.format === 'json') print({ json: true }, { ...result, undo: undoWith }, [])
  else if (flags.format === 'csv') {
    process.stdout.write(toCsv(lineColumns, result.lines))
    // Programs read stdout, so the summary goes to stderr.
    console.error(plain(summary.join('\n')))
  } else print({}, null, [...linesOf(result), ...(result.lines.length > 0 ? [''] : []), ...summary])
}

function linesOf({ lines }: RelinkResult): string[] {
  return columns(
    lines.map(({ line, outcome, text, detail }) => [
      String(line).padStart(6),
      outcome,
      text,
      detail === null ? '' : `(${detail})`,
    ]),
  )
}

const lineColumns: CsvColumns<RelinkResult['lines'][number]> = [
  ['line', ({ line }) => line],
  ['text', ({ text }) => text],
  ['outcome', ({ outcome }) => outcome],
  ['report_id', ({ report_id }) => report_id],
  ['detail', ({ detail }) => detail],
]

function summaryOf(
  { partner, lines, counts, skipped, batch }: RelinkResult,
  { isWritten, undoWith }: { isWritten: boolean; undoWith: string | null },
): string[] {
  const parts = Object.entries({ ...counts, 'blank or comment': skipped }).filter(([, count]) => count > 0)
  const toDo = counts.linked + counts.reassigned
  return [
    `${counted(lines.length + skipped, 'line')} for ${partner.name}${parts.length > 0 ? ': ' : ''}${parts.map(([name, count]) => `${count} ${name}`).join(', ')}.`,
    ...(batch !== null
      ? [`Written as ${batch}.`, `→ Undo: ${undoWith}`]
      : toDo === 0
        ? ['There is nothing to write.']
        : [`Nothing was written${isWritten ? '' : '. Run the command again with --write'}.`]),
  ]
}

const isMatch: Readonly<Record<RelinkOutcome, boolean>> = {
  linked: true,
  'already-linked': true,
  reassigned: true,
  duplicate: true,
  'not-found': false,
  ambiguous: false,
  invalid: false,
  excluded: false,
}

const mostBytes = 64 * 1_048_576

async function readList(file: string): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      bytes += (chunk as Buffer).length
      if (bytes > mostBytes) break
    }
  } catch (error) {
    throw new MembershipError('ERR_USAGE', `${file} cannot be read: ${(error as Error).message}`, {
      action: 'Name a text file with one address a line, or - for the standard input.',
    })
  }
  if (bytes > mostBytes)
    throw new MembershipError('ERR_USAGE', 'The list is longer than 64 MB.', {
      action: 'Split it: split -l 100000 websites.txt',
    })
  return Buffer.concat(chunks).toString('utf8')
}
