import type { Command } from 'commander'

const width = 80

/** Keeps the help of a command within 80 columns: prose flows, and a long example goes on in its next line. */
export function fitHelp(command: Command): Command {
  command.configureHelp({ helpWidth: width, minWidthToWrap: 20 })
  command.configureOutput({ writeOut: (text) => process.stdout.write(fitted(command, text)) })
  return command
}

/** Text of a help in lines of at most 80 columns. */
export function fitted(command: Command, text: string): string {
  const help = command.createHelp()
  // Lines that follow each other without an indent are one paragraph.
  const flowing = text.replace(/^([^\s].*)\n(?=[^\s])/gm, '$1 ')
  return flowing
    .split('\n')
    .map((line) => {
      if (line.length <= width) return line
      if (!line.startsWith('  ')) return help.boxWrap(line, width)
      const [first = '', ...rest] = help.boxWrap(line.trim(), width - 6).split('\n')
      return [`  ${first}`, ...rest.map((part) => `    ${part}`)].join(' \\\n')
    })
    .join('\n')
}
