import { Command } from 'commander'
import { actor, type Common, common } from './flags.ts'
import { columns, counted, print } from './output.ts'
import { withSite } from './site.ts'

/** `membership partners …` */
export function partnersCommand(): Command {
  return new Command('partners')
    .addHelpText(
      'after',
      '\nPARTNER is an id or an e-mail address.' +
        '\n\nExamples:\n  membership partners add --name "Acme Agency" --email index@acme.example' +
        '\n  membership partners list\n  membership partners suspend index@acme.example' +
        '\n  membership partners resume index@acme.example',
    )
    .addCommand(addCommand())
    .addCommand(listCommand())
    .addCommand(
      statusCommand(
        'suspend',
        'suspended',
        'Suspend a partner. Its keys stop working, and its websites stay.',
      ),
    )
    .addCommand(statusCommand('resume', 'active', 'Activate a suspended partner. Its keys work again.'))
}

function addCommand(): Command {
  return common(new Command('add').description('Register a partner.'))
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--email <address>', 'its e-mail address')
    .addHelpText(
      'after',
      '\nExamples:\n  membership partners add --name "Acme Agency" --email index@acme.example',
    )
    .action(async ({ name, email, ...flags }: Common & { name: string; email: string }) => {
      const partner = await withSite(flags, (m) => m.reports.partners.add({ name, email }, actor()), {
        absent: 'make',
      })
      print(flags, shown(partner), [
        `Added ${partner.name} <${partner.email}>: ${partner.id}`,
        `→ Issue a key: membership keys issue ${partner.id}`,
      ])
    })
}

function listCommand(): Command {
  return common(new Command('list').description('List all partners.'))
    .addHelpText('after', '\nExamples:\n  membership partners list\n  membership partners list --json')
    .action(async (flags: Common) => {
      const partners = await withSite(flags, (m) => m.reports.partners.list())
      const value = partners.map((partner) => ({
        ...shown(partner),
        websites: partner.websites,
        keys: partner.keys,
      }))
      const lines = columns(
        partners.map((partner) => [
          partner.id,
          partner.status,
          counted(partner.websites, 'website'),
          counted(partner.keys, 'key'),
          partner.email,
          partner.name,
        ]),
      )
      print(flags, value, lines.length > 0 ? lines : ['No partners.'])
    })
}

function statusCommand(name: string, status: 'active' | 'suspended', description: string): Command {
  return common(new Command(name).description(description).argument('<partner>', 'id or e-mail address'))
    .addHelpText('after', `\nExamples:\n  membership partners ${name} index@acme.example`)
    .action(async (who: string, flags: Common) => {
      const partner = await withSite(flags, (m) => m.reports.partners.setStatus(who, status, actor()))
      print(flags, shown(partner), [`${partner.name} (${partner.id}) is ${partner.status}.`])
    })
}

function shown(partner: { id: string; name: string; email: string; status: string; created_at: string }) {
  return {
    id: partner.id,
    name: partner.name,
    email: partner.email,
    status: partner.status,
    created_at: partner.created_at,
  }
}
