import { Command } from 'commander'
import type { ForeignLists, StoredForeign } from '../memberships/sync/foreign.ts'
import { type Common, common } from './flags.ts'
import { columns, counted, print } from './output.ts'
import { withSite } from './site.ts'

/** `membership foreign …` */
export const foreignCommand = (): Command =>
  new Command('foreign')
    .addHelpText(
      'after',
      '\nPlans decide what is yours. An earlier version took in every purchase of the account.' +
        '\n\nExamples:\n  membership foreign list\n  membership foreign list --json' +
        '\n  membership foreign remove\n  membership foreign remove --write',
    )
    .addCommand(listCommand())
    .addCommand(removeCommand())

const listCommand = (): Command =>
  common(new Command('list').description('List stored purchases that no plan names.')).action(
    async (flags: Common) => {
      const lists = await withSite(flags, (m) => m.operator.foreign.list())
      print(flags, lists, linesOf(lists))
    },
  )

const removeCommand = (): Command =>
  common(new Command('remove').description('Give purchases of other shops back to them.'))
    .option('--write', 'do it; without, the report says what would be')
    .addHelpText(
      'after',
      '\nThey make no member, mail or figure any more. Nothing is cancelled or changed at a provider, and no account is deleted.' +
        '\nThe unclear ones stay. Name their price in the plans or in membership.providers.{provider}.prices, and they are yours.' +
        '\n\nExamples:\n  membership foreign remove\n  membership foreign remove --write --json',
    )
    .action(async ({ write, ...flags }: Common & { write?: boolean }) => {
      const lists = await withSite(flags, (m) => m.operator.foreign.remove({ write }))
      print(flags, lists, [
        ...linesOf(lists),
        ...(lists.written || lists.foreign.length === 0 ? [] : ['→ membership foreign remove --write']),
      ])
    })

const linesOf = ({ own, foreign, unclear, written }: ForeignLists): string[] => [
  `${counted(own, 'purchase')} of yours, ${foreign.length} of other shops${written ? ', removed' : ''}, ${unclear.length} unclear.`,
  ...part('Of other shops, because no plan names their price or product:', foreign),
  ...part('Unclear, so they stay as they are. Yours? Name their price in a plan or in prices:', unclear),
]

const part = (title: string, found: readonly StoredForeign[]): string[] =>
  found.length === 0
    ? []
    : [
        '',
        title,
        ...columns(
          found.map(({ kind, provider, id, prices, memberId }) => [
            `  ${kind}`,
            `${provider} ${id}`,
            prices.join(', ') || 'no price is known',
            memberId ?? 'nobody’s',
          ]),
        ),
      ]
