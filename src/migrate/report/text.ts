import { styleText } from 'node:util'
import { createTwoFilesPatch } from 'diff'
import { applyEdits } from '../edits.ts'
import type { RollbackReport, WriteReport } from '../journal/index.ts'
import { mask } from '../mask.ts'
import type { Decision, FileChange, Level, Part, Plan } from '../plan.ts'
import type { Source } from '../source.ts'

/** Options for printing a plan. */
export interface TextOptions {
  readonly color: boolean
  /** Folder as the admin named it, for commands to copy. */
  readonly folder: string
  /** True if the plan was just applied. */
  readonly isWritten?: boolean
}

const titles: readonly [string, readonly Part[]][] = [
  ['Configuration and environment', ['config', 'env']],
  ['Member blueprints', ['blueprints']],
  ['Templates and code', ['templates']],
  ['Accounts', ['accounts']],
]

// Further files with the same change are counted.
const listed = 12

/** Renders a plan for people: the checklist with a line for each file, then the decisions. Masked. */
export function planText(plan: Plan, { color, folder, isWritten = false }: TextOptions): string {
  const style: Style = (format, text) => (color ? styleText(format, text) : text)
  const of = (level: Level) => plan.decisions.filter((item) => item.level === level)
  const [asks, doubts, tells] = [of('decide'), of('unproven'), of('know')]
  const left = {
    asks: asks.length,
    doubts: doubts.length + plan.skipped.filter((item) => item.mayHoldV1).length,
  }
  const databases = plan.databases.map(({ file, rows, summary }) => ({
    file: `${file} (${count(rows.length, 'row')})`,
    summary,
  }))
  const steps = titles.map(([title, of], i) =>
    step(
      `${i + 1}. ${title}`,
      [
        ...plan.changes.filter(({ part }) => of.includes(part)),
        ...(of.includes('accounts') ? databases : []),
      ],
      of.some((part) => plan.parts.includes(part)),
      style,
    ),
  )
  return mask(
    [
      style('bold', headline(plan, left, isWritten)),
      ...steps,
      webhooks(plan, style),
      asks.length > 0
        ? `${style('bold', 'You decide')}\n\n${asks.map((ask, i) => decision(ask, i + 1, style)).join('\n\n')}`
        : '',
      doubts.length > 0
        ? `${style('bold', 'Not proven')}\n\nSeen, and not understood: look at each. To accept a place as it is, write a comment with the words "membership: looked at" on its line or the line before.\n\n${doubts.map((doubt, i) => decision(doubt, i + 1, style)).join('\n\n')}`
        : '',
      tells.length > 0
        ? `${style('bold', 'Good to know')}\n\n${tells.map((tell) => knowledge(tell, style)).join('\n')}`
        : '',
      skipped(plan, style),
      isWritten ? '' : next(plan, left.asks + left.doubts, folder),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
}

type Line = Pick<FileChange, 'file' | 'summary'>
type Style = (format: 'bold' | 'dim' | 'green' | 'yellow' | 'cyan', text: string) => string

interface Left {
  readonly asks: number
  readonly doubts: number
}

function headline(plan: Plan, { asks, doubts }: Left, isWritten: boolean): string {
  const files = plan.changes.length + plan.databases.length
  if (files === 0 && asks + doubts === 0) return `Nothing left to do: ${count(plan.files, 'file')} looked at.`
  const decide = asks === 0 ? '' : `, ${asks === 1 ? 'one thing is' : `${asks} things are`} yours to decide`
  const unproven = doubts === 0 ? '' : `, ${count(doubts, 'place')} could not be proven`
  return `${count(files, 'file')} of ${plan.files} ${files === 1 ? 'changes' : 'change'}${decide}${unproven}.${isWritten ? '' : ' Nothing was changed yet.'}`
}

function step(title: string, changes: readonly Line[], isAsked: boolean, style: Style): string {
  if (changes.length === 0)
    return `${style('bold', title)}\n   ${style('dim', isAsked ? 'nothing to change' : 'not looked at')}`
  const groups = new Map<string, Line[]>()
  for (const change of changes) {
    const key = change.summary.join('\n')
    groups.set(key, [...(groups.get(key) ?? []), change])
  }
  const lines = [...groups.values()].flatMap((group) => {
    const what = group[0]!.summary.map((line) => `     ${line}`)
    if (group.length <= listed) return group.flatMap(({ file }) => [`   ${style('cyan', file)}`, ...what])
    return [`   ${style('cyan', `${group.length} files below ${commonFolder(group)}`)}`, ...what]
  })
  return [style('bold', title), ...lines].join('\n')
}

function commonFolder(changes: readonly Line[]): string {
  const [first, ...others] = changes.map(({ file }) => file.split('/').slice(0, -1))
  const same = first!.findIndex((segment, i) => others.some((other) => other[i] !== segment))
  return `${first!.slice(0, same === -1 ? undefined : same).join('/')}/`
}

function webhooks({ webhooks }: Plan, style: Style): string {
  return [
    style('bold', '5. Webhooks'),
    ...webhooks.map(
      ({ provider, path, isUnchanged }) =>
        `   ${provider} posts to https://your-site${path}${isUnchanged ? '. That is the address of version 1, too: nothing to change there.' : ''}`,
    ),
  ].join('\n')
}

function placeOf({ file, line, column }: Decision): string {
  return file === null ? 'the site' : line === null ? file : `${file}:${line}:${column}`
}

function decision(item: Decision, number: number, style: Style): string {
  return [
    `${number}. ${style('yellow', placeOf(item))} ${style('dim', item.code)}`,
    `   ${item.reason}`,
    ...(item.replacement?.split('\n') ?? []).map((line) => `     ${style('green', line)}`),
  ].join('\n')
}

function knowledge(item: Decision, style: Style): string {
  return ` - ${item.reason} ${style('dim', `(${placeOf(item)})`)}`
}

function skipped({ skipped }: Plan, style: Style): string {
  return skipped.length === 0
    ? ''
    : [style('bold', 'Not looked at'), ...skipped.map(({ file, reason }) => ` - ${file}: ${reason}`)].join(
        '\n',
      )
}

function next(plan: Plan, asks: number, folder: string): string {
  if (plan.changes.length + plan.databases.length > 0)
    return `See the lines with:  membership migrate ${folder} --diff\nApply them with:     membership migrate ${folder} --write`
  return asks > 0 ? 'The files that the migration can change are done; what is listed above is left.' : ''
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Renders the plan as unified diffs, masked. `read` returns an unchanged file. */
export const planDiff = function* (plan: Plan, read: (file: string) => Source): Generator<string> {
  for (const { file, edits } of plan.changes) {
    const { text } = read(file)
    const patch = createTwoFilesPatch(`a/${file}`, `b/${file}`, text, applyEdits(text, edits), '', '', {
      context: 3,
    })
    yield mask(patch.replace(/^=+\n/, '').replaceAll('\t\n', '\n'))
  }
}

/** Describes a write for people. */
export function writeText({ backup, written, kept }: WriteReport, folder: string): string {
  return [
    `${written.length} ${written.length === 1 ? 'file' : 'files'} written. The files as they were: ${backup}`,
    ...kept.map(({ file, reason }) => `Left as it is: ${file}, because ${reason}.`),
    `Take it back with:    membership migrate ${folder} --rollback\nCheck the site with:  membership doctor ${folder}`,
  ].join('\n')
}

/** Describes a rollback for people. */
export function rollbackText({ restored, merged, untouched, kept }: RollbackReport): string {
  return [
    `${restored.length} ${restored.length === 1 ? 'file is' : 'files are'} as before the migration.`,
    merged.length > 0
      ? `${merged.length} had changed since: the migration was taken out, everything newer stayed:\n${merged.map((file) => `  ${file}`).join('\n')}`
      : '',
    untouched.length > 0 ? `${untouched.length} had not been reached.` : '',
    ...kept.map(
      ({ file, reason, current, original }) =>
        `Left to you: ${file}, because ${reason}.\n  before the migration: ${original}${current ? `\n  as it is now:         ${current}` : ''}`,
    ),
  ]
    .filter(Boolean)
    .join('\n')
}
