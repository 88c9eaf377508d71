import { Command } from 'commander'
import type { ProviderImported } from '../memberships/import/import-provider.ts'
import { type Common, columns, common, counted, print, withSite } from './site.ts'

interface Flags extends Common {
  provider?: string
  write?: boolean
  yes?: boolean
}

/** `membership import` */
export const importCommand = (): Command =>
  common(
    new Command('import').description(
      'Take over what a provider has: customers, subscriptions and payments that are not here yet.',
    ),
  )
    .requiredOption('--provider <key>', 'the provider whose account is taken over')
    .option('--write', 'write it; without, it is tried in memory, and the report says what would be')
    .option('--yes', 'go on although the provider knows none of the open subscriptions that are here')
    .addHelpText(
      'after',
      '\nNobody is mailed by an import, no address counts as proved by it, and what is here already stays as it is (compare\nmends that). Stopped or killed it goes on where it was, for six hours; run twice it changes nothing.\nExits with 0 when everybody was matched, 2 when somebody was not, 1 when it failed or was stopped.' +
        '\n\nExamples:\n  membership import --provider stripe\n  membership import --provider stripe --write\n  membership import --provider paddle --json',
    )
    .action(async (flags: Flags) => {
      const { provider, write, yes } = flags
      const isShown = process.stderr.isTTY === true && !flags.json
      const result = await untilStopped((finish) =>
        withSite(
          flags,
          (m) =>
            m.import({
              provider: provider!,
              write,
              yes,
              finish,
              onProgress: ({ provider, checked, brought }) => {
                if (isShown) process.stderr.write(`\r${provider}: ${checked} looked at, ${brought} not here `)
              },
            }),
          { absent: write ? 'make' : 'try' },
        ),
      )
      if (isShown) process.stderr.write('\n')
      print(flags, result, linesOf(result))
      if (!result.isWhole) process.exitCode = 1
      else if (result.unmatched.length > 0) process.exitCode = 2
    })

/** Runs until it is done or somebody asks for its end, which it comes to after what it is doing. */
const untilStopped = async <T>(run: (finish: AbortSignal) => Promise<T>): Promise<T> => {
  const finish = new AbortController()
  const stop = () => {
    if (finish.signal.aborted) process.exit(130)
    finish.abort()
    console.error('Ending after this page; the next call goes on there. Ctrl-C again ends at once.')
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return run(finish.signal).finally(() => process.off('SIGINT', stop).off('SIGTERM', stop))
}

const linesOf = (result: ProviderImported): string[] => {
  const { written, isWhole, checked, brought, matched, made, unmatched } = result
  const would = written ? '' : 'would be '
  const rows = unmatched.map((one) => [
    reasons[one.reason],
    one.provider,
    one.owner,
    one.email ?? '-',
    one.living === 0 ? '' : counted(one.living, 'running subscription'),
  ])
  return [
    ...(rows.length === 0 ? [] : [...columns(rows), '']),
    `${counted(checked, 'object')} looked at; ${counted(brought.customers, 'customer')}, ${counted(brought.subscriptions, 'subscription')} and ${counted(brought.money, 'object')} of payments ${written ? 'were' : would}brought in.`,
    `${counted(matched, 'buyer')} ${written ? 'have' : 'would have'} an account (${counted(made, 'account')} made by ${matched === 1 ? 'the' : 'their'} purchase), ${unmatched.length} ${written ? 'wait' : 'would wait'} for one.`,
    ...(isWhole ? [] : ['It was stopped: of the rest nothing is known. The same command goes on there.']),
    ...(written ? [] : ['Nothing was written. → membership import --provider … --write']),
  ]
}

const reasons = {
  no_address: 'no address at the provider',
  address_unproved: 'an account has the address, unproved',
  second_customer: 'another customer of this address was first',
  no_account: 'nobody has the address',
  left: 'of an account that was deleted',
} as const
