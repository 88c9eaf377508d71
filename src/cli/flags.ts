import { userInfo } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'

/** Flags of every command that opens a site. */
export interface Common {
  config?: string
  json?: boolean
}

/** Adds the flags of `Common`. */
export function common(command: Command): Command {
  return command
    .option('-c, --config <file>', 'file in place of membership.config.* and config/membership.*')
    .option('--json', 'print JSON')
}

/** Parses a number from 1 to `most`. */
export function countUpTo(most: number) {
  return (text: string): number => {
    const count = Number(text)
    if (Number.isInteger(count) && count > 0 && count <= most) return count
    throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
  }
}

/** Returns the operating system's user, as the name in the index's audit log. */
export function actor(): string {
  const name = machineUser()
  return name === null ? 'operator' : `operator:${name}`
}

/**
 * Adds `--write`. Without it, a command that moves money, ends access or merges shows its plan and changes
 * nothing.
 */
export function planned(command: Command): Command {
  return command.option('--write', 'do it; without it nothing is changed')
}

/** Adds `--by`. */
export function withName(command: Command): Command {
  return command.option('--by <name>', 'who does it, for the log; the user of this machine unless given')
}

/** Returns the name of the operator for the audit log. */
export function nameOf({ by }: { readonly by?: string }): string {
  return by ?? machineUser() ?? 'operator'
}

// A container's user may have no name.
function machineUser(): string | null {
  try {
    return userInfo().username
  } catch {
    return null
  }
}
