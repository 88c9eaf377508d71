/** Writes docs/reference/cli.md: every command with its arguments, its options and its examples, from the commands. */
import type { Argument, Command, Option } from 'commander'
import { commandNames, loadCommand } from '../src/cli/program.ts'

/** Flags that nearly every command has. The page says them once. */
const shared = new Set(['--help', '--config', '--json', '--write', '--by'])

/** The page as it must stand in docs/reference. */
export async function cliPage(): Promise<string> {
  const commands = await Promise.all(commandNames.map(loadCommand))
  return `${[
    '# Command line',
    '`npx membership` with a command works on the site of its folder. `npx membership help members` explains a group, and `--help` one command.',
    '```text\nnpx membership doctor --json\nnpx membership help members\n```',
    'Many commands share these options:',
    [
      '- `--json` prints JSON on standard output. An error is an object there, too, with its code. Its fields [stay in 2.x](../what-2-keeps.md).',
      '- `--write` does what the command shows without it.',
      '- `--config <file>` reads another configuration than `membership.config.*` and `config/membership.*`.',
      '- `--by <name>` is the name in the log, in place of the user of the machine.',
    ].join('\n'),
    ...commands.flatMap((command) => sectionsOf(command, 'membership')),
  ].join('\n\n')}\n`
}

function sectionsOf(command: Command, parent: string, level = '##'): readonly string[] {
  const path = `${parent} ${command.name()}`
  const options = command.options.filter(({ long, hidden }) => !hidden && !shared.has(long ?? ''))
  const has = command.options.filter(({ long }) => shared.has(long ?? '')).map(({ long }) => `\`${long}\``)
  const { notes, examples } = addedTo(command)
  const own = [
    `${level} ${path}`,
    withCode(command.description()),
    examples.length === 0 ? '' : `\`\`\`text\n${examples.join('\n')}\n\`\`\``,
    ...notes,
    [...command.registeredArguments.map(argumentLine), ...options.map(optionLine)].join('\n'),
    has.length === 0 ? '' : `Also: ${has.join(', ')}.`,
  ]
  return [
    ...own.filter((part) => part !== ''),
    ...command.commands.flatMap((below) => sectionsOf(below, path, `${level}#`)),
  ]
}

function argumentLine(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`
  const shown = argument.required ? `<${name}>` : `[${name}]`
  return `- \`${shown}\`${argument.description ? `: ${withCode(argument.description)}` : ''}`
}

function optionLine({ flags, description, mandatory }: Option): string {
  return `- \`${flags}\`${mandatory ? ' (required)' : ''}: ${withCode(description)}`
}

/** Options and files are code. */
function withCode(text: string): string {
  return text.replace(/(^|[\s(])(--[a-z][a-z-]*|\.env|membership\.[a-z_.]+[a-z])(?=[\s.,:;)]|$)/g, '$1`$2`')
}

/** What a command adds to its help: paragraphs, and examples in one line each. */
function addedTo(command: Command): {
  readonly notes: readonly string[]
  readonly examples: readonly string[]
} {
  let help = ''
  command.configureHelp({ helpWidth: 10_000 })
  command.configureOutput({ writeOut: (text) => (help += text) })
  command.outputHelp()
  const added = help.slice(help.indexOf('display help for command')).split('\n').slice(1).join('\n')
  const [before = '', after = ''] = added.split(/^Examples?:$/m)
  const notes = before
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim().replace(/\n(?!\s)/g, ' '))
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => (/\n/.test(paragraph) ? `\`\`\`text\n${paragraph}\n\`\`\`` : withCode(paragraph)))
  const examples = after
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return { notes, examples }
}
