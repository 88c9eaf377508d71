import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { User } from '../../memberships/members/index.ts'
import type { AccountPlace } from '../accounts/find-accounts.ts'
import { type DataChange, withData } from './data-text.ts'

/** A file that is not there yet, below the site's folder. */
export interface NewFile {
  readonly file: string
  readonly text: string
}

/** The files of an account for somebody whom version 1 never knew, in the form of those that are there; null where that
 *  form takes no new one by itself. */
export const newAccount = (
  user: User,
  change: DataChange,
  { model, field }: { readonly model: AccountPlace | undefined; readonly field: string },
): NewFile[] | null => {
  if (model === undefined || !/^[\w-]{1,100}$/.test(user.id)) return null
  const above = dirname(model.name)
  const facts = {
    email: user.email,
    name: user.name,
    language: user.language,
    role: user.roles[0] ?? 'member',
  }
  if (!model.isFolder) {
    // A file of its own each; a list of several is one that only a person adds to.
    if (!/\.json$/i.test(model.name) || !/^\s*\{/.test(readFileSync(model.path, 'utf8'))) return null
    return jsonFile(`${above}/${user.id}.json`, { id: user.id, ...facts }, change, field)
  }
  const files = readdirSync(model.path)
  const content = files.find((file) => /^user(\.\w+)?\.txt$/i.test(file))
  if (existsSync(join(model.path, 'index.php'))) {
    const file = content ?? 'user.txt'
    const text = withData('', { file, index: 0, field }, change)
    if (text === null) return null
    return [
      { file: `${above}/${user.id}/index.php`, text: phpOf(facts) },
      { file: `${above}/${user.id}/${file}`, text },
    ]
  }
  const json = files.find((file) => /^(user|account|index)\.json$/i.test(file))
  return json === undefined
    ? null
    : jsonFile(`${above}/${user.id}/${json}`, { id: user.id, ...facts }, change, field)
}

const jsonFile = (file: string, account: object, change: DataChange, field: string): NewFile[] | null => {
  const text = withData(`${JSON.stringify(account, null, 2)}\n`, { file, index: 0, field }, change)
  return text === null ? null : [{ file, text }]
}

/** As the system writes it: an array of texts, and nothing that runs. */
const phpOf = (facts: Readonly<Record<string, string | null>>): string => {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = Object.entries(facts).flatMap(([key, value]) =>
    value === null ? [] : [`    ${quoted(key)} => ${quoted(value)}`],
  )
  return `<?php\n\nreturn [\n${lines.join(',\n')}\n];\n`
}
