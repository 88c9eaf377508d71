import { Command, Option } from 'commander'
import { createOperators } from '../office/operators.ts'
import type { Membership } from '../site/membership.ts'
import { type Common, common, nameOf, withName } from './flags.ts'
import { columns, print, shortTime } from './output.ts'
import { withSite } from './site.ts'

interface Named extends Common {
  by?: string
}

/** `membership operators …` */
export function operatorsCommand(): Command {
  return new Command('operators')
    .addHelpText(
      'after',
      '\nExamples:\n  membership operators add ada@example.com --role owner' +
        '\n  membership operators add bob@example.com --role viewer\n  membership operators list' +
        '\n  membership operators reset ada@example.com\n  membership operators remove ada@example.com',
    )
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(
      oneCommand(
        'remove',
        'Remove somebody from the office, at once and on every device.',
        'is neither operator nor viewer',
      ),
    )
    .addCommand(
      oneCommand('reset', 'Reset a lost second factor. The next visit sets up a new one.', 'enrols again'),
    )
}

function operatorsOf({ storage }: Membership) {
  return createOperators({ storage, now: () => new Date() })
}

function addCommand(): Command {
  return withName(
    common(
      new Command('add')
        .description('Add an operator, or change their role. They log in with a link in a mail.')
        .argument('<address>', 'their e-mail address'),
    ),
  )
    .addOption(
      new Option('--role <role>', 'owners also invite people, operators do everything else, viewers look')
        .choices(['owner', 'operator', 'viewer'])
        .makeOptionMandatory(),
    )
    .addHelpText('after', '\nExample:\n  membership operators add ada@example.com --role operator')
    .action(async (email: string, { role, by, ...flags }: Named & { role: string }) => {
      const { operator, isOpen, base } = await withSite(flags, async (m) => {
        const added = await operatorsOf(m).add({ email, role, by: nameOf({ by }) })
        // Login links are sent to accounts only.
        if ((await m.users.findByEmail(added.email)) === null) await m.users.create({ email: added.email })
        const { office, base_path: base } = m.operator.config
        return { operator: added, isOpen: office.enabled, base }
      })
      print(flags, operator, [
        `${operator.email} is ${operator.role === 'owner' ? 'an owner' : operator.role === 'operator' ? 'an operator' : 'a viewer'}.`,
        isOpen
          ? `→ They open ${base}/membership/office, log in, and set up their second factor.`
          : '→ Set membership.office.enabled to true: until then this site has no office.',
      ])
    })
}

function listCommand(): Command {
  return common(new Command('list').description('List operators and viewers.')).action(
    async (flags: Common) => {
      const operators = await withSite(flags, (m) => operatorsOf(m).list())
      const lines = columns(
        operators.map(({ email, role, enrolled, added_at, added_by }) => [
          email,
          role,
          enrolled ? 'second factor set up' : 'not set up yet',
          `since ${shortTime(added_at).slice(0, 10)} by ${added_by}`,
        ]),
      )
      print(flags, operators, lines.length === 0 ? ['Nobody.'] : lines)
    },
  )
}

function oneCommand(name: 'remove' | 'reset', description: string, outcome: string): Command {
  return common(
    new Command(name).description(description).argument('<address>', 'their e-mail address'),
  ).action(async (email: string, flags: Common) => {
    await withSite(flags, (m) => operatorsOf(m)[name](email))
    print(flags, { email }, [`${email} ${outcome}.`])
  })
}
