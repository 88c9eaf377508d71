/** The table of docs/members.md: what each kind of session may do, made from the routes of an instance. */
import { createMembership } from '../src/index.ts'

const cell = (text: string) => text.replaceAll('|', '\\|')
const shown = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}')

/** The table as it must stand there. */
export const accessTable = async (): Promise<string> => {
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    'membership.provider.handler': 'sandbox',
    'membership.providers.sandbox.livemode': false,
    install: false,
    root: false,
    log: () => {},
  })
  const rows = m
    .routes()
    .map(({ method, path, access: { none, unverified, verified } }) =>
      [`\`${method} ${shown(path)}\``, none, unverified, verified].map(cell).join(' | '),
    )
  await m.close()
  return [
    '| Route | nobody | unverified | verified |',
    '|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}

/** The page with the table of today's routes. */
export const withAccessTable = async (page: string): Promise<string> => {
  const table = await accessTable()
  return page.replace(
    /(<!-- access -->\n)[\s\S]*?(<!-- \/access -->)/,
    (_, open: string, close: string) => `${open}${table}\n${close}`,
  )
}
