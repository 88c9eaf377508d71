import { Command } from 'commander'
import type { Comparison, Difference } from '../memberships/sync/index.ts'
import { type Common, common } from './flags.ts'
import { memberOf } from './members-list.ts'
import { otherLines } from './others.ts'
import { columns, counted, print, progressLine } from './output.ts'
import { withSite } from './site.ts'
import { untilStopped } from './stopping.ts'
import { sinceOf } from './webhooks-pull.ts'

interface Flags extends Common {
  provider?: string
  member?: string
  since?: Date
  write?: boolean
  yes?: boolean
}

/** `membership compare` */
export function compareCommand(): Command {
  return common(new Command('compare'))
    .option('--provider <key>', 'one provider; all that can be asked unless given')
    .option('--member <member>', 'what one member has: an id or an address')
    .option('--since <time>', 'only what was made since: 3d, 12h, 30m, or a date', sinceOf)
    .option('--write', 'mend what differs: ask once more for each object, and write what the answer says')
    .option('--yes', 'mend although many gates would close, or another account seems to be behind the key')
    .addHelpText(
      'after',
      '\nWithout --write nothing is changed. It shows subscriptions that the provider does not know, and closes nothing. After Ctrl-C it' +
        '\ncontinues where it stopped, for six hours. Exits with 0 when all is equal or mended, 2 when something differs, 1 when it failed or was stopped.' +
        '\n\nExamples:\n  membership compare\n  membership compare --provider stripe --since 3d --write' +
        '\n  membership compare --member ann@example.com --json',
    )
    .action(async (flags: Flags) => {
      const { provider, member, since, write, yes } = flags
      const progress = progressLine(flags)
      const result = await untilStopped((finish) =>
        withSite(flags, async (m) =>
          m.operator.compare({
            provider,
            ...(member === undefined ? {} : { memberId: (await memberOf(m, member)).id }),
            since,
            write,
            yes,
            finish,
            onProgress: ({ provider, checked, differences }) =>
              progress.show(`${provider}: ${checked} looked at, ${counted(differences, 'difference')}`),
          }),
        ),
      )
      progress.end()
      print(flags, result, linesOf(result, write === true))
      if (!result.isWhole) process.exitCode = 1
      else if (leftOf(result) > 0) process.exitCode = 2
    })
}

function leftOf({ differences, mended }: Comparison): number {
  return differences.length - mended
}

function linesOf(result: Comparison, isWritten: boolean): string[] {
  const { checked, differences, mended, isWhole, unlisted } = result
  const rest = [
    ...(isWhole ? [] : ['It was stopped: of the rest nothing is known. The same command goes on there.']),
    ...unlisted.map((key) => `${key} lists no purchases, so only those that are known here were compared.`),
    ...otherLines(result.others),
  ]
  if (differences.length === 0) return [`${counted(checked, 'object')} looked at: nothing differs.`, ...rest]
  const rows = differences.map((difference) => [
    words[difference.kind],
    `${difference.provider} ${difference.object}`,
    difference.id,
    difference.memberId ?? 'nobody’s',
    changesOf(difference),
    difference.mend === null ? '' : `${isWritten ? '' : 'would '}${repairs[difference.mend]}`,
  ])
  return [
    ...columns(rows),
    '',
    `${counted(checked, 'object')} looked at, ${counted(differences.length, 'difference')}, ${mended} mended.`,
    ...rest,
    ...(isWritten || !isWhole ? [] : ['→ membership compare --write']),
  ]
}

const words = {
  missing_here: 'missing here',
  unknown_there: 'unknown there',
  other_owner: 'another owner',
  other_access: 'other access',
  other_price: 'another price',
  older_here: 'older here',
} as const

const repairs = {
  open: 'open access',
  close: 'close access',
  move: 'move to its owner',
  write: 'write it',
} as const

/**
 * Describes a difference for people: `status: active → canceled`. For a missing object it shows the object.
 */
function changesOf({ here, there }: Difference): string {
  const shown = ['status', 'price_id', 'quantity', 'customer_id', 'amount', 'email'].filter(
    (name) => (there ?? here)?.[name] !== undefined && (there ?? here)?.[name] !== null,
  )
  return shown
    .map((name) => {
      const [mine, theirs] = [here?.[name], there?.[name]]
      return here && there ? `${name}: ${text(mine)} → ${text(theirs)}` : `${name}: ${text(theirs ?? mine)}`
    })
    .join(', ')
}

function text(value: unknown): string {
  return value === null || value === undefined ? 'none' : String(value)
}
