/** One line that allows or forbids; without a pattern it says nothing. */
export interface RobotsRule {
  readonly isAllow: boolean
  readonly pattern: string
}

/** Rules for one crawler. */
export interface RobotsGroup {
  readonly rules: readonly RobotsRule[]
  readonly delay: string | undefined
}

/** Finds the rules of a robots.txt for `product`, such as `membership-index`: the groups that name it, else those for everybody.
 *  Each line is read once, so that thousands of names before thousands of rules cost no more than another file.
 *  Source: RFC 9309, section 2.2. */
export const groupFor = (text: string, product: string): RobotsGroup => {
  const groups = groupsOf(text)
  const named = groups.filter(({ names }) => names.has(product))
  const told = named.length > 0 ? named : groups.filter(({ names }) => names.has('*'))
  return { rules: told.flatMap(({ rules }) => rules), delay: told.findLast(({ delay }) => delay)?.delay }
}

interface OpenGroup {
  readonly names: Set<string>
  readonly rules: RobotsRule[]
  delay: string | undefined
}

// Rules end a group's names. A line that nobody knows does not, nor does a delay: it is for the names after it, too.
const groupsOf = (text: string): OpenGroup[] => {
  const groups: OpenGroup[] = []
  let group: OpenGroup | undefined
  for (const line of text.split(/\r\n|\r|\n/)) {
    const { field, value } = readLine(line)
    if (field === 'user-agent') {
      if (!group || group.rules.length > 0) group = { names: new Set(), rules: [], delay: undefined }
      group.names.add(value.toLowerCase().replace(/\/.*$/s, '').trim())
    } else if (group && field === 'crawl-delay') group.delay = value
    else if (group && (field === 'allow' || field === 'disallow')) {
      if (group.rules.length === 0) groups.push(group)
      group.rules.push({ isAllow: field === 'allow', pattern: value })
    }
  }
  // Names without a rule at the end are told nothing but how long to wait.
  return group?.rules.length === 0 && group.delay !== undefined ? [...groups, group] : groups
}

const readLine = (line: string): { field: string; value: string } => {
  const text = line.replace(/#.*$/s, '')
  const at = Math.max(0, text.indexOf(':'))
  return { field: text.slice(0, at).trim().toLowerCase(), value: text.slice(at + 1).trim() }
}
